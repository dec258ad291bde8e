//! What `Debug` prints where a person stands.

use core::fmt;

/// Prints that a personal value is there, never the value.
pub(crate) struct Redacted<'a, T>(pub(crate) &'a Option<T>);

impl<T> fmt::Debug for Redacted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Some(<redacted>)" } else { "None" })
    }
}
