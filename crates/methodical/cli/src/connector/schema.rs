//! JSON schemas of streams.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::connector::stream::{Property, PropertyKind};

/// Returns the JSON schema of these properties, with the name that each has there.
pub(crate) fn schema(properties: &[&Property]) -> Value {
    let properties =
        properties.iter().map(|property| (property.name.clone(), of_property(property)));
    json!({ "type": "object", "properties": properties.collect::<serde_json::Map<_, _>>() })
}

/// Returns the JSON schema of a property. Only a key is never null.
fn of_property(property: &Property) -> Value {
    let kind = match property.kind {
        PropertyKind::Text | PropertyKind::Time | PropertyKind::Json => "string",
        PropertyKind::Integer => "integer",
        PropertyKind::Real => "number",
        PropertyKind::Boolean => "boolean",
    };
    let kind = if property.is_key { json!([kind]) } else { json!(["null", kind]) };
    match property.kind {
        PropertyKind::Time => json!({ "type": kind, "format": "date-time" }),
        _ => json!({ "type": kind }),
    }
}

/// Returns a hash of the properties that a receiver gets.
pub(crate) fn layout(properties: &[&Property], omits_personal: bool) -> String {
    let mut hash = Sha256::new();
    for property in properties {
        hash.update(format!("{} {:?}\n", property.name, property.kind));
    }
    hash.update([u8::from(omits_personal)]);
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}
