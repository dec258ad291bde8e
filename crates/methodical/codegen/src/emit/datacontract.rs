//! The data contract: the records of the operations in the Open Data Contract Standard. Tools such as
//! `datacontract-cli` check exported records against it. The file is JSON, which every YAML parser accepts.

use serde_json::json;

use crate::config::Workspace;
use crate::emit::schema::{array, kinds, member, object, optional};
use crate::emit::{GeneratedFile, MARK};
use crate::ir::{Field, Model, Service, Type, ValueType};
use crate::text::one_line;

pub(super) fn emit(workspace: &Workspace, path: &str) -> Vec<GeneratedFile> {
    let service = &workspace.service;
    let records = service.record_models().into_iter().map(|model| {
        [
            member("name", model.rust.snake()),
            member("logicalType", "object"),
            member("description", one_line(&model.about.doc)),
            properties(service, model, None),
        ]
        .concat()
    });
    // A file for each model, as the program writes it with `--output ndjson`.
    let files = json!({
        "server": "files", "type": "local", "path": "./{model}.ndjson", "format": "json", "delimiter": "new_line",
    });
    let contract = [
        member("customProperties", json!([{ "property": "origin", "value": MARK }])),
        member("apiVersion", "v3.1.0"),
        member("kind", "DataContract"),
        member("id", &service.name),
        member("name", &service.title),
        member("version", &service.version),
        member("status", "active"),
        member("description", json!({ "purpose": one_line(&service.about.doc) })),
        member("servers", [files]),
        array("schema", &records.collect::<Vec<_>>()),
    ];
    vec![GeneratedFile::json(path, &format!("{{{}}}", contract.concat()))]
}

/// Returns the fields of a model: those of a record itself or, with `within`, those inside a field that is required or
/// optional. Fields inside an optional field are optional, because the tools would require their values even if the
/// outer field is absent. Only a whole record has a key.
fn properties(service: &Service, model: &Model, within: Option<bool>) -> String {
    let property = |field: &Field| {
        let is_required = field.required && within.unwrap_or(true);
        let is_key = within.is_none() && model.identity_field() == Some(field);
        // A service may send a lenient field as several types.
        let ty = field.lenient.is_empty().then(|| ty(service, &field.ty, is_required));
        let example = |ty: &ValueType| ty.json(ty.example().or(field.example.as_deref())?);
        let example = field.ty.value().and_then(example);
        [
            member("name", &field.wire),
            ty.unwrap_or_default(),
            member("required", is_required),
            optional("primaryKey", is_key.then_some(true)),
            optional("classification", field.personal.then_some("personal")),
            member("description", one_line(&field.about.doc)),
            optional("examples", example.map(|example| [example])),
        ]
        .concat()
    };
    array("properties", &model.fields.iter().map(property).collect::<Vec<_>>())
}

/// Returns the members for the type and the format of a value; empty if a service may send several types.
fn ty(service: &Service, ty: &Type, is_required: bool) -> String {
    let (name, more) = match ty {
        Type::Value(value) => {
            let [kind] = kinds(value, false) else { return String::new() };
            let integer = value.in_record.is_integer().then(|| value.in_record.rust());
            let format = integer.or_else(|| value.meaning?.format());
            (*kind, optional("logicalTypeOptions", format.map(|one| json!({ "format": one }))))
        }
        Type::Model(id) => ("object", properties(service, service.model(*id), Some(is_required))),
        Type::List(of) => ("array", object("items", &self::ty(service, of, false))),
        Type::Map(_) => ("object", String::new()),
    };
    member("logicalType", name) + &more
}
