//! Scalars: one newtype each, declared by a macro of the crate.

use crate::emit::describe;
use crate::ir::{Code, Primitive, Scalar, Service};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The scalars of the service.");
    let coded = service.scalars.iter().any(|scalar| scalar.codes.is_some()).then_some("self");
    let scalar = (!service.scalars.is_empty()).then_some("scalar");
    file.import("use gateway_model_core::codegen", coded.into_iter().chain(scalar));
    for scalar in &service.scalars {
        file.blank();
        file.open("scalar! {");
        describe::declaration(&mut file, &scalar.doc, &scalar.source);
        file.line(format_args!("{}, {}", scalar.rust.pascal(), kind(scalar)));
        file.close("}");
    }
    file
}

/// Returns the arguments of the macro for the kind of a scalar: that of its meaning, or of its primitive.
fn kind(scalar: &Scalar) -> String {
    if let Some(codes) = &scalar.codes {
        let list = |codes: &[Code]| {
            let codes: Vec<_> =
                codes.iter().map(|code| format!("codegen::{}", code.expression())).collect();
            codes.join(", ")
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
