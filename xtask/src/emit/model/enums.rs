//! Enums: open-ended ones keep what they do not know, closed ones refuse it.

use crate::ir::{Enum, Service};
use crate::text::{Rust, string};

pub(super) fn emit(service: &Service) -> Rust {
    let mut file = Rust::new("The enums of the service.");
    if !service.enums.is_empty() {
        file.line("use crate::wire_enum::wire_enum;");
    }
    for one in &service.enums {
        file.blank();
        file.open("wire_enum! {");
        super::about(&mut file, &one.doc, &one.source);
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
            if let Some(why) = &value.deprecated {
                file.doc_break();
                file.doc(&format!("Deprecated: {why}."));
            }
            file.line(format_args!("{} = {},", value.rust.variant(), string(&value.wire)));
        }
        file.close("}");
        file.close("}");
    }
    file
}

/// A text that is none of the values, for the examples.
fn unlisted(one: &Enum) -> String {
    let mut text = "later".to_owned();
    while one.values.iter().any(|value| value.wire == text) {
        text.push_str(" still");
    }
    text
}
