//! The changes of the feed, in the order of their numbers, and cursors: opaque positions in the feed of one mirror.

pub(crate) mod consumer;
pub(crate) mod deliver;
pub(crate) mod event;
pub(crate) mod exec;
pub(crate) mod sink;
#[cfg(feature = "webhook")]
pub(crate) mod webhook;

use std::fmt;
use std::str::FromStr;

use rusqlite::Row;

use crate::error::{Error, ErrorKind, debug_with};
use crate::fields::hash::hex;
use crate::mirror::{Identity, Mirror};
use crate::store::{OrFailed as _, Store, integer};

/// One change of a record. It has names of fields, and no values but those of a placement: read the record for the others.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The number of the change. Numbers ascend, and none is used twice by the same mirror. A restored mirror is another one.
    pub number: i64,
    /// When the change was found, in seconds since 1970 (UTC). A clock may jump; the numbers do not.
    pub at: i64,
    /// The table of the record.
    pub table: String,
    /// The identity of the record.
    pub id: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The columns that differ, for [`ChangeKind::Changed`], [`ValueChanged`](ChangeKind::ValueChanged) and
    /// [`ValueLearned`](ChangeKind::ValueLearned).
    pub fields: Vec<String>,
    /// The value of a placement before the change; `None` if it was unknown or was erased, and for other records.
    pub previous: Option<String>,
    /// The value of a placement after the change; `None` if it is unknown or was erased, and for other records.
    pub value: Option<String>,
}

// Does not show the values, which belong to the member.
debug_with!(Change: number, at, table, id, kind, fields);

/// The kind of a [`Change`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The record is in the list for the first time.
    Added,
    /// The record has another meaning.
    Changed,
    /// The recovered value of a member in a group differs, or became unknown.
    ValueChanged,
    /// The recovered value of a member in a group was unknown, and is known now. It may be older than the change.
    ValueLearned,
    /// The record is absent from a complete list for the first time.
    Missing,
    /// The record counts as deleted, or was erased on request.
    Gone,
    /// The record was missing or gone, and is in the list again. If it was gone, any of its fields may differ.
    Returned,
}

impl ChangeKind {
    /// Returns the name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::ValueChanged => "value_changed",
            Self::ValueLearned => "value_learned",
            Self::Missing => "missing",
            Self::Gone => "gone",
            Self::Returned => "returned",
        }
    }

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Added,
        Self::Changed,
        Self::ValueChanged,
        Self::ValueLearned,
        Self::Missing,
        Self::Gone,
        Self::Returned,
    ];
}

/// A position in the feed of one mirror: after its last change that was read. Keep its text; the text has no other use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(String);

impl Cursor {
    /// Creates the cursor of a position.
    fn new(mirror: &Identity, position: i64) -> Self {
        let check = mirror.mark("cursor", &[&mirror.id, &position.to_le_bytes()]);
        Self(format!("m1.{}.{position}.{check}", hex(&mirror.id)))
    }

    /// Returns the position in the feed of this mirror.
    pub(crate) fn position(&self, mirror: &Identity) -> Result<i64, Error> {
        let mut parts = self.0.split('.').skip(1);
        if parts.next() != Some(&hex(&mirror.id)) {
            return Err(refused("the cursor belongs to another mirror"));
        }
        let position = parts.next().and_then(|text| text.parse().ok());
        match position {
            // A position has one text: `+41` and `041` are damaged.
            Some(position) if *self == Self::new(mirror, position) => Ok(position),
            _ => Err(refused("the cursor is damaged")),
        }
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.starts_with("m1.") && text.split('.').count() == 4 {
            return Ok(Self(text.to_owned()));
        }
        Err(refused("the text is not a cursor"))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Creates the error of a cursor that cannot be used.
fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Cursor, format!("cannot read the changes: {why}; take a new snapshot"))
}

/// The values of a placement before and after a change.
#[derive(Clone, Copy, Default)]
pub(crate) struct Values<'a> {
    pub(crate) previous: Option<&'a str>,
    pub(crate) value: Option<&'a str>,
}

/// The range of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The last number that was removed; 0 if none was.
    pub(crate) pruned: i64,
    /// The last number that was given.
    pub(crate) last: i64,
}

impl Feed {
    /// Returns a position of the feed from its cursor.
    pub(crate) fn position(self, cursor: &Cursor, mirror: &Identity) -> Result<i64, Error> {
        match cursor.position(mirror)? {
            removed if removed < self.pruned => {
                Err(refused("the changes after the cursor were removed"))
            }
            later if later > self.last => Err(refused("the mirror is older than the cursor")),
            position => Ok(position),
        }
    }
}

impl Store {
    /// Appends a change without fields to the feed.
    pub(crate) fn append(
        &self,
        at: &str,
        table: &str,
        id: &str,
        kind: ChangeKind,
    ) -> Result<(), Error> {
        self.append_with(at, table, id, kind, &[], Values::default())
    }

    /// Appends a change to the feed.
    pub(crate) fn append_with(
        &self,
        at: &str,
        table: &str,
        id: &str,
        kind: ChangeKind,
        fields: &[String],
        values: Values<'_>,
    ) -> Result<(), Error> {
        let fields = (!fields.is_empty()).then(|| serde_json::Value::from(fields).to_string());
        let insert = "INSERT INTO mirror_change (at, table_name, record_id, kind, fields, previous, value) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let row = (at, table, id, kind.as_str(), fields, values.previous, values.value);
        self.execute(insert, row).map(drop)
    }

    /// Returns the range of the feed.
    pub(crate) fn feed(&self) -> Result<Feed, Error> {
        let select = "SELECT pruned, \
                      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'mirror_change'), 0) FROM mirror_meta";
        let feed = |row: &Row<'_>| Ok(Feed { pruned: row.get(0)?, last: row.get(1)? });
        self.connection.query_row(select, (), feed).or_failed()
    }

    /// Returns the changes after this number, at most `limit`.
    pub(crate) fn changes(&self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        let select = format!("{SELECT} WHERE number > ?1 ORDER BY number LIMIT ?2");
        self.query(&select, (after, integer(limit)), read)
    }
}

impl Mirror {
    /// Returns the changes after the cursor, at most `limit`, and the cursor after them. `None` begins with the oldest change
    /// that is kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cursor`] if the cursor belongs to another mirror, its changes were removed, or the mirror was restored from
    /// an older copy.
    pub fn changes(
        &self,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<Change>, Cursor), Error> {
        let store = self.store();
        let feed = store.feed()?;
        let position = match after {
            Some(cursor) => feed.position(cursor, store.identity())?,
            None => feed.pruned,
        };
        let changes = store.changes(position, limit)?;
        let position = changes.last().map_or(position, |change| change.number);
        let cursor = Cursor::new(store.identity(), position);
        Ok((changes, cursor))
    }

    /// Returns the changes before the change with this number, or the last ones, at most `limit`: the latest one first. With
    /// a table and an identity, only those of this record.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print_history(mirror: &Mirror, id: &str) -> Result<(), Error> {
    ///     for change in mirror.latest_changes(Some(("photo", id)), None, 20)? {
    ///         println!("{} {}", change.at, change.kind.as_str());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn latest_changes(
        &self,
        of: Option<(&str, &str)>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        let (before, limit) = (before.unwrap_or(i64::MAX), integer(limit));
        let end = "ORDER BY number DESC LIMIT ?2";
        let store = self.store();
        match of {
            Some((table, id)) => {
                let record = "table_name = ?3 AND record_id = ?4";
                let select = format!("{SELECT} WHERE number < ?1 AND {record} {end}");
                store.query(&select, (before, limit, table, id), read)
            }
            None => {
                store.query(&format!("{SELECT} WHERE number < ?1 {end}"), (before, limit), read)
            }
        }
    }

    /// Returns the cursor after the last change. Take it before a snapshot of the records.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn cursor(&self) -> Result<Cursor, Error> {
        let store = self.store();
        let last = store.feed()?.last;
        Ok(Cursor::new(store.identity(), last))
    }

    /// Returns the cursor after a change of this mirror.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints each change with the cursor from which a reader goes on.
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for change in mirror.changes(None, 100)?.0 {
    ///         println!("{} {} {}", change.kind.as_str(), change.id, mirror.cursor_after(&change));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn cursor_after(&self, change: &Change) -> Cursor {
        Cursor::new(self.store().identity(), change.number)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Change> {
    let fields: Option<String> = row.get(5)?;
    let fields = serde_json::from_str(fields.as_deref().unwrap_or("[]"));
    Ok(Change {
        number: row.get(0)?,
        at: row.get(1)?,
        table: row.get(2)?,
        id: row.get(3)?,
        kind: ChangeKind::from_name(row.get_ref(4)?.as_str()?).unwrap_or(ChangeKind::Changed),
        fields: fields.unwrap_or_default(),
        previous: row.get(6)?,
        value: row.get(7)?,
    })
}

const SELECT: &str = "SELECT number, unixepoch(at), table_name, record_id, kind, fields, previous, value FROM mirror_change";

#[cfg(test)]
mod tests {
    use super::Cursor;
    use crate::fields::hash::Secret;
    use crate::mirror::Identity;

    #[test]
    fn only_a_cursor_of_this_mirror_has_a_position() {
        let secret = Secret::from_bytes([1; 32]);
        let mirror = Identity { id: [7; 16], secret, source: String::new() };
        let cursor = Cursor::new(&mirror, 41);
        assert_eq!(cursor.to_string().parse::<Cursor>().unwrap().position(&mirror).unwrap(), 41);

        let refused = |text: &str, mirror: &Identity| {
            text.parse::<Cursor>()
                .and_then(|cursor| cursor.position(mirror))
                .unwrap_err()
                .to_string()
        };
        let other = Identity { id: [8; 16], ..mirror.clone() };
        assert_eq!(
            refused(&cursor.to_string(), &other),
            "cannot read the changes: the cursor belongs to another mirror; take a new snapshot"
        );
        let with = |position: &str| cursor.to_string().replace(".41.", position);
        for damaged in [with(".42."), with(".+41."), with(".041."), format!("{cursor}0")] {
            assert!(refused(&damaged, &mirror).contains("the cursor is damaged"), "{damaged}");
        }
    }
}
