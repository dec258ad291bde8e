//! JSON strings for the generated record writers.

/// Appends a JSON string, including its quotes.
pub(crate) fn text(out: &mut Vec<u8>, value: &str) {
    // Serializing a string into a vector cannot fail.
    drop(serde_json::to_writer(out, value));
}
