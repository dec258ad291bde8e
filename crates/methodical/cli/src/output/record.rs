//! Records as JSON text, and access to their fields.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The path of a field in a record: `id`, or `studio.name` for a field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// The names of the enclosing objects, outermost first.
    outer: Vec<String>,
    name: String,
}

impl Path {
    /// Parses a path with dots between the names.
    pub(crate) fn parse(text: &str) -> Self {
        let mut names: Vec<String> = text.split('.').map(str::to_owned).collect();
        let name = names.pop().unwrap_or_default();
        Self { outer: names, name }
    }

    /// Creates the path of a top-level field whose name may contain dots.
    pub(crate) fn field(name: &str) -> Self {
        Self { outer: Vec::new(), name: name.to_owned() }
    }

    /// Returns the names, outermost first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.outer.iter().chain([&self.name]).map(String::as_str)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outer.iter().try_for_each(|name| write!(f, "{name}."))?;
        f.write_str(&self.name)
    }
}

/// The fields of an object in their order, each value as its exact JSON text.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// Parses an object. Any other JSON text gives an object without fields.
    pub(crate) fn parse(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Parses a record. A record that is not an object becomes the field `value`, so that any list has a column.
    pub(crate) fn of_record(json: &'a str) -> Self {
        if json.starts_with('{') {
            return Self::parse(json);
        }
        let value = serde_json::from_str(json).ok();
        Self(value.map(|value| (Text(Cow::Borrowed("value")), value)).into_iter().collect())
    }

    /// Returns the JSON text of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(text, _)| text.0 == name).map(|(_, value)| value.get())
    }

    /// Returns the field names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.0.as_ref())
    }

    /// Returns the JSON text of a nested object; `None` if `names` is empty.
    fn nested(&self, names: &[String]) -> Option<&'a str> {
        let (first, rest) = names.split_first()?;
        rest.iter().try_fold(self.get(first)?, |value, name| Self::parse(value).get(name))
    }
}

/// The fields of one record, each as its exact JSON text.
///
/// [`OutputColumn`](crate::OutputColumn) reads them. Adjacent columns of the same nested record share one parse of it.
///
/// # Examples
///
/// ```
/// use methodical_cli::{Cells, OutputColumn};
///
/// let mut cells = Cells::read(r#"{"id":7,"album":{"id":"2024","title":"Harbour"}}"#);
/// let columns = ["id", "album.id", "album.title"].map(|path| OutputColumn::new(path, None));
/// let row: Vec<_> = columns.iter().map(|column| column.text(&mut cells)).collect();
/// assert_eq!(row, ["7", "2024", "Harbour"]);
/// ```
#[derive(Debug)]
pub struct Cells<'a, 'c> {
    record: Object<'a>,
    inner: Option<(&'c [String], Object<'a>)>,
}

impl<'a, 'c> Cells<'a, 'c> {
    /// Reads a record, given as JSON text. A record that is not an object becomes the field `value`.
    #[must_use]
    pub fn read(json: &'a str) -> Self {
        Self { record: Object::of_record(json), inner: None }
    }

    /// Returns the text of the field at a path, as a person reads it.
    pub(crate) fn cell(&mut self, path: &'c Path) -> Cow<'a, str> {
        text_of(self.value(path))
    }

    /// Returns the JSON text of the field at a path.
    pub(crate) fn value(&mut self, path: &'c Path) -> Option<&'a str> {
        if path.outer.is_empty() {
            return self.record.get(&path.name);
        }
        let inner = match self.inner.take() {
            Some((last, inner)) if last == path.outer => inner,
            _ => self.record.nested(&path.outer).map(Object::parse).unwrap_or_default(),
        };
        let value = inner.get(&path.name);
        self.inner = Some((&path.outer, inner));
        value
    }
}

/// Returns the text of a value: a string without its quotes, and empty text for `null` or an absent value.
pub(crate) fn text_of(json: Option<&str>) -> Cow<'_, str> {
    let Some(json) = json.filter(|json| *json != "null") else { return Cow::Borrowed("") };
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        None if json.starts_with(['[', '{']) => Cow::Owned(one_line(json)),
        None => Cow::Borrowed(json),
        // Fast path: most strings have no escapes.
        Some(text) if memchr(b'\\', text.as_bytes()).is_none() => Cow::Borrowed(text),
        Some(_) => {
            serde_json::from_str::<Text<'_>>(json).map_or(Cow::Borrowed(json), |text| text.0)
        }
    }
}

/// Removes the whitespace between the tokens of a JSON text.
pub(crate) fn one_line(json: &str) -> String {
    let (mut line, mut quoted, mut escaped) = (String::with_capacity(json.len()), false, false);
    for letter in json.chars() {
        if quoted || !letter.is_ascii_whitespace() {
            line.push(letter);
        }
        match letter {
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && letter == '\\' && !escaped;
    }
    line
}

/// A string that is borrowed if it has no escapes.
#[derive(Debug)]
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Reader)
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Reader)
    }
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
