//! Checks JSON values against their types.

use serde_json::Value;

use crate::ir::{Service, Type};

/// Checks a JSON value against a type. The error is a path and the mistake at it.
pub(in crate::spec) fn is_value(
    service: &Service,
    ty: &Type,
    value: &Value,
    path: &str,
) -> Result<(), String> {
    let expected = |what: &str| Err(format!("{path}: expected {what}, found {}", found(value)));
    match ty {
        Type::Value(ty) => {
            let primitive = ty.in_record();
            if !primitive.is(value) {
                return expected(primitive.expected());
            }
            match (ty.as_closed_enum(), value.as_str()) {
                (Some(one), Some(text)) if !one.lists(text) => {
                    Err(format!("{path}: `{text}` is not a value of the enum"))
                }
                _ => Ok(()),
            }
        }
        Type::Model(id) => {
            let Some(object) = value.as_object() else { return expected("an object") };
            for field in &service.model(*id).fields {
                let path = format!("{path}.{}", field.wire);
                match object.get(&field.wire) {
                    None | Some(Value::Null) if field.required => {
                        return Err(format!("{path}: missing required field"));
                    }
                    None | Some(Value::Null) => {}
                    Some(value) => is_value(service, &field.ty, value, &path)?,
                }
            }
            Ok(())
        }
    }
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
