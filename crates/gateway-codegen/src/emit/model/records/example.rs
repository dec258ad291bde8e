//! The smallest value of a model, as JSON and as a call of its constructor.

use serde_json::{Map, Value, json};

use crate::config::Role;
use crate::ir::{Field, Model, Service, Type, Wire};
use crate::project::Project;
use crate::text::{raw_string, string};

/// Returns a Rust literal of the JSON text of a record with only its required fields.
pub(super) fn minimal(service: &Service, model: &Model) -> String {
    raw_string(&Value::Object(required_fields(service, model)).to_string())
}

/// Returns the same with one more field.
pub(super) fn with_unlisted_field(service: &Service, model: &Model) -> String {
    let mut fields = required_fields(service, model);
    fields.insert(UNLISTED.to_owned(), json!(1));
    raw_string(&Value::Object(fields).to_string())
}

/// Returns the constructor call that creates the same record.
pub(crate) fn constructor(project: &Project<'_>, model: &Model) -> String {
    let arguments: Vec<_> = required(model).map(|field| argument(project, field)).collect();
    let krate = project.config.rust_name(Role::Model);
    format!("{krate}::{}::new({})", model.rust.pascal(), arguments.join(", "))
}

fn required(model: &Model) -> impl Iterator<Item = &Field> {
    model.fields.iter().filter(|field| field.required)
}

fn required_fields(service: &Service, model: &Model) -> Map<String, Value> {
    required(model).map(|field| (field.wire.clone(), value(service, field))).collect()
}

fn value(service: &Service, field: &Field) -> Value {
    match field.ty {
        Type::Text => json!(text(field)),
        Type::Integer => json!(1),
        Type::Boolean => json!(true),
        Type::Scalar(index) => match service.scalars.get(index) {
            Some(scalar) if scalar.wire == Wire::Integer => {
                json!(scalar.example.parse::<u64>().unwrap_or(1))
            }
            Some(scalar) => json!(scalar.example),
            None => Value::Null,
        },
        Type::Enum(index) => {
            json!(service.enums.get(index).and_then(|one| one.values.first()).map(|one| &one.wire))
        }
        Type::Model(index) => service
            .models
            .get(index)
            .map_or(Value::Null, |model| Value::Object(required_fields(service, model))),
    }
}

fn argument(project: &Project<'_>, field: &Field) -> String {
    let service = project.service;
    match field.ty {
        Type::Enum(index) => service
            .enums
            .get(index)
            .and_then(|one| Some((one, one.values.first()?)))
            .map(|(one, value)| {
                let krate = project.config.rust_name(Role::Model);
                format!("{krate}::{}::{}", one.rust.pascal(), value.rust.variant())
            })
            .unwrap_or_default(),
        Type::Model(index) => {
            service.models.get(index).map(|model| constructor(project, model)).unwrap_or_default()
        }
        _ => match value(service, field) {
            Value::String(text) => string(&text),
            other if matches!(field.ty, Type::Scalar(_)) => format!("{other}_u64"),
            other => other.to_string(),
        },
    }
}

fn text(field: &Field) -> &str {
    field.example.as_deref().unwrap_or("text")
}

/// The name of a field that is not in any spec.
pub(super) const UNLISTED: &str = "an unlisted field";
