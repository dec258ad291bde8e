//! The enum of all operations, and the frames of their answers.

use crate::ir::Service;
use crate::text::{RustFile, raw_string, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The operations of the service, and the frames of their answers.");
    file.doc(&format!("An operation, selected by the parameter `{}`.", service.selector));
    file.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    file.open("pub(crate) enum Operation {");
    for operation in &service.operations {
        file.doc(&operation.doc.0);
        file.line(format_args!("{},", operation.rust.pascal()));
    }
    file.close("}");
    file.blank();
    file.open("impl Operation {");
    let all: Vec<_> =
        service.operations.iter().map(|one| format!("Self::{}", one.rust.pascal())).collect();
    file.doc("All operations, in the order of the contract.");
    file.line(format_args!("pub(crate) const ALL: [Self; {}] = [{}];", all.len(), all.join(", ")));
    file.blank();
    file.doc(&format!("Returns the operation with this value of `{}`.", service.selector));
    file.open("pub(crate) fn from_method(method: &str) -> Option<Self> {");
    file.open("match method {");
    for operation in &service.operations {
        let (select, name) = (string(&operation.select), operation.rust.pascal());
        file.line(format_args!("{select} => Some(Self::{name}),"));
    }
    file.line("_ => None,");
    file.close("}");
    file.close("}");
    file.blank();
    file.doc(&format!("Returns the value of `{}` that selects the operation.", service.selector));
    file.open("pub(crate) const fn method(self) -> &'static str {");
    file.open("match self {");
    for operation in &service.operations {
        let (select, name) = (string(&operation.select), operation.rust.pascal());
        file.line(format_args!("Self::{name} => {select},"));
    }
    file.close("}");
    file.close("}");
    file.close("}");
    file.blank();
    file.doc("The JSON text around the records of a list.");
    file.line("#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
    file.open("pub(crate) struct Frame {");
    file.doc("The text before the first record.");
    file.line("pub(crate) open: &'static str,");
    file.doc("The text after the last record.");
    file.line("pub(crate) close: &'static str,");
    file.close("}");
    for operation in &service.operations {
        let Some((open, close)) = operation.response.frame() else { continue };
        file.blank();
        file.doc(&format!("The frame of `{}`.", operation.select));
        file.line(format_args!(
            "pub(crate) const {}: Frame = Frame {{ open: {}, close: {} }};",
            operation.rust.screaming_snake(),
            raw_string(&open),
            string(close)
        ));
    }
    file
}
