//! Values for a schema: valid ones, and ones that are not valid in some places.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// Draws values for the schemas in a document.
pub(crate) struct Values<'a> {
    document: &'a Value,
    pub(crate) dice: Dice,
    /// Values that occur in the document, or are almost valid somewhere.
    other: Vec<Value>,
}

impl<'a> Values<'a> {
    pub(crate) fn new(document: &'a Value, number: u64) -> Self {
        let mut other = NASTY.iter().map(|json| serde_json::from_str(json).unwrap()).collect();
        listed(document, &mut other);
        Self { document, dice: Dice::new(number), other }
    }

    /// Draws a value, and changes up to three places of it.
    pub(crate) fn draw_changed(&mut self, schema: &Value) -> Value {
        let mut value = self.draw(schema, 0);
        for _ in 0..self.dice.below(4) {
            let count = size(&value);
            let at = self.dice.below(count);
            self.change(&mut value, &mut Some(at));
        }
        value
    }

    /// Draws a value that a schema accepts, unless it must not be of another schema.
    fn draw(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(path) = schema["$ref"].as_str() {
            let schema = self.document.pointer(path.trim_start_matches('#')).unwrap();
            return self.draw(schema, depth);
        }
        if let Some(all) = schema["allOf"].as_array() {
            let mut value = Value::Null;
            for schema in all {
                merge(&mut value, self.draw(schema, depth));
            }
            return value;
        }
        // The last one is the smallest, except beside a list, which can be empty.
        if let Some(choices) = schema["anyOf"].as_array() {
            let list = choices.iter().position(|choice| choice["type"] == "array");
            let smallest = list.unwrap_or(choices.len() - 1);
            let at = if depth > DEEPEST { smallest } else { self.dice.below(choices.len()) };
            return self.draw(&choices[at], depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[self.dice.below(values.len())].clone();
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let at = if depth > DEEPEST {
            types.len().max(1) - 1
        } else {
            self.dice.below(types.len().max(1))
        };
        match types.get(at).copied() {
            Some("null") => Value::Null,
            Some("boolean") => json!(self.dice.chance(50)),
            Some("integer") if schema["minimum"] == 0 => json!(self.dice.of(&[0, 1, 7, u64::MAX])),
            Some("integer") => json!(self.dice.of(&[0, 1, -7, i64::MAX, i64::MIN])),
            Some("number") => {
                self.dice.of(&["0", "-5", "1.5", "-2.5e300", "1e-7"]).parse().unwrap()
            }
            Some("string") if schema["pattern"].is_string() => json!(self.dice.of(&["0", "12"])),
            Some("string") => json!(self.dice.of(&["", "x", "é\"\\\n", "12", "-3.5", "EUR"])),
            Some("array") if schema["maxItems"] == 0 => json!([]),
            Some("array") => {
                let count = if depth > DEEPEST { 0 } else { self.dice.below(3) };
                (0..count).map(|_| self.draw(&schema["items"], depth + 1)).collect()
            }
            Some("object") => self.object(schema, depth),
            Some(other) => panic!("unknown type {other}"),
            // An object, or a value that is only restricted by another schema.
            None if schema["properties"].is_object() => self.object(schema, depth),
            None => self.any(),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut members = Map::new();
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if required(name) || (depth < DEEPEST && self.dice.chance(70)) {
                members.insert(name.clone(), self.draw(schema, depth + 1));
            }
        }
        if depth < DEEPEST && schema["additionalProperties"].is_object() {
            for key in ["", "a", "é"] {
                if self.dice.chance(40) {
                    let value = self.draw(&schema["additionalProperties"], depth + 1);
                    members.insert(key.to_owned(), value);
                }
            }
        }
        if schema["properties"].is_object() && self.dice.chance(20) {
            members.insert("unlisted".to_owned(), self.any());
        }
        Value::Object(members)
    }

    fn any(&mut self) -> Value {
        let at = self.dice.below(self.other.len());
        self.other[at].clone()
    }

    /// Replaces or removes the value at a position, counted in depth; `None` afterwards.
    fn change(&mut self, value: &mut Value, at: &mut Option<usize>) {
        let Some(left) = at else { return };
        if *left == 0 {
            *at = None;
            *value = self.any();
            return;
        }
        *left -= 1;
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.change(item, at)),
            Value::Object(members) => members.retain(|_, member| {
                let is_removed = *at == Some(0) && self.dice.chance(30);
                if is_removed {
                    *at = None;
                }
                self.change(member, at);
                !is_removed
            }),
            _ => {}
        }
    }
}

/// Number of levels after which the smallest values are drawn.
const DEEPEST: usize = 5;

/// Values that are valid in some places and forms.
///
/// Two of the differences between decoders and schemas are known, and are not among them: JSON Schema does not tell 1.0 from
/// the integer 1, and its patterns do not limit an integer in text to 64 bits.
const NASTY: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-2",
    "10",
    "18446744073709551615",
    "-9223372036854775808",
    "1.5",
    "-2.5e300",
    "\"\"",
    "\"0\"",
    "\"1\"",
    "\"-7\"",
    "\"00\"",
    "\"+1\"",
    "\"1.5\"",
    "\"true\"",
    "\"x\"",
    "[]",
    "[1]",
    "[1.5]",
    "[\"1\"]",
    "[null]",
    "[[]]",
    "[{}]",
    "[\"\"]",
    "{}",
    "{\"a\":1}",
    "{\"a\":\"1\"}",
    "{\"a\":[]}",
    "{\"a\":null}",
    "{\"a\":{}}",
];

/// Collects the values that a document lists, as text and as numbers.
fn listed(document: &Value, found: &mut Vec<Value>) {
    let mut texts = BTreeSet::new();
    collect(document, &mut texts);
    for text in texts {
        found.extend(serde_json::from_str(&text).ok().filter(|value: &Value| !value.is_f64()));
        found.push(json!(text));
    }
}

fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if matches!(key.as_str(), "enum" | "examples" | "const") {
                    for one in value.as_array().into_iter().flatten().chain([value]) {
                        match one {
                            Value::String(text) => _ = texts.insert(text.clone()),
                            Value::Number(_) | Value::Bool(_) => _ = texts.insert(one.to_string()),
                            _ => {}
                        }
                    }
                }
                collect(value, texts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        _ => {}
    }
}

/// Returns the number of values in a value, with itself.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// Adds the members of one object to another.
fn merge(value: &mut Value, other: Value) {
    match (value, other) {
        (Value::Object(members), Value::Object(others)) => {
            for (key, other) in others {
                merge(members.entry(key).or_insert(Value::Null), other);
            }
        }
        (value @ Value::Null, other) => *value = other,
        _ => {}
    }
}
