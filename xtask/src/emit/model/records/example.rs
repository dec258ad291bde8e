//! The smallest value of a model: as JSON, and as the call that makes it.

use serde_json::{Map, Value, json};

use crate::ir::{Field, Model, Service, Type, Wire};
use crate::text::string;

/// A Rust literal of the JSON text of a record with its required members only.
pub(super) fn minimal(service: &Service, model: &Model) -> String {
    literal(&Value::Object(members(service, model)))
}

/// The same, with one member more.
pub(super) fn with_an_unlisted_member(service: &Service, model: &Model) -> String {
    let mut members = members(service, model);
    members.insert(UNLISTED.to_owned(), json!(1));
    literal(&Value::Object(members))
}

/// The call that makes the same record.
pub(super) fn constructor(service: &Service, model: &Model) -> String {
    let arguments: Vec<_> = required(model).map(|field| argument(service, field)).collect();
    format!("gateway_model::{}::new({})", model.rust.pascal(), arguments.join(", "))
}

fn required(model: &Model) -> impl Iterator<Item = &Field> {
    model.fields.iter().filter(|field| field.required)
}

fn members(service: &Service, model: &Model) -> Map<String, Value> {
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
            .map_or(Value::Null, |model| Value::Object(members(service, model))),
    }
}

fn argument(service: &Service, field: &Field) -> String {
    match field.ty {
        Type::Enum(index) => service
            .enums
            .get(index)
            .and_then(|one| Some((one, one.values.first()?)))
            .map(|(one, value)| {
                format!("gateway_model::{}::{}", one.rust.pascal(), value.rust.variant())
            })
            .unwrap_or_default(),
        Type::Model(index) => {
            service.models.get(index).map(|model| constructor(service, model)).unwrap_or_default()
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

fn literal(json: &Value) -> String {
    let text = json.to_string();
    // A raw literal reads better, and must not be ended or broken by what is in it.
    if text.contains("\"#") || text.chars().any(crate::text::is_hidden) {
        string(&text)
    } else {
        format!("r#\"{text}\"#")
    }
}

/// A name that no spec lists.
pub(super) const UNLISTED: &str = "an unlisted member";
