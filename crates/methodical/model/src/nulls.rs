//! Optional fields: those that were `null` when decoded are serialized as `null`, and personal ones are not shown.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use core::fmt;

use serde::Serialize;
use serde::ser::SerializeMap;

/// One bit for each field of a record, in the order of the spec.
///
/// `null` and an absent field mean the same, so two records that differ only
/// in this are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nulls(u64);

impl Nulls {
    /// Records that this field was `null`.
    #[inline]
    pub fn set(&mut self, member: u32) {
        self.0 |= bit(member);
    }

    /// Serializes an optional field: its value, or `null` if it was `null`, or nothing.
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

/// Fields after the 64th have no bit, so that a `null` there is serialized as absent.
fn bit(member: u32) -> u64 {
    1_u64.checked_shl(member).unwrap_or_default()
}

/// Prints whether a personal field has a value, never the value.
#[expect(clippy::exhaustive_structs, reason = "generated code of the same version uses it")]
pub struct Redacted<'a, T>(pub &'a Option<T>);

impl<T> fmt::Debug for Redacted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(<redacted>)" } else { "None" })
    }
}
