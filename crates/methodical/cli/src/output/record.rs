//! Records as JSON text, and access to their fields.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use jiff::civil::DateTime;
use memchr::memchr;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The path of a field in a record, such as `id`, or `studio.name` for a field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Parses a path with dots between the names.
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.split('.').map(str::to_owned).collect())
    }

    /// Creates the path of a top-level field whose name may contain dots.
    pub(crate) fn field(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }

    /// Returns the names, outermost first.
    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The paths of fields of a record, such as `id`, `album` and `album.title`.
pub type Fields<'a> = &'a [&'a str];

/// The fields of an object in order, each value as its exact JSON text.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// Splits an object. Any other text gives an object without fields.
    pub(crate) fn parse(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Returns the JSON text of a field; `None` if the field is absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(text, _)| text == name).map(|(_, value)| *value)
    }

    /// Returns the names of the fields, with their values as JSON text.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some((Name(name), value)) = map.next_entry::<_, &RawValue>()? {
                    fields.push((name, value.get()));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The name of a field, which is borrowed unless it has escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// A JSON object that is written member by member.
#[derive(Debug)]
pub(crate) struct Line(String);

impl Line {
    /// Begins an object.
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    /// Adds a member with a value in JSON.
    pub(crate) fn add(mut self, name: &str, value: impl fmt::Display) -> Self {
        let gap = if self.0.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        _ = write!(self.0, "{gap}{}:{value}", Value::from(name));
        self
    }

    /// Adds the members of a record in a mirror. Documented fields come first, in the contract's order, because a
    /// mirror does not keep the order of members.
    pub(crate) fn record(self, fields: Fields<'_>, json: &str) -> Self {
        let object = Object::parse(json);
        let documented = fields.iter().copied().filter(|name| !name.contains('.'));
        let others = object.fields().map(|(name, _)| name).filter(|name| !fields.contains(name));
        let members = documented.chain(others).filter_map(|name| Some((name, object.get(name)?)));
        members.fold(self, |line, (name, value)| line.add(name, value))
    }

    /// Ends the object.
    pub(crate) fn end(self) -> String {
        self.0 + "}"
    }
}

/// The fields of one record, each as its exact JSON text.
///
/// Adjacent columns of the same nested record share one parse of it.
#[derive(Debug)]
pub(crate) struct Cells<'a, 'c> {
    record: Object<'a>,
    /// The index of the field that probably comes next: columns are in the order of the fields.
    next: usize,
    inner: Option<(&'c [String], Object<'a>)>,
}

impl<'a, 'c> Cells<'a, 'c> {
    /// Reads a record, given as JSON text. A record that is not an object becomes the field `value`.
    pub(crate) fn read(json: &'a str) -> Self {
        let record = if json.starts_with('{') {
            Object::parse(json)
        } else {
            Object(vec![(Cow::Borrowed("value"), json)])
        };
        Self { record, next: 0, inner: None }
    }

    /// Returns the field at a path as readable text.
    pub(crate) fn cell(&mut self, path: &'c Path) -> Cow<'a, str> {
        text_of(self.value(path))
    }

    /// Returns the JSON text of the field at a path; `None` if the field is absent.
    pub(crate) fn value(&mut self, path: &'c Path) -> Option<&'a str> {
        let (name, outer) = path.0.split_last()?;
        if outer.is_empty() {
            let Object(fields) = &self.record;
            let is_it = |field: &(Cow<'_, str>, _)| field.0 == *name;
            if !fields.get(self.next).is_some_and(is_it) {
                self.next = fields.iter().position(is_it)?;
            }
            self.next += 1;
            return fields.get(self.next - 1).map(|(_, value)| *value);
        }
        if self.inner.as_ref().is_none_or(|(last, _)| *last != outer) {
            let mut names = outer.iter();
            let first = names.next().and_then(|name| self.record.get(name));
            let json = names.fold(first, |json, name| Object::parse(json?).get(name));
            self.inner = Some((outer, json.map(Object::parse).unwrap_or_default()));
        }
        self.inner.as_ref().and_then(|(_, inner)| inner.get(name))
    }
}

/// Returns the text of a value: a string without its quotes, or an empty string for `null` or an absent value.
pub(crate) fn text_of(json: Option<&str>) -> Cow<'_, str> {
    let Some(json) = json.filter(|json| *json != "null") else { return Cow::Borrowed("") };
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        None if json.starts_with(['[', '{']) => Cow::Owned(one_line(json)),
        None => Cow::Borrowed(json),
        // Fast path: most strings have no escapes.
        Some(text) if memchr(b'\\', text.as_bytes()).is_none() => Cow::Borrowed(text),
        Some(_) => serde_json::from_str(json).map_or(Cow::Borrowed(json), Cow::Owned),
    }
}

/// Parses a date and time of exactly the form `YYYY-MM-DD HH:MM:SS`; `None` for any other text.
pub(crate) fn date_time(text: &str) -> Option<DateTime> {
    let format = "%Y-%m-%d %H:%M:%S";
    let time = DateTime::strptime(format, text).ok()?;
    (time.year() >= 0 && time.strftime(format).to_string() == text).then_some(time)
}

/// Removes the whitespace between the tokens of a JSON text.
pub(crate) fn one_line(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let is_kept = |letter: &char| {
        let is_kept = quoted || !letter.is_ascii_whitespace();
        quoted ^= *letter == '"' && !escaped;
        escaped = quoted && *letter == '\\' && !escaped;
        is_kept
    };
    json.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cells, Path};

    #[test]
    fn cells_are_found_by_their_paths() {
        let json = "{\"id\":\"7\",\"n\":123456789012345678901234567890.10,\"studio\":{\"na\\u006de\":\"a\\nb\",\"x\":null},\"l\":[ 1,\n { \"a\": \" b\" } ],\"a.b\":{\"c.d\": 2}}";
        for (path, expected) in [
            ("id", "7"),
            ("n", "123456789012345678901234567890.10"),
            ("studio.name", "a\nb"),
            ("studio.x", ""),
            ("studio.none.deeper", ""),
            ("id.deeper", ""),
            ("l", r#"[1,{"a":" b"}]"#),
            ("a.b", ""),
        ] {
            let path = Path::parse(path);
            assert_eq!(Cells::read(json).cell(&path), expected, "{path}");
        }
        let dotted = Path::field("a.b");
        assert_eq!(Cells::read(json).cell(&dotted), r#"{"c.d":2}"#);
        assert_eq!(dotted.to_string(), "a.b");
    }

    #[test]
    fn a_record_that_is_not_an_object_has_the_field_value() {
        let value = Path::parse("value");
        for (json, cell) in [("1.50", "1.50"), ("\"a\\u0062\"", "ab"), ("[1]", "[1]"), ("null", "")]
        {
            assert_eq!(Cells::read(json).cell(&value), cell);
        }
        let inner = Path::parse("l.value");
        assert_eq!(Cells::read(r#"{"l":[1]}"#).cell(&inner), "");
    }
}
#[cfg(test)]
mod line_tests {
    use super::Line;

    #[test]
    fn documented_fields_precede_the_others() {
        let fields = &["id", "title", "studio", "studio.name", "size"];
        let order = |json| Line::new().record(fields, json).end();
        assert_eq!(
            order(r#"{"a\"b":1,"id":"7","size":1.0,"studio":{"name":null},"title":""}"#),
            r#"{"id":"7","title":"","studio":{"name":null},"size":1.0,"a\"b":1}"#
        );
        assert_eq!(order("{}"), "{}");
    }
}
