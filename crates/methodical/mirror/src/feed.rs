//! The feed: changes ordered by number, the events created from them for delivery, and cursors, which are opaque
//! positions in the feed of one mirror.

pub(crate) mod deliver;
pub(crate) mod sink;
#[cfg(feature = "webhook")]
pub(crate) mod webhook;

use std::fmt;
use std::str::FromStr;

use rusqlite::Row;
use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, debug_with, named};
use crate::fields::{Hasher, hex};
use crate::mirror::{Identity, Mirror};
use crate::store::rows::Stored;
use crate::store::{OrFailed as _, Store, integer, utc};

/// One change of a record, with the names of its changed fields. It contains no values except those of placements.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The change's number. Numbers ascend, and a mirror never uses one twice. A restored mirror counts as another.
    pub number: i64,
    /// When the change was found, in seconds since 1970 (UTC). Order by number instead, because a clock may jump.
    pub at: i64,
    /// The name of the record's table.
    pub table: String,
    /// The record's identity.
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

/// What happened in a [`Change`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The record appeared in the list for the first time.
    Added,
    /// The record's meaning changed.
    Changed,
    /// The recovered value of a member in a group changed, or became unknown.
    ValueChanged,
    /// The recovered value of a member in a group became known. The value itself may be older than this change.
    ValueLearned,
    /// The record was present but is absent from a complete list.
    Missing,
    /// The record counts as deleted, or was erased on request.
    Gone,
    /// The record was missing or gone and is back in the list. If it was gone, any of its fields may differ.
    Returned,
}

named!(
    ChangeKind: Added = "added", Changed = "changed", ValueChanged = "value_changed", ValueLearned = "value_learned",
    Missing = "missing", Gone = "gone", Returned = "returned"
);

/// A position in one mirror's feed: after the last change read. Store it as text, and treat the text as opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor(String);

impl Cursor {
    fn new(mirror: &Identity, position: i64) -> Self {
        let check = mirror.mark("cursor", &[&mirror.id, &position.to_le_bytes()]);
        Self(format!("m1.{}.{position}.{check}", hex(&mirror.id)))
    }

    /// Returns the position in the feed. Fails if the cursor is damaged or belongs to another mirror.
    pub(crate) fn position(&self, mirror: &Identity) -> Result<i64, Error> {
        let mut parts = self.0.split('.').skip(1);
        if parts.next() != Some(&hex(&mirror.id)) {
            return Err(refused(
                "the cursor belongs to another mirror, or to this one before it was restored",
            ));
        }
        let position = parts.next().and_then(|text| text.parse().ok());
        match position {
            // A position has only one notation: `+41` and `041` are invalid.
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
        let text = "cannot read the changes: the text is not a cursor; pass one of the feed";
        Err(Error::new(ErrorKind::Cursor, text))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Cursor, format!("cannot read the changes: {why}; take a new snapshot"))
}

/// The fields that a change affected, and a placement's value before and after the change.
#[derive(Clone, Copy, Default)]
pub(crate) struct Difference<'a> {
    pub(crate) fields: &'a [String],
    pub(crate) previous: Option<&'a str>,
    pub(crate) value: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The highest number of a removed change, or 0.
    pub(crate) pruned: i64,
    /// The highest number that was ever used, or 0.
    pub(crate) last: i64,
}

impl Feed {
    pub(crate) fn position(self, cursor: &Cursor, mirror: &Identity) -> Result<i64, Error> {
        let position = cursor.position(mirror)?;
        self.check(position, "the cursor").map_err(|why| refused(&why))?;
        Ok(position)
    }

    /// Fails if the feed cannot continue after a position. The returned reason calls the position `name`.
    pub(crate) fn check(self, position: i64, name: &str) -> Result<(), String> {
        match position {
            removed if removed < self.pruned => {
                Err(format!("the changes after {name} were removed"))
            }
            later if later > self.last => Err(format!("the mirror is older than {name}")),
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Appends a change to the feed.
    pub(crate) fn append(
        &self,
        at: &str,
        table: &str,
        id: &str,
        kind: ChangeKind,
        Difference { fields, previous, value }: Difference<'_>,
    ) -> Result<(), Error> {
        let fields = (!fields.is_empty()).then(|| serde_json::Value::from(fields).to_string());
        let insert = "INSERT INTO mirror_change (at, table_name, record_id, kind, fields, previous, value) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let row = (at, table, id, kind.as_str(), fields, previous, value);
        self.execute(insert, row).map(drop)
    }

    pub(crate) fn feed(&self) -> Result<Feed, Error> {
        let select = "SELECT pruned, \
                      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'mirror_change'), 0) FROM mirror_meta";
        let feed = |row: &Row<'_>| Ok(Feed { pruned: row.get(0)?, last: row.get(1)? });
        self.connection.query_row(select, (), feed).or_failed()
    }

    pub(crate) fn changes(&self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        let select = format!("{SELECT} WHERE number > ?1 ORDER BY number LIMIT ?2");
        self.query(&select, (after, integer(limit)), read)
    }
}

impl Mirror {
    /// Returns up to `limit` changes after the cursor, and the next cursor. With `None`, starts at the oldest kept change.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Cursor`] if the cursor belongs to another mirror, if its changes were removed, or if the
    /// mirror was restored from an older copy.
    pub fn changes(
        &self,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<Change>, Cursor), Error> {
        let store = self.store();
        let feed = store.feed()?;
        let position = match after {
            Some(cursor) => feed.position(cursor, &store.identity)?,
            None => feed.pruned,
        };
        let changes = store.changes(position, limit)?;
        let position = changes.last().map_or(position, |change| change.number);
        Ok((changes, Cursor::new(&store.identity, position)))
    }

    /// Returns up to `limit` changes, latest first. With `before`, starts before the change with that number. With
    /// `of`, a table and an identity, returns only the changes of that record.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
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
        let (table, id) = of.unzip();
        let record = if of.is_some() { "table_name = ?3 AND record_id = ?4" } else { "?3 IS ?4" };
        let select =
            format!("{SELECT} WHERE number < ?1 AND {record} ORDER BY number DESC LIMIT ?2");
        let before = before.unwrap_or(i64::MAX);
        self.store().query(&select, (before, integer(limit), table, id), read)
    }

    /// Returns the cursor after the last change. Call this before you read a snapshot of the records.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn cursor(&self) -> Result<Cursor, Error> {
        let store = self.store();
        Ok(Cursor::new(&store.identity, store.feed()?.last))
    }

    /// Returns the cursor after a change of this mirror.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints each change with the cursor from which a reader continues.
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for change in mirror.changes(None, 100)?.0 {
    ///         println!("{} {} {}", change.kind.as_str(), change.id, mirror.cursor_after(&change));
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn cursor_after(&self, change: &Change) -> Cursor {
        Cursor::new(&self.store().identity, change.number)
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

/// A change prepared for delivery, with the current record and an id that lets a receiver recognize duplicates.
///
/// # JSON
///
/// [`to_json`](Self::to_json) returns an object with exactly these fields, in this order. Later releases may add fields
/// and kinds.
///
/// | field | type | contents |
/// |---|---|---|
/// | `id` | string | 32 hexadecimal digits. Each delivery of the change has the same id, and no other change has it. |
/// | `number` | integer | the number of the change. Numbers ascend in one mirror, with gaps. |
/// | `at` | string | when the change was found, as RFC 3339 in UTC, such as `2026-11-02T06:00:00Z` |
/// | `table` | string | the name of the record's table |
/// | `record_id` | string | the identity of the record |
/// | `kind` | string | `added`, `changed`, `value_changed`, `value_learned`, `missing`, `gone` or `returned`: see [`ChangeKind`](crate::ChangeKind) |
/// | `fields` | array of strings | the columns that differ, for `changed`, `value_changed` and `value_learned`; otherwise empty |
/// | `previous` | string or null | the value of a placement before the change; `null` if it was unknown or was erased, and for other records |
/// | `value` | string or null | the value of a placement after the change; `null` in the same cases |
/// | `record` | object or null | the record at the time of delivery; `null` if it is gone or forgotten |
///
/// ```
/// use methodical_mirror::{Error, Mirror};
///
/// /// Prints a line such as
/// /// `{"id":"…","number":7,"at":"…","table":"photo","record_id":"1","kind":"added","fields":[],"previous":null,…}`.
/// fn print(mirror: &Mirror) -> Result<(), Error> {
///     for event in mirror.events(None, 100)?.0 {
///         println!("{}", event.to_json()?);
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The id that lets a receiver recognize duplicates.
    pub id: String,
    /// The change that the event delivers.
    pub change: Change,
    /// The record at the time of delivery, as JSON text; `None` if it is gone or forgotten.
    pub record: Option<String>,
}

impl Event {
    /// Returns the event as JSON text, without a line break.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Store`] if the mirror has damaged JSON.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(ErrorKind::Store, "cannot write an event: its record is damaged")
                .because(error)
        })
    }
}

impl Mirror {
    /// Returns the events of up to `limit` changes after the cursor, and the cursor after them, as
    /// [`changes`](Self::changes) does.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`changes`](Self::changes).
    pub fn events(
        &self,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<Event>, Cursor), Error> {
        let (changes, cursor) = self.changes(after, limit)?;
        let events = changes.into_iter().map(|change| self.event(change));
        Ok((events.collect::<Result<_, _>>()?, cursor))
    }

    /// Creates the event for a change, from the record as it is now.
    pub(crate) fn event(&self, change: Change) -> Result<Event, Error> {
        let store = self.store();
        let stored = store.record(&change.table, &change.id)?;
        let stored = stored.filter(|stored| stored.record.state.is_live());
        let record = stored.map(Stored::into_record).transpose()?;
        // The number alone is not enough, because a mirror restored from a backup reuses numbers.
        let id = Hasher::new(&store.identity.secret, "event").hash(&[
            &change.number.to_le_bytes(),
            &change.at.to_le_bytes(),
            change.table.as_bytes(),
            change.id.as_bytes(),
            change.kind.as_str().as_bytes(),
        ]);
        Ok(Event { id: hex(&id.0), change, record: record.map(|record| record.json) })
    }
}

/// Serializes the fields listed under [JSON](#json). Only `serde_json` keeps the text of the record.
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.record.as_deref().map(serde_json::from_str::<&RawValue>).transpose();
        let mut event = serializer.serialize_struct("Event", 10)?;
        event.serialize_field("id", &self.id)?;
        event.serialize_field("number", &self.change.number)?;
        event.serialize_field("at", &utc(self.change.at))?;
        event.serialize_field("table", &self.change.table)?;
        event.serialize_field("record_id", &self.change.id)?;
        event.serialize_field("kind", self.change.kind.as_str())?;
        event.serialize_field("fields", &self.change.fields)?;
        event.serialize_field("previous", &self.change.previous)?;
        event.serialize_field("value", &self.change.value)?;
        event.serialize_field("record", &record.map_err(S::Error::custom)?)?;
        event.end()
    }
}

// Does not show the record, which may be personal.
debug_with!(Event: id, change);

#[cfg(test)]
mod tests {
    use super::Cursor;
    use crate::fields::Secret;
    use crate::mirror::Identity;

    #[test]
    fn only_a_cursor_of_this_mirror_has_a_position() {
        let secret = Secret([1; 32]);
        let mirror = Identity { id: [7; 16], secret, source: String::new() };
        let cursor = Cursor::new(&mirror, 41);
        assert_eq!(cursor.to_string().parse::<Cursor>().unwrap().position(&mirror).unwrap(), 41);

        let refused = |text: &str, mirror: &Identity| {
            let position = text.parse::<Cursor>().and_then(|cursor| cursor.position(mirror));
            position.unwrap_err().to_string()
        };
        let other = Identity { id: [8; 16], ..mirror.clone() };
        let says = "cannot read the changes: the cursor belongs to another mirror, or to this one before it was \
                    restored; take a new snapshot";
        assert_eq!(refused(&cursor.to_string(), &other), says);
        let with = |position: &str| cursor.to_string().replace(".41.", position);
        for damaged in [with(".42."), with(".+41."), with(".041."), format!("{cursor}0")] {
            assert!(refused(&damaged, &mirror).contains("the cursor is damaged"), "{damaged}");
        }
    }
}
