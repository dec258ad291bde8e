//! The smallest value of a model, as JSON and as a call of its constructor.

use serde_json::{Map, Value};

use crate::config::Role;
use crate::ir::{Field, Model, Primitive, Service, Type, ValueType};
use crate::project::Project;
use crate::text::{raw_string, string};

/// Returns a Rust literal of the JSON text of a record with only its required fields.
pub(super) fn minimal(service: &Service, model: &Model) -> String {
    raw_string(&Value::Object(required_fields(service, model)).to_string())
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

/// Returns a value of a type, with one value in each list and map that is not in a record.
pub(crate) fn one(service: &Service, ty: &Type) -> Value {
    match ty {
        Type::Value(ty) => {
            let text = match ty {
                ValueType::BuiltIn(built_in) => Some(built_in.sample),
                ValueType::Scalar(_) | ValueType::Enum(_) => ty.example(),
            };
            ty.json(text.unwrap_or_default()).unwrap_or_default()
        }
        Type::Model(id) => Value::Object(required_fields(service, service.model(*id))),
        Type::List(of) => Value::Array(vec![one(service, of)]),
        Type::Map(of) => Value::Object(Map::from_iter([("key".to_owned(), one(service, of))])),
    }
}

fn value(service: &Service, field: &Field) -> Value {
    match &field.ty {
        Type::Value(ty) => ty.json(sample(ty, field)).unwrap_or_default(),
        Type::Model(id) => Value::Object(required_fields(service, service.model(*id))),
        Type::List(_) => Value::Array(Vec::new()),
        Type::Map(_) => Value::Object(Map::new()),
    }
}

/// Returns a wire text of a field's type: its example, or that of the field.
fn sample<'s>(ty: &'s ValueType, field: &'s Field) -> &'s str {
    match ty {
        ValueType::BuiltIn(built_in) => field.example.as_deref().unwrap_or(built_in.sample),
        ValueType::Scalar(scalar) => &scalar.example,
        ValueType::Enum(one) => one.values.first().map_or("", |value| &value.wire),
    }
}

fn argument(project: &Project<'_>, field: &Field) -> String {
    let ty = match &field.ty {
        Type::Value(ty) => ty,
        Type::Model(id) => return constructor(project, project.service.model(*id)),
        Type::List(_) | Type::Map(_) => return "[].into()".to_owned(),
    };
    let text = sample(ty, field);
    match (ty, ty.in_record()) {
        (ValueType::Enum(one), _) => {
            let value = one.values.first().map_or_else(String::new, |value| value.rust.variant());
            format!("{}::{}::{value}", project.config.rust_name(Role::Model), one.rust.pascal())
        }
        (ValueType::BuiltIn(_) | ValueType::Scalar(_), Primitive::Text) => string(text),
        (ValueType::BuiltIn(_), Primitive::Signed | Primitive::Unsigned | Primitive::Boolean) => {
            text.to_owned()
        }
        (ValueType::BuiltIn(_), Primitive::Float) => {
            format!("serde_json::from_str({})?", string(text))
        }
        (_, Primitive::Coded) => {
            let value = ty.codes().and_then(|codes| codes.value(text));
            value.unwrap_or_default().to_string()
        }
        (ValueType::Scalar(_), primitive) => format!("{text}_{}", primitive.rust()),
    }
}
