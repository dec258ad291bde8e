//! One record as JSON text, and what stands in it.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Where a value stands in a record: `id`, or `portal.name` for a member of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// The objects that lead to it, from the outside.
    outer: Vec<String>,
    name: String,
}

impl Path {
    /// Reads a path whose names have dots between them.
    pub(crate) fn parse(text: &str) -> Self {
        let mut names: Vec<String> = text.split('.').map(str::to_owned).collect();
        let name = names.pop().unwrap_or_default();
        Self { outer: names, name }
    }

    /// Takes the name of a member as it is, dots and all.
    pub(crate) fn member(name: &str) -> Self {
        Self { outer: Vec::new(), name: name.to_owned() }
    }

    /// Returns the names, from the outside.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.outer.iter().chain([&self.name]).map(String::as_str)
    }
}

/// As a person writes it.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outer.iter().try_for_each(|name| write!(f, "{name}."))?;
        f.write_str(&self.name)
    }
}

/// The one member of a record that is no object.
pub(crate) const VALUE: &str = "value";

/// The members of an object in their order, each value as its exact JSON text.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object; anything else has no members.
    pub(crate) fn read(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Reads a record. What is no object has itself as its one member, `value`, so that a list of anything has a column.
    pub(crate) fn of_record(json: &'a str) -> Self {
        if json.starts_with('{') {
            return Self::read(json);
        }
        let value = serde_json::from_str(json).ok();
        Self(value.map(|value| (Text(Cow::Borrowed(VALUE)), value)).into_iter().collect())
    }

    /// Returns the JSON text of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(text, _)| text.0 == name).map(|(_, value)| value.get())
    }

    /// Returns the names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.0.as_ref())
    }

    /// Returns the JSON text at a path.
    pub(crate) fn at(&self, path: &Path) -> Option<&'a str> {
        match self.within(&path.outer) {
            None if path.outer.is_empty() => self.get(&path.name),
            outer => Self::read(outer?).get(&path.name),
        }
    }

    /// Returns the JSON text of the object that these names lead to, one by one; `None` without any.
    fn within(&self, names: &[String]) -> Option<&'a str> {
        let (first, rest) = names.split_first()?;
        rest.iter().try_fold(self.get(first)?, |value, name| Self::read(value).get(name))
    }

    /// Returns what a person reads at a path.
    pub(crate) fn cell(&self, path: &Path) -> Cow<'a, str> {
        text_of(self.at(path))
    }
}

/// The cells of one record. Columns of the same inner object, which stand together, have it read once.
#[derive(Debug)]
pub(crate) struct Cells<'a, 'c> {
    members: Members<'a>,
    inner: Option<(&'c [String], Members<'a>)>,
}

impl<'a, 'c> Cells<'a, 'c> {
    /// Reads a record.
    pub(crate) fn read(json: &'a str) -> Self {
        Self { members: Members::of_record(json), inner: None }
    }

    /// Returns what a person reads at a path.
    pub(crate) fn cell(&mut self, path: &'c Path) -> Cow<'a, str> {
        if path.outer.is_empty() {
            return text_of(self.members.get(&path.name));
        }
        let inner = match self.inner.take() {
            Some((last, inner)) if last == path.outer => inner,
            _ => self.members.within(&path.outer).map(Members::read).unwrap_or_default(),
        };
        let cell = text_of(inner.get(&path.name));
        self.inner = Some((&path.outer, inner));
        cell
    }
}

/// Returns what a person reads in a value: text without quotes, nothing for null or absent.
fn text_of(json: Option<&str>) -> Cow<'_, str> {
    let Some(json) = json.filter(|json| *json != "null") else { return Cow::Borrowed("") };
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        None => Cow::Borrowed(json),
        // Most text stands there as it is.
        Some(text) if memchr(b'\\', text.as_bytes()).is_none() => Cow::Borrowed(text),
        Some(_) => {
            serde_json::from_str::<Text<'_>>(json).map_or(Cow::Borrowed(json), |text| text.0)
        }
    }
}

/// Returns JSON without white space between its tokens, and otherwise as it was.
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

/// Text that is borrowed if it has no escapes.
#[derive(Debug)]
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
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

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::with_capacity(8);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cells, Members, Path};

    #[test]
    fn values_are_found_by_their_paths() {
        let json = r#"{"id":"7","n":123456789012345678901234567890.10,"portal":{"na\u006de":"a\nb","x":null},"l":[1],"a.b":{"c.d":2}}"#;
        for (path, expected) in [
            ("id", "7"),
            ("n", "123456789012345678901234567890.10"),
            ("portal.name", "a\nb"),
            ("portal.x", ""),
            ("portal.none.deeper", ""),
            ("id.deeper", ""),
            ("l", "[1]"),
            ("a.b", ""),
        ] {
            let path = Path::parse(path);
            assert_eq!(Members::of_record(json).cell(&path), expected, "{path}");
            assert_eq!(Cells::read(json).cell(&path), expected, "{path}");
        }
        let dotted = Path::member("a.b");
        assert_eq!(Members::of_record(json).cell(&dotted), r#"{"c.d":2}"#);
        assert_eq!(dotted.to_string(), "a.b");
    }

    #[test]
    fn what_is_no_object_is_a_value() {
        let value = Path::parse("value");
        for (json, cell) in [("1.50", "1.50"), ("\"a\\u0062\"", "ab"), ("[1]", "[1]"), ("null", "")]
        {
            assert_eq!(Members::of_record(json).cell(&value), cell);
        }
        assert_eq!(Members::read("[1]").at(&value), None);
    }
}
