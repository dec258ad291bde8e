//! Enums: open-ended ones keep an unlisted value, closed ones reject it.

use crate::emit::describe;
use crate::ir::{Enum, Service};
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The enums of the service.");
    if !service.enums.is_empty() {
        file.line("use gateway_model_core::codegen::wire_enum;");
    }
    for one in &service.enums {
        file.blank();
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

/// Returns a text that is not one of the values, for the examples.
fn unlisted(one: &Enum) -> String {
    let mut text = "later".to_owned();
    while one.values.iter().any(|value| value.wire == text) {
        text.push_str(" still");
    }
    text
}
