//! A record of a table, as a reader gets it.

use std::fmt;

use crate::engine::known::State;
use crate::error::Error;
use crate::fields::omit;
use crate::store::data::Kept;

/// A record of a table.
///
/// All times are in seconds since 1970 (UTC), by the clock of the program that synced.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The number of the row, in the order of first sight. It begins at 1, and a later row has a larger one.
    pub number: i64,
    /// The identity of the record.
    pub id: String,
    /// The state of the record.
    pub state: State,
    /// When the record was in a list for the first time.
    pub first_seen: i64,
    /// When a list had the record with another meaning for the last time; at first, when it was first seen.
    pub changed_at: i64,
    /// When the first of the complete lists in a row that lack the record was received; `None` if it is present.
    pub missing_since: Option<i64>,
    /// When the record was gone or forgotten; `None` if it is neither.
    pub gone_at: Option<i64>,
    /// The record as JSON text. If it is gone or forgotten, it has no personal and no unlisted fields.
    pub json: String,
}

impl Record {
    /// Creates the record of a row, which is reduced in a mirror that omits personal data.
    pub(crate) fn of(mut kept: Kept, is_reduced: bool) -> Result<Self, Error> {
        if is_reduced {
            omit::remove_hash(&mut kept.row);
        }
        let json = kept.row.to_json(&kept.shape)?;
        let Kept { known, id, times, .. } = kept;
        Ok(Self {
            number: known.key,
            id,
            state: known.state,
            first_seen: times.first_seen,
            changed_at: times.changed_at,
            missing_since: times.missing_since,
            gone_at: times.gone_at,
            json,
        })
    }
}

/// Does not show the record, which may be personal.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("number", &self.number)
            .field("id", &self.id)
            .field("state", &self.state)
            .field("first_seen", &self.first_seen)
            .field("changed_at", &self.changed_at)
            .field("missing_since", &self.missing_since)
            .field("gone_at", &self.gone_at)
            .finish_non_exhaustive()
    }
}
