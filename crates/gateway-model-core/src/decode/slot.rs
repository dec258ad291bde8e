//! A field of a record while the record is being deserialized.

#![expect(
    clippy::exhaustive_enums,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use serde::Deserialize;
use serde::de::{Error, MapAccess};

use crate::nulls::Nulls;

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
    pub fn required<'de, A: MapAccess<'de>>(
        &mut self,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        self.check(name)?;
        *self = Self::Full(map.next_value()?);
        Ok(())
    }

    /// Deserializes a field that may be `null`.
    #[inline]
    pub fn optional<'de, A: MapAccess<'de>>(
        &mut self,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        self.check(name)?;
        *self = map.next_value::<Option<T>>()?.map_or(Self::Null, Self::Full);
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

    #[inline]
    fn full(self) -> Option<T> {
        match self {
            Self::Full(value) => Some(value),
            Self::Empty | Self::Null => None,
        }
    }
}
