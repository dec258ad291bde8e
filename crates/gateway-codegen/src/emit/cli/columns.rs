//! Columns, field paths and names of the records in responses.

use crate::emit::cli::command_examples::command;
use crate::emit::cli::plural::plural;
use crate::ir::{Model, Service};
use crate::text::{RustFile, string};

/// Declares the type of each record in a response.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let is_response = |model: &Model| {
        let is_it = |id| id == model.id;
        let mut responses = service.operations.iter().map(|one| &one.response);
        responses.any(|one| one.of().is_some_and(is_it) || one.beside().is_some_and(is_it))
    };
    for model in service.models.iter().filter(|model| is_response(model)) {
        let name = model.rust.pascal();
        file.blank();
        file.doc_markdown(format_args!(
            "The columns, the fields and the name of a [`{name}`](model::{name})."
        ));
        let constant = constant(model);
        let columns = list(&service.columns(model));
        let paths = list(&service.paths(model));
        let types: Vec<_> = service
            .typed_paths(model)
            .iter()
            .map(|(path, ty)| format!("({}, FieldType::{ty})", string(path)))
            .collect();
        let types = types.join(", ");
        let noun = model.rust.spaced();
        let nouns = format!("{}, {}", string(&noun), string(&plural(&noun)));
        file.line(format_args!(
            "const {constant}: RecordType<'_> = RecordType::new({columns}, {paths}).typed(&[{types}]).named({nouns});"
        ));
    }
}

/// Declares the commands with their types of records.
pub(super) fn declare_commands(file: &mut RustFile, service: &Service) {
    let commands = service.operations.iter().filter_map(|operation| {
        let record = constant(service.response_model(operation)?);
        Some(format!("({}, {record})", string(&command(operation))))
    });
    let commands: Vec<_> = commands.collect();
    let ty = "&'static [(&'static str, RecordType<'static>)]";
    file.line(format_args!("const RECORDS: {ty} = &[{}];", commands.join(", ")));
}

/// Returns the name of the constant with the type of a record.
pub(super) fn constant(model: &Model) -> String {
    format!("{}_RECORD", model.rust.screaming_snake())
}

fn list(paths: &[String]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| string(path)).collect();
    format!("&[{}]", paths.join(", "))
}
