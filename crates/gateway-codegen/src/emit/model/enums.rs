//! Enums: open-ended ones keep an unlisted value, closed ones reject it.

use crate::emit::describe;
use crate::ir::{Enum, Service};
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The enums of the service.");
    let is_coded = |one: &Enum| one.primitive().is_integer();
    let coded = service.enums.iter().any(|one| is_coded(one)).then_some("coded_enum");
    let text = service.enums.iter().any(|one| !is_coded(one)).then_some("wire_enum");
    file.import("use gateway_model_core::codegen", coded.into_iter().chain(text));
    for one in &service.enums {
        file.blank();
        if is_coded(one) {
            of_integers(&mut file, one);
            continue;
        }
        file.open("wire_enum! {");
        describe::declaration(&mut file, &one.doc, &one.source);
        let (name, unlisted) = (one.rust.pascal(), string(&unlisted(one)));
        if one.open_ended {
            let unknown = one.rust.preceded_by("unknown").pascal();
            file.line(format_args!("{name}, {unknown}, \"text\", not {unlisted},"));
        } else {
            file.line(format_args!("{name}, \"a listed value\", not {unlisted},"));
        }
        file.open("{");
        for value in &one.values {
            file.doc(&value.doc.0);
            describe::deprecation(&mut file, value.deprecated.as_ref());
            file.line(format_args!("{} = {},", value.rust.variant(), string(&value.wire)));
        }
        file.close("}");
        file.close("}");
    }
    file
}

fn of_integers(file: &mut RustFile, one: &Enum) {
    file.open("coded_enum! {");
    describe::declaration(file, &one.doc, &one.source);
    let (name, unlisted) = (one.rust.pascal(), unlisted_code(one));
    let either = one.wire.either().map(|either| format!(" {either}")).unwrap_or_default();
    let unknown = one.open_ended.then(|| format!(" {},", one.rust.preceded_by("unknown").pascal()));
    file.line(format_args!("{name},{} i64{either}, not {unlisted},", unknown.unwrap_or_default()));
    file.open("{");
    for value in &one.values {
        file.doc(&value.doc.0);
        describe::deprecation(file, value.deprecated.as_ref());
        file.line(format_args!("{} = {},", value.rust.variant(), value.wire));
    }
    file.close("}");
    file.close("}");
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
    while one.values.iter().any(|value| value.wire == text) {
        text.push_str(" still");
    }
    text
}
