//! JSON whose values keep their positions, and whose objects keep duplicate keys.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value of a JSON text, which is read when something is asked of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'a> {
    text: &'a str,
    raw: &'a str,
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) json: Json<'a>,
}

impl<'a> Json<'a> {
    /// Reads a JSON text. The error is a position and the reason.
    pub(super) fn parse(text: &'a str) -> Result<Self, (usize, String)> {
        // This also limits the depth.
        let Err(error) = serde_json::from_str::<Value>(text) else {
            return Ok(Self { text, raw: text.trim() });
        };
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let start: usize = lines.map(str::len).sum();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let why = error.to_string().replace(&place, "");
        let why = if error.is_eof() { "the text ends too early".to_owned() } else { why };
        Err((start + error.column().saturating_sub(1), why))
    }

    /// Returns the position in the text.
    pub(super) fn span(self) -> Range<usize> {
        let start = self.raw.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + self.raw.len()
    }

    /// Returns the position of the first character.
    pub(super) fn start(self) -> Range<usize> {
        self.span().start..self.span().start + 1
    }

    /// Returns the value of a key; the first one if there are several.
    pub(super) fn get(self, key: &str) -> Option<Self> {
        self.members()?.into_iter().find(|member| member.key == key).map(|member| member.json)
    }

    /// Returns the members of an object, in order.
    pub(super) fn members(self) -> Option<Vec<Member<'a>>> {
        let Members(members) = serde_json::from_str(self.raw).ok()?;
        let mut before = self.span().start;
        let members = members.into_iter().map(|(key, raw)| {
            let json = self.part(raw);
            let between = self.text.get(before..json.span().start).unwrap_or_default();
            let (start, end) = (between.find('"').unwrap_or(0), between.rfind('"').unwrap_or(0));
            let key_span = before + start..before + end + 1;
            before = json.span().end;
            Member { key, key_span, json }
        });
        Some(members.collect())
    }

    /// Returns the values of an array.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.raw).ok()?;
        Some(items.into_iter().map(|raw| self.part(raw)).collect())
    }

    /// Returns the value if it is neither an array nor an object.
    pub(super) fn leaf(self) -> Option<Value> {
        if self.raw.starts_with(['[', '{']) { None } else { serde_json::from_str(self.raw).ok() }
    }

    /// Returns the text of a value that is neither an array nor an object.
    pub(super) fn leaf_text(self) -> Option<String> {
        let leaf = self.leaf()?;
        Some(leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned))
    }

    /// Returns the kind of the value, for a message.
    pub(super) fn kind(self) -> &'static str {
        match self.leaf() {
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "a boolean",
            Some(Value::Number(number)) if number.is_f64() => "a fraction",
            Some(Value::Number(_)) => "a number",
            Some(_) => "a string",
            None if self.raw.starts_with('[') => "an array",
            None => "an object",
        }
    }

    fn part(self, raw: &'a RawValue) -> Self {
        Self { raw: raw.get(), ..self }
    }
}

/// The members of an object, with those that have the same key.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Members<'de> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(member) = map.next_entry()? {
            self.0.push(member);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Json;

    /// Returns the value with an object as a list of pairs.
    fn plain(json: Json<'_>) -> Value {
        if let Some(members) = json.members() {
            return members.iter().map(|one| json!([one.key, plain(one.json)])).collect();
        }
        json.items().map_or_else(
            || json.leaf().expect("a leaf"),
            |items| items.into_iter().map(plain).collect(),
        )
    }

    #[test]
    fn values_have_positions_and_duplicates() {
        let text =
            r#" {"a":[1,-2.5e3,{"b":null}],"c\"\\":"d]\"\\","é":[[],[true , false]],"a": {}} "#;
        let json = Json::parse(text).expect("it is valid");
        let pairs = json!([
            ["a", [1, -2500.0, [["b", null]]]],
            ["c\"\\", "d]\"\\"],
            ["é", [[], [true, false]]],
            ["a", []]
        ]);
        assert_eq!(plain(json), pairs);
        let members = json.members().expect("an object");
        let keys: Vec<_> =
            members.iter().filter_map(|one| text.get(one.key_span.clone())).collect();
        assert_eq!(keys, ["\"a\"", r#""c\"\\""#, "\"é\"", "\"a\""]);
        assert_eq!(text.get(json.span()), Some(text.trim()));
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
