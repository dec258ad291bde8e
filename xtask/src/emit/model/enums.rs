//! Enums: open-ended ones keep what they do not know, closed ones refuse it.

use crate::{
    ir::Service,
    text::{Rust, string},
};

pub(super) fn emit(service: &Service) -> Rust {
    let mut file = Rust::new("The enums of the service.");
    if !service.enums.is_empty() {
        file.line("use crate::wire_enum::wire_enum;");
    }
    for one in &service.enums {
        file.blank();
        file.open("wire_enum! {");
        super::about(&mut file, &one.doc, &one.source);
        let name = one.rust.pascal();
        if one.open_ended {
            let unknown = one.rust.preceded_by("unknown").pascal();
            file.line(format_args!("{name}, {unknown}, \"text\","));
        } else {
            file.line(format_args!("{name}, \"a listed value\","));
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
