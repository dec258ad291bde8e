//! `Debug` output for personal fields.

#![expect(clippy::exhaustive_structs, reason = "generated code of the same version uses it")]

use core::fmt;

/// Prints whether a personal field has a value, never the value.
pub struct Redacted<'a, T>(pub &'a Option<T>);

impl<T> fmt::Debug for Redacted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(<redacted>)" } else { "None" })
    }
}
