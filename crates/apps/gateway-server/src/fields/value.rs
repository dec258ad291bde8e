//! The values of a record's fields.

use crate::fields::column::Column;
use crate::fields::kind::Field;

/// The fields of a record that are given, in their order.
#[derive(Debug, Default)]
pub(crate) struct Fields(pub(super) Vec<(&'static str, Value)>);

/// The value of a field, as the file has it.
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    /// A number, in decimal digits.
    Number(String),
    Boolean(bool),
    Object(Fields),
    /// A list, or an object with arbitrary keys, as JSON text.
    Json(String),
}

impl Fields {
    /// Returns a text; an empty one if it is not given.
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text) | Value::Number(text)) => text,
            _ => "",
        }
    }

    /// Returns the JSON text of a value that is neither a text nor a record; an empty text if it is not given.
    #[allow(dead_code, reason = "the spec decides which kinds its fields have")]
    pub(crate) fn json(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Boolean(true)) => "true",
            Some(Value::Boolean(false)) => "false",
            Some(Value::Text(text) | Value::Number(text) | Value::Json(text)) => text,
            Some(Value::Object(_)) | None => "",
        }
    }

    /// Returns the JSON text that a response sends for one of some texts; an empty text if it is none of them.
    #[allow(dead_code, reason = "the spec decides which kinds its fields have")]
    pub(crate) fn listed(&self, name: &str, texts: &[(&str, &'static str)]) -> &'static str {
        let given = self.json(name);
        let is_given = |(text, _): &&(&str, _)| !given.is_empty() && *text == given;
        texts.iter().find(is_given).map_or("", |(_, json)| json)
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns whether a field is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns whether a required field has no value.
    pub(crate) fn lacks(&self, field: &Field) -> bool {
        field.is_required
            && match self.get(field.name) {
                None => true,
                Some(Value::Text(text)) => text.is_empty() && !field.kind.has_empty_form(),
                Some(_) => false,
            }
    }

    /// Returns the names of the fields that are given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _value)| *name)
    }

    /// Returns the number of bytes of all values.
    pub(crate) fn size(&self) -> usize {
        let sizes = self.0.iter().map(|(_name, value)| match value {
            Value::Text(text) | Value::Number(text) | Value::Json(text) => text.len(),
            Value::Object(fields) => fields.size(),
            Value::Boolean(_) => 0,
        });
        sizes.sum()
    }

    /// Returns the name of a field that contains a NUL character.
    pub(crate) fn with_nul(&self) -> Option<String> {
        self.0.iter().find_map(|(name, value)| match value {
            Value::Text(text) => text.contains('\0').then(|| (*name).to_owned()),
            Value::Object(fields) => fields.with_nul().map(|inner| format!("{name}.{inner}")),
            Value::Json(json) => json.contains("\\u0000").then(|| (*name).to_owned()),
            Value::Number(_) | Value::Boolean(_) => None,
        })
    }

    /// Sets the text of a field, which may be in a nested record. A nested record whose cells are all empty is not given.
    pub(crate) fn set(&mut self, column: &Column, text: &str) {
        if text.is_empty() && !column.parents.is_empty() {
            return;
        }
        let mut fields = self;
        for name in &column.parents {
            let found = fields.0.iter().position(|(given, _value)| given == name);
            let index = found.unwrap_or(fields.0.len());
            if found.is_none() {
                fields.0.push((name, Value::Object(Self::default())));
            }
            match fields.0.get_mut(index) {
                Some((_, Value::Object(inner))) => fields = inner,
                _ => return,
            }
        }
        fields.0.push((column.field, Value::Text(text.to_owned())));
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }
}
