//! A field of a record while the record is being deserialized.

#![expect(
    clippy::exhaustive_enums,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use core::fmt;
use core::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::decode::lenient::or_blank;
use crate::decode::value::Value;
use crate::extra::Nulls;

/// A field that may occur at most once.
#[derive(Debug)]
pub enum Slot<T> {
    /// Absent so far.
    Empty,
    /// Present, as `null`.
    Null,
    /// Present with a value.
    Full(T),
}

impl<T> Slot<T> {
    /// Deserializes a field that must have a value.
    #[inline]
    pub fn required<'de, V, A>(&mut self, name: &'static str, map: &mut A) -> Result<(), A::Error>
    where
        V: Value<Ref<'de> = T>,
        A: MapAccess<'de>,
    {
        self.check(name)?;
        *self = Self::Full(map.next_value_seed(Required::<V>(PhantomData))?);
        Ok(())
    }

    /// Deserializes a field that may be `null`, or an empty text if that is allowed.
    #[inline]
    pub fn nullable<'de, V, A, const OR_BLANK: bool>(
        &mut self,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error>
    where
        V: Value<Ref<'de> = T>,
        A: MapAccess<'de>,
    {
        self.check(name)?;
        let value = map.next_value_seed(Nullable::<V, OR_BLANK>(PhantomData))?;
        *self = value.map_or(Self::Null, Self::Full);
        Ok(())
    }

    fn check<E: Error>(&self, name: &'static str) -> Result<(), E> {
        match self {
            Self::Empty => Ok(()),
            Self::Null | Self::Full(_) => Err(E::duplicate_field(name)),
        }
    }

    /// Returns the value of a required field.
    #[inline]
    pub fn take<E: Error>(self, name: &'static str) -> Result<T, E> {
        self.full().ok_or_else(|| E::missing_field(name))
    }

    /// Returns the value of an optional field, and records whether it was `null`.
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

/// A value that must not be `null`.
#[derive(Debug)]
pub(crate) struct Required<V>(pub(crate) PhantomData<V>);

impl<'de, V: Value> DeserializeSeed<'de> for Required<V> {
    type Value = V::Ref<'de>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        V::deserialize(deserializer)
    }
}

/// A value, or `null`, or an empty text if that is allowed.
struct Nullable<V, const OR_BLANK: bool>(PhantomData<V>);

impl<'de, V: Value, const OR_BLANK: bool> DeserializeSeed<'de> for Nullable<V, OR_BLANK> {
    type Value = Option<V::Ref<'de>>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, V: Value, const OR_BLANK: bool> Visitor<'de> for Nullable<V, OR_BLANK> {
    type Value = Option<V::Ref<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if OR_BLANK {
            or_blank::<V, D>(deserializer)
        } else {
            V::deserialize(deserializer).map(Some)
        }
    }
}
