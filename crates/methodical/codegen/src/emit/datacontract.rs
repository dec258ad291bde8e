//! The data contract: the records of the operations, in the Open Data Contract Standard. Other tools check exported records
//! against it.

use askama::Template;

use crate::config::{Document, Project};
use crate::emit::file::{GeneratedFile, MARK};
use crate::emit::{distinct, filters};
use crate::ir::{Field, Model, Primitive, Service, Type, ValueType};

#[derive(Template)]
#[template(path = "datacontract.yaml.jinja")]
struct Contract<'a> {
    service: &'a Service,
    /// The models of the records that an operation returns.
    records: Vec<&'a Model>,
}

/// A field. Its template writes one line, in the flow style of YAML.
#[derive(Template)]
#[template(path = "datacontract/property.yaml.jinja")]
struct Property<'a> {
    field: &'a Field,
    required: bool,
    is_key: bool,
    /// The members that describe its type.
    ty: String,
    example: Option<String>,
}

/// Emits the contract.
pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let Some(path) = project.config.document(Document::DataContract) else { return Vec::new() };
    let records = service.operations.iter().filter_map(|one| service.response_model(one));
    let contract = Contract { service, records: distinct(records) };
    vec![GeneratedFile::text(path.as_str(), &contract)]
}

/// Returns the fields of a model, which are in a record, or below a field that is required or not. None contains itself.
/// Only the identity of a record is a key. The tools require a value even if the field around it is absent.
fn properties(service: &Service, model: &Model, below: Option<bool>) -> Vec<String> {
    let fields = model.fields.iter().enumerate().map(|(index, field)| {
        let example = match &field.ty {
            Type::Value(value) => value.json(value.sample(field.example.as_deref())),
            _ => None,
        };
        let required = field.required && below.unwrap_or(true);
        let property = Property {
            field,
            required,
            is_key: below.is_none() && model.identity == Some(index),
            ty: ty(service, &field.ty, required),
            example: example.map(|one| one.to_string()),
        };
        // Only a filter could fail, and ours do not.
        property.render().unwrap_or_default()
    });
    fields.collect()
}

/// Returns the members that describe a type.
fn ty(service: &Service, ty: &Type, required: bool) -> String {
    match ty {
        Type::Value(value) => logical(value).map(|name| format!("logicalType: {name}")),
        Type::Model(id) => {
            let properties = properties(service, service.model(*id), Some(required)).join(", ");
            Some(format!("logicalType: object, properties: [{properties}]"))
        }
        Type::List(of) => {
            Some(format!("logicalType: array, items: {{ {} }}", self::ty(service, of, false)))
        }
        Type::Map(_) => Some("logicalType: object".to_owned()),
    }
    .unwrap_or_default()
}

/// Returns the type of a value as it is exported; `None` for a boolean that is written as codes of several types.
fn logical(value: &ValueType) -> Option<&'static str> {
    match value.in_record() {
        Primitive::Text => Some("string"),
        Primitive::Signed | Primitive::Unsigned => Some("integer"),
        Primitive::Boolean => Some("boolean"),
        Primitive::Coded => match value.field_type() {
            "Text" => Some("string"),
            "Integer" => Some("integer"),
            "Boolean" => Some("boolean"),
            _ => None,
        },
    }
}
