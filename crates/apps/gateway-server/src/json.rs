//! JSON texts for the generated record writers.

#![expect(
    clippy::allow_attributes,
    reason = "an `expect` would be an error after a change of the spec"
)]

/// Appends a JSON string, including its quotes.
pub(crate) fn text(out: &mut Vec<u8>, value: &str) {
    // Serializing a string into a vector cannot fail.
    drop(serde_json::to_writer(out, value));
}

/// Appends a JSON text; `empty` instead of an empty one.
#[allow(dead_code, reason = "the spec decides which kinds its fields have")]
pub(crate) fn raw(out: &mut Vec<u8>, json: &str, empty: &str) {
    out.extend_from_slice(if json.is_empty() { empty } else { json }.as_bytes());
}
