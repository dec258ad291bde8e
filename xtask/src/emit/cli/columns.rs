//! Table columns and field paths of the records in answers.

use crate::ir::{Field, Model, Service, Type};
use crate::text::{RustFile, string};

/// Declares the columns and the paths of each record in an answer.
pub(super) fn declare(file: &mut RustFile, service: &Service) {
    let answers = |model: &Model| {
        let mut models = service.operations.iter().filter_map(|one| service.response_model(one));
        models.any(|one| one.rust == model.rust)
    };
    for model in service.models.iter().filter(|model| answers(model)) {
        let (name, constant) = (model.rust.pascal(), model.rust.screaming_snake());
        file.blank();
        file.doc_markdown(format_args!("The default columns of a [`{name}`](model::{name})."));
        list(file, &format!("{constant}_COLUMNS"), &columns(service, model));
        file.blank();
        file.doc_markdown(format_args!("The paths of all fields of a [`{name}`](model::{name})."));
        list(file, &format!("{constant}_FIELDS"), &paths(service, model));
    }
}

fn list(file: &mut RustFile, name: &str, paths: &[String]) {
    let paths: Vec<_> = paths.iter().map(|path| string(path)).collect();
    file.line(format_args!("const {name}: Fields<'_> = &[{}];", paths.join(", ")));
}

/// Returns the default columns: every field, and of a nested model every field but its identity.
fn columns(service: &Service, model: &Model) -> Vec<String> {
    let mut columns = Vec::new();
    for field in &model.fields {
        match nested(service, field) {
            None => columns.push(field.wire.clone()),
            Some(inner) => {
                let identity = inner.identity_field().map(|field| &field.wire);
                let alone = inner.fields.len() == 1;
                columns.extend(
                    inner
                        .fields
                        .iter()
                        .filter(|one| nested(service, one).is_none())
                        .filter(|one| alone || Some(&one.wire) != identity)
                        .map(|one| format!("{}.{}", field.wire, one.wire)),
                );
            }
        }
    }
    columns
}

/// Returns every path that can be named: the fields, and those of nested models.
fn paths(service: &Service, model: &Model) -> Vec<String> {
    let mut fields = Vec::new();
    for field in &model.fields {
        fields.push(field.wire.clone());
        if let Some(inner) = nested(service, field) {
            fields.extend(inner.fields.iter().map(|one| format!("{}.{}", field.wire, one.wire)));
        }
    }
    fields
}

fn nested<'a>(service: &'a Service, field: &Field) -> Option<&'a Model> {
    match field.ty {
        Type::Model(index) => service.models.get(index),
        _ => None,
    }
}
