//! Fields that the contract does not list, which are kept, readable and written back. For listed fields, this module
//! records which were decoded as `null`, so that they are serialized as `null`, and hides personal values in `Debug`.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

use serde::de::{self, MapAccess};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::DecodeError;
use crate::decode::shape::Object;
use crate::decode::{self, depth, members};

/// The fields of a record that the contract does not list.
///
/// Each field is kept or borrowed as JSON text, so that a number of any size is written back unchanged. `Debug` shows
/// only how many fields there are, because they may be personal data.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
///
/// let photo: Photo = serde_json::from_str(r#"{"id":"1","open":true,"seats":3}"#)?;
/// assert_eq!(photo.extra().raw("open"), Some("true"));
/// assert_eq!(photo.extra().get::<u8>("seats")?, Some(3));
/// assert_eq!(serde_json::to_string(&photo)?, r#"{"id":"1","open":true,"seats":3}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Extra<'a> {
    /// The JSON text from the first to the last unlisted field, such as `"a":1, "b":[2]`.
    text: Cow<'a, str>,
    /// The listed fields, which may occur within `text` and are skipped there.
    listed: Option<&'static Object>,
}

impl Extra<'_> {
    /// Returns the number of unlisted fields.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns whether the record has no unlisted fields.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the name and the JSON text of each field, in the order of the response.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// # let photo: Photo = serde_json::from_str(r#"{"id":"1","a":[1],"b":"x"}"#)?;
    /// let members: Vec<_> = photo.extra().iter().collect();
    /// assert_eq!(members, [("a".into(), "[1]"), ("b".into(), r#""x""#)]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        let listed = self.listed.map_or(&[][..], |object| object.members);
        members::iter(&self.text)
            .filter(|(name, _)| !listed.iter().any(|member| member.name == name))
    }

    /// Returns the JSON text of the field `name`. If the name occurs several times, the last field wins.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// # let photo: Photo = serde_json::from_str(r#"{"id":"1","a":1e400}"#)?;
    /// assert_eq!(photo.extra().raw("a"), Some("1e400"));
    /// assert_eq!(photo.extra().raw("b"), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.iter().filter(|(member, _)| member == name).map(|(_, value)| value).last()
    }

    /// Deserializes the field `name` into `T`. Returns `None` if the field is absent.
    ///
    /// # Errors
    ///
    /// Fails if the field cannot be deserialized into `T`.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// # let photo: Photo = serde_json::from_str(r#"{"id":"1","tags":["a","b"]}"#)?;
    /// assert_eq!(photo.extra().get::<Vec<&str>>("tags")?, Some(vec!["a", "b"]));
    /// assert!(photo.extra().get::<u64>("tags").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Result<Option<T>, DecodeError> {
        self.raw(name).map(|raw| decode::foreign(raw, "*")).transpose()
    }

    /// Copies the borrowed fields into an owned value.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// # use methodical_model::Extra;
    /// # let text = String::from(r#"{"id":"1","a":1}"#);
    /// let photo: PhotoRef<'_> = serde_json::from_str(&text)?;
    /// let extra: Extra<'static> = photo.extra().clone().into_owned();
    /// # drop(text);
    /// assert_eq!(extra.raw("a"), Some("1"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn into_owned(self) -> Extra<'static> {
        Extra {
            text: match self.text {
                Cow::Borrowed("") => Cow::Borrowed(""),
                text => Cow::Owned(text.into_owned()),
            },
            listed: self.listed,
        }
    }

    /// Appends a field. `name` is a JSON string, and `value` is JSON text without surrounding whitespace.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        let text = self.text.to_mut();
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(name);
        text.push(':');
        text.push_str(value);
    }
}

/// Serializes every unlisted field into a record's map.
pub fn write<M: SerializeMap>(extra: &Extra<'_>, map: &mut M) -> Result<(), M::Error> {
    for (name, value) in extra.iter() {
        let value: &RawValue = serde_json::from_str(value).map_err(M::Error::custom)?;
        map.serialize_entry(&*name, value)?;
    }
    Ok(())
}

/// Reads the value of an unlisted field from serde.
pub fn read<'de, A: MapAccess<'de>>(
    extra: &mut Extra<'_>,
    name: &str,
    map: &mut A,
) -> Result<(), A::Error> {
    let value: Box<RawValue> = map.next_value()?;
    if depth::exceeded(value.get()) {
        return Err(<A::Error as de::Error>::custom(depth::MESSAGE));
    }
    let name = serde_json::to_string(name).map_err(<A::Error as de::Error>::custom)?;
    extra.push(&name, value.get());
    Ok(())
}

/// Borrows unlisted fields from JSON text, which may also contain fields of `listed`.
#[inline]
pub fn within<'a>(text: &'a str, listed: &'static Object) -> Extra<'a> {
    Extra { text: Cow::Borrowed(text), listed: Some(listed) }
}

impl PartialEq for Extra<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Extra<'_> {}

impl Hash for Extra<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for member in self.iter() {
            member.hash(state);
        }
    }
}

impl fmt::Debug for Extra<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extra(<{} fields>)", self.len())
    }
}

/// The fields of a record that were `null`: one bit for each field, in the order of the spec.
///
/// `null` means the same as an absent field, so two records that differ only in these bits are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nulls(u64);

impl Nulls {
    /// Records that field number `member` was `null`.
    #[inline]
    pub fn set(&mut self, member: u32) {
        self.0 |= bit(member);
    }

    /// Serializes field number `member` under `name`: its value if it has one, `null` if it was `null`, and nothing if
    /// it was absent.
    pub fn write<M: SerializeMap, T: Serialize + ?Sized>(
        self,
        map: &mut M,
        member: u32,
        name: &'static str,
        value: Option<&T>,
    ) -> Result<(), M::Error> {
        match value {
            Some(value) => map.serialize_entry(name, value),
            None if self.0 & bit(member) != 0 => map.serialize_entry(name, &()),
            None => Ok(()),
        }
    }
}

impl PartialEq for Nulls {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Nulls {}

/// Returns the bit of a field. Fields after the 64th have no bit, so their `null` is not serialized.
fn bit(member: u32) -> u64 {
    1_u64.checked_shl(member).unwrap_or_default()
}

/// Prints whether a personal field has a value, but never the value.
#[expect(clippy::exhaustive_structs, reason = "generated code of the same version uses it")]
pub struct Redacted<'a, T>(pub &'a Option<T>);

impl<T> fmt::Debug for Redacted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(<redacted>)" } else { "None" })
    }
}
