//! The enum of all operations.

use crate::ir::Service;
use crate::text::{RustFile, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The operations of the service.");
    file.doc(&format!(
        "An operation, selected by the parameter `{}`.",
        service.dispatch.first_selector()
    ));
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
    file.doc(&format!(
        "Returns the operation with this value of `{}`.",
        service.dispatch.first_selector()
    ));
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
    file.doc(&format!(
        "Returns the value of `{}` that selects the operation.",
        service.dispatch.first_selector()
    ));
    file.open("pub(crate) const fn method(self) -> &'static str {");
    file.open("match self {");
    for operation in &service.operations {
        let (select, name) = (string(&operation.select), operation.rust.pascal());
        file.line(format_args!("Self::{name} => {select},"));
    }
    file.close("}");
    file.close("}");
    file.close("}");
    file
}
