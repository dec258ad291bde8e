//! Where a member of a record waits until the record is complete.

use serde::Deserialize;
use serde::de::{Error, MapAccess};

use crate::nulls::Nulls;

/// A member that is read at most once.
#[derive(Debug)]
pub(crate) enum Slot<T> {
    /// Not there so far.
    Empty,
    /// There, as `null`.
    Null,
    /// There.
    Full(T),
}

impl<T> Slot<T> {
    /// Reads a member that must have a value.
    #[inline]
    pub(crate) fn required<'de, A: MapAccess<'de>>(
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

    /// Reads a member that may be `null`.
    #[inline]
    pub(crate) fn optional<'de, A: MapAccess<'de>>(
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

    /// Returns the value of a member that must be there.
    #[inline]
    pub(crate) fn take<E: Error>(self, name: &'static str) -> Result<T, E> {
        self.full().ok_or_else(|| E::missing_field(name))
    }

    /// Returns the value of a member that need not be there, and notes whether it was `null`.
    #[inline]
    pub(crate) fn note(self, member: u32, nulls: &mut Nulls) -> Option<T> {
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
