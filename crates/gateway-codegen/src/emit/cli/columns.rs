//! Table columns and field paths of the records in responses.

use crate::ir::{Model, Service};
use crate::text::{RustFile, string};

/// Declares the columns and the paths of each record in a response.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let is_response = |model: &Model| {
        let is_it = |id| id == model.id;
        let mut responses = service.operations.iter().map(|one| &one.response);
        responses.any(|one| is_it(one.of()) || one.beside().is_some_and(is_it))
    };
    for model in service.models.iter().filter(|model| is_response(model)) {
        let (name, constant) = (model.rust.pascal(), model.rust.screaming_snake());
        file.blank();
        file.doc_markdown(format_args!("The default columns of a [`{name}`](model::{name})."));
        list(file, &format!("{constant}_COLUMNS"), &service.columns(model));
        file.blank();
        file.doc_markdown(format_args!("The paths of all fields of a [`{name}`](model::{name})."));
        list(file, &format!("{constant}_FIELDS"), &service.paths(model));
    }
}

fn list(file: &mut RustFile, name: &str, paths: &[String]) {
    let paths: Vec<_> = paths.iter().map(|path| string(path)).collect();
    file.line(format_args!("const {name}: Fields<'_> = &[{}];", paths.join(", ")));
}
