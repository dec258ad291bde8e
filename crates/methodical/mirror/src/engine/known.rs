//! The knowledge of a store about a record, before it is compared.

use crate::fields::hash::Hash;
use crate::fields::text_hash::TextHash;

/// The state of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// It was in the last complete list.
    Present,
    /// It was absent from the last complete list.
    Missing,
    /// It was absent from several complete lists in a row, so that it counts as deleted. Its personal fields are erased.
    Gone,
    /// It was erased on request, and later lists do not bring it back.
    Forgotten,
}

impl State {
    /// Returns the name of the state, as in the column `mirror_state`.
    ///
    /// ```
    /// assert_eq!(methodical_mirror::State::Missing.as_str(), "missing");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Gone => "gone",
            Self::Forgotten => "forgotten",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Present, Self::Missing, Self::Gone, Self::Forgotten]
            .into_iter()
            .find(|state| state.as_str() == name)
    }
}

/// A record that the store knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The number of its row.
    pub(crate) key: i64,
    pub(crate) state: State,
    /// How many complete lists in a row lacked it.
    pub(crate) misses: u32,
    /// The number of the columns that its row was written with.
    pub(crate) shape: i64,
    /// The hash of its meaning; `None` if it is erased.
    pub(crate) hash: Option<Hash>,
    /// The hash of the text that it was written from; `None` also if that is not known.
    pub(crate) text: Option<TextHash>,
}
