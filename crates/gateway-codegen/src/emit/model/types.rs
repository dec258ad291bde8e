//! The types of single values: a newtype for each scalar, and the enums, of which open-ended ones keep an unlisted value.

use askama::Template;

use crate::emit::{GeneratedFile, describe, filters};
use crate::ir::{Code, Enum, Primitive, Scalar, Service};

#[derive(Template)]
#[template(path = "model/scalars.rs.jinja")]
struct Scalars<'a> {
    service: &'a Service,
}

#[derive(Template)]
#[template(path = "model/enums.rs.jinja")]
struct Enums<'a> {
    service: &'a Service,
}

pub(super) fn emit(service: &Service, folder: &str) -> [GeneratedFile; 2] {
    [
        GeneratedFile::rust(format!("{folder}/enums.rs"), &Enums { service }),
        GeneratedFile::rust(format!("{folder}/scalars.rs"), &Scalars { service }),
    ]
}

/// Returns the arguments of the macro for the kind of a scalar: that of its meaning, or of its primitive.
fn kind(scalar: &Scalar) -> String {
    if let Some(codes) = &scalar.codes {
        let list = |codes: &[Code]| {
            let codes = codes.iter().map(|code| format!("codegen::{}", code.expression()));
            codes.collect::<Vec<_>>().join(", ")
        };
        return format!("boolean, [{}], [{}]", list(&codes.yes), list(&codes.no));
    }
    let digits = scalar.form.digits.filter(|_| scalar.digits);
    let kind = digits.or(scalar.form.kind).unwrap_or(match scalar.form.primitive {
        Primitive::Text => "text",
        Primitive::Signed => "signed_integer",
        Primitive::Unsigned => "integer",
        Primitive::Float => "float",
        Primitive::Boolean | Primitive::Coded => "boolean",
    });
    let either = scalar.wire.either().map(|either| format!(", {either}"));
    format!("{kind}{}", either.unwrap_or_default())
}

/// Returns an integer that is not one of the values, for the examples.
fn unlisted_code(one: &Enum) -> i64 {
    let mut code = 99;
    while one.lists(&code.to_string()) {
        code += 1;
    }
    code
}

/// Returns a text that is not one of the values, for the examples.
fn unlisted(one: &Enum) -> String {
    let mut text = "later".to_owned();
    while one.lists(&text) {
        text.push_str(" still");
    }
    text
}
