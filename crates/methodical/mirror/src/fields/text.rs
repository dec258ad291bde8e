//! JSON text under construction.

/// Returns text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(&mut json, text);
    json
}

fn push_quoted(json: &mut String, text: &str) {
    if text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        json.push_str(&serde_json::Value::from(text).to_string());
    } else {
        json.push('"');
        json.push_str(text);
        json.push('"');
    }
}

/// A JSON object under construction.
#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    /// Appends a member. The value is JSON text.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.reserve(name.len() + value.len() + 5);
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_quoted(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(value);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}
