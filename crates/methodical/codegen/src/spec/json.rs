//! JSON as a tree that keeps every position and every duplicate key.

use std::ops::Range;

use serde_json::Value as Leaf;

/// A value with its position in the text.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

/// The content of a value.
#[derive(Debug)]
pub(super) enum Value {
    /// A string, a number, a boolean or null.
    Leaf(Leaf),
    /// A list of values.
    Array(Vec<Json>),
    /// The members of an object, in order, including duplicates.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) json: Json,
}

impl Json {
    /// Reads a JSON text. The error is a position and the reason.
    pub(super) fn parse(text: &str) -> Result<Self, (usize, String)> {
        if let Err(error) = serde_json::from_str::<Leaf>(text) {
            let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
            let start: usize = lines.map(str::len).sum();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let why = error.to_string().replace(&place, "");
            let why = if error.is_eof() { "the text ends too early".to_owned() } else { why };
            return Err((start + error.column().saturating_sub(1), why));
        }
        // The reader below relies on a text that is valid and not nested too deeply.
        Ok(Reader { text, at: 0 }.value())
    }

    /// Returns the value of a key; the first one if there are several.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.members()?.iter().find(|member| member.key == key).map(|member| &member.json)
    }

    /// Returns the members of an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        if let Value::Object(members) = &self.value { Some(members) } else { None }
    }

    /// Returns the values of an array.
    pub(super) fn items(&self) -> Option<&[Self]> {
        if let Value::Array(items) = &self.value { Some(items) } else { None }
    }

    /// Returns the value if it is neither an array nor an object.
    pub(super) fn leaf(&self) -> Option<&Leaf> {
        if let Value::Leaf(leaf) = &self.value { Some(leaf) } else { None }
    }

    /// Returns the kind of the value, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Leaf(Leaf::Null) => "null",
            Value::Leaf(Leaf::Bool(_)) => "a boolean",
            Value::Leaf(Leaf::Number(number)) if number.is_f64() => "a fraction",
            Value::Leaf(Leaf::Number(_)) => "a number",
            Value::Leaf(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads a text that is valid JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self) -> Json {
        self.skip(|c| c.is_ascii_whitespace());
        let start = self.at;
        let value = match self.peek() {
            Some('{') => Value::Object(self.list(Self::member)),
            Some('[') => Value::Array(self.list(Self::value)),
            _ => Value::Leaf(self.leaf()),
        };
        Json { span: start..self.at, value }
    }

    /// Reads a list up to its closing bracket.
    fn list<T>(&mut self, one: fn(&mut Self) -> T) -> Vec<T> {
        let mut list = Vec::new();
        self.at += 1;
        loop {
            self.skip(|c| c.is_ascii_whitespace() || c == ',');
            match self.peek() {
                None => break,
                Some(']' | '}') => {
                    self.at += 1;
                    break;
                }
                Some(_) => list.push(one(self)),
            }
        }
        list
    }

    fn member(&mut self) -> Member {
        let start = self.at;
        let key = self.leaf();
        let key_span = start..self.at;
        self.skip(|c| c.is_ascii_whitespace() || c == ':');
        Member { key: key.as_str().unwrap_or_default().to_owned(), key_span, json: self.value() }
    }

    fn leaf(&mut self) -> Leaf {
        let start = self.at;
        if self.peek() == Some('"') {
            let mut escaped = true;
            self.skip(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                !ends
            });
            self.at = (self.at + 1).min(self.text.len());
        } else {
            self.skip(|c| !c.is_ascii_whitespace() && !matches!(c, ',' | ']' | '}'));
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    /// Skips characters as long as they match.
    fn skip(&mut self, mut matches: impl FnMut(char) -> bool) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.find(|c| !matches(c)).unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Leaf, json};

    use super::{Json, Value};

    /// Returns the value without positions, and with an object as a list of pairs.
    fn plain(json: &Json) -> Leaf {
        match &json.value {
            Value::Leaf(leaf) => leaf.clone(),
            Value::Array(items) => items.iter().map(plain).collect(),
            Value::Object(members) => {
                members.iter().map(|one| json!([one.key, plain(&one.json)])).collect()
            }
        }
    }

    #[test]
    fn the_tree_has_the_values_of_the_text_with_positions_and_duplicates() {
        let text =
            r#" {"a":[1,-2.5e3,{"b":null}],"c\"\\":"d]\"\\","é":[[],[true , false]],"a": {}} "#;
        let json = Json::parse(text).expect("it is valid");
        let pairs = json!([
            ["a", [1, -2500.0, [["b", null]]]],
            ["c\"\\", "d]\"\\"],
            ["é", [[], [true, false]]],
            ["a", []]
        ]);
        assert_eq!(plain(&json), pairs);
        let members = json.members().expect("an object");
        let keys: Vec<_> =
            members.iter().filter_map(|one| text.get(one.key_span.clone())).collect();
        assert_eq!(keys, ["\"a\"", r#""c\"\\""#, "\"é\"", "\"a\""]);
        assert_eq!(text.get(json.span), Some(text.trim()));
    }

    #[test]
    fn an_error_has_its_position() {
        let error = |text| Json::parse(text).expect_err("it is invalid");
        assert_eq!(error("[1,\n2,,3]"), (6, "expected value".to_owned()));
        assert_eq!(error("{\"a\" 1}"), (5, "expected `:`".to_owned()));
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert_eq!(error(&deep).1, "recursion limit exceeded");
        assert!(Json::parse("[1").is_err());
    }
}
