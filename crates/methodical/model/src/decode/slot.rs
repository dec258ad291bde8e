//! A field of a record while the record is being deserialized.

#![expect(
    clippy::exhaustive_enums,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use serde::de::{Deserialize, Deserializer, Error, MapAccess};

use crate::decode::lenient::or_blank;
use crate::decode::value::Value;
use crate::extra::Nulls;

/// A field that may occur at most once.
#[derive(Debug)]
pub enum Slot<T> {
    /// Absent so far.
    Empty,
    /// Present as `null`, or as an empty string that stands for an absent value.
    Null,
    /// Present with a value.
    Full(T),
}

impl<T> Slot<T> {
    /// Deserializes the value of a required field.
    #[inline]
    pub fn required<'de, V, A>(&mut self, name: &'static str, map: &mut A) -> Result<(), A::Error>
    where
        V: Value<Ref<'de> = T>,
        A: MapAccess<'de>,
    {
        self.check(name)?;
        *self = Self::Full(map.next_value::<Of<'de, V>>()?.0);
        Ok(())
    }

    /// Deserializes a field that may be `null`.
    #[inline]
    pub fn nullable<'de, V, A>(&mut self, name: &'static str, map: &mut A) -> Result<(), A::Error>
    where
        V: Value<Ref<'de> = T>,
        A: MapAccess<'de>,
    {
        self.check(name)?;
        *self = map.next_value::<Option<Of<'de, V>>>()?.map_or(Self::Null, |of| Self::Full(of.0));
        Ok(())
    }

    /// Deserializes a field that may be `null` or an empty string.
    pub fn blank<'de, V, A>(&mut self, name: &'static str, map: &mut A) -> Result<(), A::Error>
    where
        V: Value<Ref<'de> = T>,
        A: MapAccess<'de>,
    {
        self.check(name)?;
        let value = map.next_value::<Option<OrBlank<'de, V>>>()?.and_then(|value| value.0);
        *self = value.map_or(Self::Null, Self::Full);
        Ok(())
    }

    fn check<E: Error>(&self, name: &'static str) -> Result<(), E> {
        match self {
            Self::Empty => Ok(()),
            Self::Null | Self::Full(_) => Err(E::duplicate_field(name)),
        }
    }

    /// Returns the value of a required field, or an error if the field has no value.
    #[inline]
    pub fn take<E: Error>(self, name: &'static str) -> Result<T, E> {
        self.full().ok_or_else(|| E::missing_field(name))
    }

    /// Returns the value of an optional field and records whether it was `null`.
    #[inline]
    pub fn note(self, member: u32, nulls: &mut Nulls) -> Option<T> {
        if matches!(self, Self::Null) {
            nulls.set(member);
        }
        self.full()
    }

    /// Returns the value, if the field has one.
    #[inline]
    pub fn full(self) -> Option<T> {
        match self {
            Self::Full(value) => Some(value),
            Self::Empty | Self::Null => None,
        }
    }
}

/// Reads a value with serde.
pub(crate) struct Of<'de, V: Value>(pub(crate) V::Ref<'de>);

impl<'de, V: Value> Deserialize<'de> for Of<'de, V> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        V::deserialize(deserializer).map(Self)
    }
}

/// Reads a value, or `None` for an empty string.
struct OrBlank<'de, V: Value>(Option<V::Ref<'de>>);

impl<'de, V: Value> Deserialize<'de> for OrBlank<'de, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        or_blank::<V, D>(deserializer).map(Self)
    }
}
