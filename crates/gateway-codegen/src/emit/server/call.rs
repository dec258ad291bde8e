//! The calls, and the trait of their storage. Adding an operation to the spec adds a method to the trait, so the server
//! does not compile until its storage is written.

use crate::ir::{Operation, Response, Service};
use crate::text::{RustFile, raw_string, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("The calls of the operations, and the trait of their storage.");
    file.line("use crate::error::Error;");
    file.line("use crate::generated::operation::Operation;");
    if service.operations.iter().any(has_params) {
        file.line("use crate::generated::parameters;");
    }
    file.line("use crate::parameter::Problem;");
    file.line("use crate::query::Pairs;");
    file.line("use crate::records::{Envelope, Frame, Records};");
    file.line("use crate::store::{Cursor, Page, Snapshot};");
    file.blank();
    storage(&mut file, service);
    file.blank();
    call(&mut file, service);
    file.blank();
    envelopes(&mut file, service);
    file
}

/// Emits the trait, with one method for each operation.
fn storage(file: &mut RustFile, service: &Service) {
    file.doc("Reads from storage: one method for each operation.");
    file.open("pub(crate) trait Storage {");
    for (index, operation) in service.operations.iter().enumerate() {
        if index > 0 {
            file.blank();
        }
        let name = operation.rust.pascal();
        let Some(model) = service.response_model(operation) else { continue };
        let row = model.rust.followed_by("row").pascal();
        let parameters = if has_params(operation) {
            format!("parameters: &parameters::{name}, ")
        } else {
            String::new()
        };
        let (doc, rest) = if operation.response.is_list() {
            let doc = format!(
                "Reads one page of `{}`: appends each record, as `{row}` writes it. Returns where the next page \
                 begins, or `None` at the end of the list.",
                operation.select
            );
            (doc, "page: Page, records: &mut Records<'_>) -> Result<Option<Cursor>, Error>")
        } else {
            let doc = format!(
                "Reads the response of `{}`: appends the object, as `{row}` writes it.",
                operation.select
            );
            (doc, "object: &mut Vec<u8>) -> Result<(), Error>")
        };
        file.doc(&doc);
        let method = operation.rust.snake();
        file.line(format_args!("fn {method}(&self, snapshot: Snapshot, {parameters}{rest};"));
    }
    file.close("}");
}

fn call(file: &mut RustFile, service: &Service) {
    file.doc("A call: an operation with its parameters.");
    file.line("#[derive(Clone, Debug, PartialEq, Eq)]");
    file.open("pub(crate) enum Call {");
    for operation in &service.operations {
        let name = operation.rust.pascal();
        let parameters =
            if has_params(operation) { format!("(parameters::{name})") } else { String::new() };
        file.doc(&format!("A call of `{}`.", operation.select));
        file.line(format_args!("{name}{parameters},"));
    }
    file.close("}");
    file.blank();
    file.open("impl Call {");
    read(file, service);
    file.blank();
    without_effect(file, service);
    file.blank();
    frame(file, service);
    file.blank();
    fetch(file, service);
    file.close("}");
}

fn read(file: &mut RustFile, service: &Service) {
    file.doc("Reads the parameters of an operation.");
    let pairs = if service.operations.iter().any(has_params) { "pairs" } else { "_pairs" };
    file.open(format_args!(
        "pub(crate) fn read(operation: Operation, {pairs}: &Pairs<'_>) -> Result<Self, Problem> {{"
    ));
    file.open("Ok(match operation {");
    for operation in &service.operations {
        let name = operation.rust.pascal();
        let parameters = if has_params(operation) {
            format!("(parameters::{name}::read(pairs)?)")
        } else {
            String::new()
        };
        file.line(format_args!("Operation::{name} => Self::{name}{parameters},"));
    }
    file.close("})");
    file.close("}");
}

fn without_effect(file: &mut RustFile, service: &Service) {
    file.doc("Returns a parameter that has no effect, and the missing one that it needs.");
    file.open("pub(crate) fn without_effect(&self) -> Option<(&'static str, &'static str)> {");
    file.open("match self {");
    for operation in service.operations.iter().filter(|one| has_params(one)) {
        let pattern = pattern(operation, "parameters");
        file.line(format_args!("{pattern} => parameters.without_effect(),"));
    }
    let without = service.operations.iter().filter(|one| !has_params(one));
    let without: Vec<_> = without.map(|one| pattern(one, "")).collect();
    if !without.is_empty() {
        file.line(format_args!("{} => None,", without.join(" | ")));
    }
    file.close("}");
    file.close("}");
}

fn frame(file: &mut RustFile, service: &Service) {
    file.doc(
        "Returns the JSON text around the records of a list; `None` if the response is one object.",
    );
    file.open("pub(crate) const fn frame(&self) -> Option<Frame> {");
    file.open("match self {");
    for operation in &service.operations {
        let frame = operation.response.frame(None).map_or_else(
            || "None".to_owned(),
            |(open, close)| {
                format!("Some(Frame {{ open: {}, close: {} }})", raw_string(&open), string(&close))
            },
        );
        file.line(format_args!("{} => {frame},", pattern(operation, "_")));
    }
    file.close("}");
    file.close("}");
}

fn fetch(file: &mut RustFile, service: &Service) {
    file.doc(
        "Reads one page of a list, or the object, from storage. Returns where the next page \
         begins, or `None` at the end.",
    );
    file.open(
        "pub(crate) fn fetch<S: Storage + ?Sized>(&self, storage: &S, snapshot: Snapshot, \
         page: Page, records: &mut Records<'_>) -> Result<Option<Cursor>, Error> {",
    );
    file.open("match self {");
    for operation in &service.operations {
        let method = operation.rust.snake();
        let parameters = if has_params(operation) { "parameters, " } else { "" };
        let call = if operation.response.is_list() {
            format!("storage.{method}(snapshot, {parameters}page, records)")
        } else {
            format!("storage.{method}(snapshot, {parameters}records.next()).map(|()| None)")
        };
        file.line(format_args!("{} => {call},", pattern(operation, "parameters")));
    }
    file.close("}");
    file.close("}");
}

fn envelopes(file: &mut RustFile, service: &Service) {
    file.doc("The envelopes of the responses that have one.");
    file.open("pub(crate) const ENVELOPES: &[Envelope] = &[");
    for operation in &service.operations {
        if let Response::Envelope { marker, success, items, .. } = &operation.response {
            file.line(format_args!(
                "Envelope {{ method: {}, marker: {}, success: {}, items: {} }},",
                string(&operation.select),
                string(marker),
                string(success),
                string(items)
            ));
        }
    }
    file.close("];");
}

/// Returns the pattern of a call, with a name for its parameters.
fn pattern(operation: &Operation, parameters: &str) -> String {
    let name = operation.rust.pascal();
    if has_params(operation) {
        format!("Self::{name}({parameters})")
    } else {
        format!("Self::{name}")
    }
}

fn has_params(operation: &Operation) -> bool {
    !operation.params.is_empty()
}
