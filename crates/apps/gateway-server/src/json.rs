//! The JSON texts in records: values that are neither texts nor records.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "the spec decides which kinds of values its fields have"
)]

use serde::{Serialize as _, Serializer};
use serde_json::Value;

/// Writes a JSON text, or `null` instead of an empty one.
pub(crate) fn value_or_null<S: Serializer>(json: &&str, out: S) -> Result<S::Ok, S::Error> {
    value(json, Value::Null).serialize(out)
}

/// Writes a JSON text, or an empty list instead of an empty one.
pub(crate) fn value_or_list<S: Serializer>(json: &&str, out: S) -> Result<S::Ok, S::Error> {
    value(json, Value::Array(Vec::new())).serialize(out)
}

fn value(json: &str, empty: Value) -> Value {
    serde_json::from_str(json).unwrap_or(empty)
}
