//! The messages of a tap: one JSON object on each line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::connector::bookmark::Bookmark;
use crate::connector::row::Row;
use crate::connector::schema::schema;
use crate::connector::stream::{Property, PropertyKind, Stream};
use crate::connector::stream_reader::Receiver;
use crate::failure::Failure;

/// A message.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Message<'a> {
    Schema {
        stream: &'a str,
        schema: Value,
        key_properties: Vec<&'a str>,
    },
    Record {
        stream: &'a str,
        record: Fields<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<i64>,
        time_extracted: &'a str,
    },
    State {
        value: Value,
    },
    ActivateVersion {
        stream: &'a str,
        version: i64,
    },
}

/// The selected fields of a record.
pub(crate) struct Fields<'a> {
    row: &'a Row,
    stream: &'a Stream,
    excluded: &'a BTreeSet<String>,
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        let is_selected = |one: &Property| !self.excluded.contains(&one.name);
        self.row.write(&self.stream.properties, is_selected, &mut object)?;
        if self.stream.has_deletions() {
            object.serialize_entry(DELETED_AT, &self.row.deleted_at)?;
        }
        object.end()
    }
}

/// Writes the messages of one stream.
pub(crate) struct Writer<'a, W> {
    pub(crate) out: &'a mut W,
    pub(crate) stream: &'a Stream,
    pub(crate) excluded: &'a BTreeSet<String>,
    /// The time of the run.
    pub(crate) extracted: &'a str,
    pub(crate) has_versions: bool,
    /// Whether the state of the stream is written.
    pub(crate) is_bookmarked: bool,
    pub(crate) bookmarks: &'a mut BTreeMap<String, Value>,
}

impl<'a, W: Write> Writer<'a, W> {
    /// Returns the properties that are selected.
    pub(crate) fn properties(&self) -> Vec<&'a Property> {
        let selected = |one: &&Property| !self.excluded.contains(&one.name);
        self.stream.properties.iter().filter(selected).collect()
    }

    /// Returns the schema of the stream.
    pub(crate) fn schema(&self) -> Value {
        let deleted_at = Property::new(DELETED_AT, PropertyKind::Time);
        let mut properties = self.properties();
        properties.extend(self.stream.has_deletions().then_some(&deleted_at));
        schema(&properties)
    }

    pub(crate) fn write(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut *self.out, message).map_err(io::Error::from)?;
        Ok(self.out.write_all(b"\n")?)
    }
}

impl<W: Write> Receiver for Writer<'_, W> {
    fn row(&mut self, row: &Row, version: Option<i64>) -> Result<(), Failure> {
        let record = Fields { row, stream: self.stream, excluded: self.excluded };
        let version = version.filter(|_| self.has_versions);
        let stream = &self.stream.name;
        self.write(&Message::Record { stream, record, version, time_extracted: self.extracted })
    }

    fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), Failure> {
        if self.is_bookmarked {
            let state = serde_json::to_value(bookmark).map_err(io::Error::from)?;
            self.bookmarks.insert(self.stream.name.clone(), state);
        }
        self.write(&Message::State { value: json!({ "bookmarks": &*self.bookmarks }) })?;
        Ok(self.out.flush()?)
    }

    fn complete(&mut self, version: Option<i64>) -> Result<(), Failure> {
        match version.filter(|_| self.has_versions) {
            Some(version) => {
                self.write(&Message::ActivateVersion { stream: &self.stream.name, version })
            }
            None => Ok(()),
        }
    }
}

/// Name of the property with the time of deletion, as targets know it.
pub(crate) const DELETED_AT: &str = "_sdc_deleted_at";

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    use super::{Message, Writer};
    use crate::connector::bookmark::Bookmark;
    use crate::connector::stream::Stream;
    use crate::connector::stream_reader::{Plan, read};
    use crate::connector::testing::{PHOTO, mirror, stable, sync};

    /// Returns the messages of a run, and the state after it.
    fn run(
        mirror: &methodical_mirror::Mirror,
        excluded: &[&str],
        version: Option<i64>,
        bookmarks: &mut BTreeMap<String, Value>,
    ) -> String {
        let stream = Stream::of_table(&PHOTO);
        let excluded: BTreeSet<String> = excluded.iter().map(|&name| name.to_owned()).collect();
        let after = bookmarks.get("photo").map(|state| Bookmark::parse("photo", state).unwrap());
        let mut out = Vec::new();
        let mut writer = Writer {
            out: &mut out,
            stream: &stream,
            excluded: &excluded,
            extracted: "2026-01-01T00:00:00Z",
            has_versions: version.is_some(),
            is_bookmarked: true,
            bookmarks,
        };
        let (schema, key_properties) = (writer.schema(), stream.keys().collect());
        writer.write(&Message::Schema { stream: "photo", schema, key_properties }).unwrap();
        let plan = Plan { after: after.flatten(), is_full: false, layout: "l".to_owned(), version };
        read(mirror, &stream, plan, &mut writer).unwrap();
        stable(&out)
    }

    #[test]
    fn the_first_run_is_a_copy_and_the_second_one_has_the_changes() {
        let mut mirror = mirror();
        let first = r#"{"id":"1","title":"Harbour","size":1}"#;
        sync(&mut mirror, &[first, r#"{"id":"2","title":"Lighthouse"}"#]);
        let mut state = BTreeMap::new();
        let excluded = [
            "score",
            "open",
            "tags",
            "place_id",
            "place_name",
            "mirror_first_seen",
            "mirror_extra",
        ];
        let copy = run(&mirror, &excluded, None, &mut state);
        sync(&mut mirror, &[first]);
        let changes = run(&mirror, &excluded, None, &mut state);
        insta::assert_snapshot!([copy, changes].join("\n"));
    }

    #[test]
    fn a_copy_has_a_version_if_the_target_asks_for_it() {
        let mut mirror = mirror();
        sync(&mut mirror, &[r#"{"id":"1"}"#]);
        let mut state = BTreeMap::new();
        let excluded = ["title", "size", "score", "open", "tags", "place_id", "place_name"];
        let copy = run(&mirror, &excluded, Some(7), &mut state);
        sync(&mut mirror, &[]);
        // A change belongs to the copy that it changes.
        let changes = run(&mirror, &excluded, Some(8), &mut state);
        insta::assert_snapshot!([copy, changes].join("\n"));
    }
}
