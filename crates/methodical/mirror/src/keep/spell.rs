//! A spell: the time in which a placement had one value.

use std::fmt;

/// The time in which a placement had one value.
///
/// All times are in seconds since 1970 (UTC), by the clock of the program that synced: those of the recoveries that noticed
/// the begin and the end.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spell {
    /// The number of the spell. A spell that was noticed later has a larger one.
    pub number: i64,
    /// The identity of the placement.
    pub id: String,
    /// The identity of the group.
    pub group: String,
    /// The identity of the member.
    pub member: String,
    /// The value; `None` while it was unknown.
    pub value: Option<String>,
    /// When a recovery found the value for the first time.
    pub began_at: i64,
    /// When a recovery first found another value, or no placement. `None` if the placement has the value.
    pub ended_at: Option<i64>,
    /// Whether the value may be much older than [`began_at`](Self::began_at): the first recovery of the table found it, or
    /// it follows an unknown value. Leave such a spell out of an average.
    pub began_before: bool,
}

/// Does not show the value, which belongs to the member.
impl fmt::Debug for Spell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spell")
            .field("number", &self.number)
            .field("id", &self.id)
            .field("began_at", &self.began_at)
            .field("ended_at", &self.ended_at)
            .field("began_before", &self.began_before)
            .finish_non_exhaustive()
    }
}

/// Which spells to read. The default is all of them. All conditions of a filter must hold.
///
/// ```
/// use methodical_mirror::SpellFilter;
///
/// // The values that the members of album 7 had in the first week of November 2026.
/// let filter = SpellFilter::new().group("7").from(1_793_491_200).before(1_794_096_000);
/// # assert_ne!(filter, SpellFilter::new());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SpellFilter {
    pub(crate) id: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) member: Option<String>,
    pub(crate) from: Option<i64>,
    pub(crate) before: Option<i64>,
}

impl SpellFilter {
    /// Creates a filter that accepts every spell.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts the spells of the placement with this identity.
    pub fn record(self, id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..self }
    }

    /// Accepts the spells of the group with this identity.
    pub fn group(self, id: &str) -> Self {
        Self { group: Some(id.to_owned()), ..self }
    }

    /// Accepts the spells of the member with this identity.
    pub fn member(self, id: &str) -> Self {
        Self { member: Some(id.to_owned()), ..self }
    }

    /// Accepts spells that last, or ended after this time, in seconds since 1970 (UTC).
    pub fn from(self, seconds: i64) -> Self {
        Self { from: Some(seconds), ..self }
    }

    /// Accepts spells that began before this time, in seconds since 1970 (UTC).
    pub fn before(self, seconds: i64) -> Self {
        Self { before: Some(seconds), ..self }
    }
}
