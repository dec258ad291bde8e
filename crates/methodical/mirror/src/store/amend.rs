//! Corrections of the bookkeeping of a row.

use crate::fields::hash::Hash;

/// A correction of one column of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amendment {
    Hash(Hash),
    /// In seconds since 1970.
    ChangedAt(i64),
}
