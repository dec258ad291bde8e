//! One record as JSON text, and what stands in it.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, each value as its exact JSON text.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object; anything else has no members.
    pub(crate) fn read(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Returns the JSON text of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(text, _)| text.0 == name).map(|(_, value)| value.get())
    }

    /// Returns the names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.0.as_ref())
    }

    /// Returns the JSON text at a path such as `portal.name`.
    pub(crate) fn at(&self, path: &str) -> Option<&'a str> {
        let mut names = path.split('.');
        let first = self.get(names.next()?)?;
        names.try_fold(first, |value, name| Members::read(value).get(name))
    }

    /// Returns what a person reads at a path.
    pub(crate) fn cell(&self, path: &str) -> Cow<'a, str> {
        text_of(self.at(path))
    }
}

/// A column by its path, such as `portal.name`.
#[derive(Debug)]
pub(crate) struct Column {
    /// The path of the object that it is a member of, if that is not the record itself.
    parent: Option<String>,
    name: String,
}

impl Column {
    pub(crate) fn at(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((parent, name)) => Self { parent: Some(parent.to_owned()), name: name.to_owned() },
            None => Self { parent: None, name: path.to_owned() },
        }
    }
}

/// The cells of one record. Columns of the same inner object, which stand together, have it read once.
#[derive(Debug)]
pub(crate) struct Cells<'a, 'c> {
    members: Members<'a>,
    inner: Option<(&'c str, Members<'a>)>,
}

impl<'a, 'c> Cells<'a, 'c> {
    /// Reads an object; anything else has no members.
    pub(crate) fn read(json: &'a str) -> Self {
        Self { members: Members::read(json), inner: None }
    }

    /// Returns what a person reads in a column.
    pub(crate) fn cell(&mut self, column: &'c Column) -> Cow<'a, str> {
        let Some(parent) = column.parent.as_deref() else {
            return text_of(self.members.get(&column.name));
        };
        let inner = match self.inner.take() {
            Some((last, inner)) if last == parent => inner,
            _ => self.members.at(parent).map(Members::read).unwrap_or_default(),
        };
        let cell = text_of(inner.get(&column.name));
        self.inner = Some((parent, inner));
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
    use super::Members;

    #[test]
    fn values_are_found_by_their_paths() {
        let json = r#"{"id":"7","n":123456789012345678901234567890.10,"portal":{"na\u006de":"a\nb","x":null},"l":[1]}"#;
        let members = Members::read(json);
        assert_eq!(members.cell("id"), "7");
        assert_eq!(members.cell("n"), "123456789012345678901234567890.10");
        assert_eq!(members.cell("portal.name"), "a\nb");
        assert_eq!(members.cell("portal.x"), "");
        assert_eq!(members.cell("portal.none.deeper"), "");
        assert_eq!(members.cell("l"), "[1]");
        assert_eq!(Members::read("[1]").at("id"), None);
    }
}
