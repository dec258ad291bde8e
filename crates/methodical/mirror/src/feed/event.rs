//! Events: changes as they are delivered, with their records.

use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::{Change, Cursor};
use crate::fields::hash::{Hasher, hex};
use crate::mirror::Mirror;
use crate::read::Record;
use crate::store::utc;

/// A change as it is delivered: with an id for deduplication, and with the record as it is now.
///
/// # JSON
///
/// [`to_json`](Self::to_json) returns an object with exactly these fields, in this order. Later releases may add fields and
/// kinds.
///
/// | field | type | contents |
/// |---|---|---|
/// | `id` | string | 32 hexadecimal digits. Each delivery of the change has the same id, and no other change has it. |
/// | `number` | integer | the number of the change. Numbers ascend in one mirror, with gaps. |
/// | `at` | string | when the change was found, as RFC 3339 in UTC: `2026-11-02T06:00:00Z` |
/// | `table` | string | the table of the record |
/// | `record_id` | string | the identity of the record |
/// | `kind` | string | `added`, `changed`, `value_changed`, `value_learned`, `missing`, `gone` or `returned`: see [`ChangeKind`](crate::ChangeKind) |
/// | `fields` | array of strings | the columns that differ, for `changed`, `value_changed` and `value_learned`; otherwise empty |
/// | `previous` | string or null | the value of a placement before the change; `null` if it was unknown or was erased, and for other records |
/// | `value` | string or null | the value of a placement after the change; `null` in the same cases |
/// | `record` | object or null | the record at the time of delivery; `null` if it is gone or forgotten |
///
/// ```
/// use methodical_mirror::model::tables::{Column, Table};
/// use methodical_mirror::{Mirror, Rules};
///
/// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// let mut mirror = Mirror::in_memory()?;
/// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new().emit_baseline())?;
/// run.record(r#"{"id":"1","title":"Harbour"}"#)?;
/// run.finish()?;
///
/// let (events, _cursor) = mirror.events(None, 100)?;
/// let json = events[0].to_json()?;
/// assert!(json.contains(r#""kind":"added","fields":[],"previous":null,"value":null,"record":{"id":"1","title":"Harbour"}"#));
/// # Ok::<(), methodical_mirror::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The id for deduplication.
    pub id: String,
    /// The change.
    pub change: Change,
    /// The record at the time of delivery, as JSON text; `None` if it is gone or forgotten.
    pub record: Option<String>,
}

impl Event {
    /// Returns the event as JSON text, without a line break.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Store`] if the mirror has damaged JSON.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(ErrorKind::Store, "cannot write an event: its record is damaged")
                .because(error)
        })
    }
}

impl Mirror {
    /// Returns the events of the changes after the cursor, at most `limit`, and the cursor after them, as
    /// [`changes`](Self::changes) does.
    ///
    /// # Errors
    ///
    /// Those of [`changes`](Self::changes).
    pub fn events(
        &self,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<Event>, Cursor), Error> {
        let (changes, cursor) = self.changes(after, limit)?;
        let events = changes.into_iter().map(|change| self.event(change));
        Ok((events.collect::<Result<_, _>>()?, cursor))
    }

    /// Creates the event of a change, from the record as it is now.
    pub(crate) fn event(&self, change: Change) -> Result<Event, Error> {
        let mut store = self.store();
        let stored = store.record(&change.table, &change.id)?;
        let stored = stored.filter(|stored| stored.known.state.is_live());
        let is_reduced = store.omits_personal()?;
        let record = stored.map(|stored| Record::new(stored, is_reduced)).transpose()?;
        // The number is not enough: a mirror that was restored from a copy gives numbers again.
        let id = Hasher::new(&store.identity().secret, "event").hash(&[
            &change.number.to_le_bytes(),
            &change.at.to_le_bytes(),
            change.table.as_bytes(),
            change.id.as_bytes(),
            change.kind.as_str().as_bytes(),
        ]);
        let id = hex(&id.to_bytes());
        Ok(Event { id, change, record: record.map(|record| record.json) })
    }
}

/// Has the fields of the [JSON](#json). The record keeps its text in JSON of `serde_json` only.
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
