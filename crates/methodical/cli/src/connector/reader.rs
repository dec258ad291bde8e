//! Writes a stream of a mirror as messages: first a copy of all records, later only what has changed after a bookmark.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use methodical_mirror::model::tables::{Gauge, Table};
use methodical_mirror::{Cursor, Error, ErrorKind, Filter, Mirror, Paging, State};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::connector::stream::{Property, Row, Stream, deleted_row, row, sample_row, schema};
use crate::failure::Failure;
use crate::mirror::Part;
use crate::mirror::open::unreadable;

/// How far the receiver of a stream has read it. Its JSON is the state of the stream, and private to this program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Bookmark {
    /// The cursor in the feed of the mirror, up to which the receiver has all changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// The hash of the properties that the receiver has. With others, it gets a copy of the table again.
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<String>,
    /// The version of the copy, of `ACTIVATE_VERSION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    /// The time of the last sample, in seconds since 1970 (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
    /// The number of samples that were taken at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

impl Bookmark {
    /// Reads the state of a stream. Returns `None` for `null` and an empty object.
    pub(crate) fn parse(stream: &str, state: &Value) -> Result<Option<Self>, Failure> {
        if state.is_null() || state.as_object().is_some_and(serde_json::Map::is_empty) {
            return Ok(None);
        }
        let foreign = || {
            let text = format!("cannot read the state of `{stream}`: it is not of this program");
            Failure::usage(text).hint(START_OVER)
        };
        // A list would be read as the fields in their order.
        if !state.is_object() {
            return Err(foreign());
        }
        let bookmark = Self::deserialize(state).map_err(|_quotes| foreign())?;
        Ok(Some(bookmark))
    }
}

/// The hint for a state that cannot be used.
pub(crate) const START_OVER: &str = "to start over, remove the state of the stream, and its records from the target; then run again: the first run \
     copies everything";

/// How to read a stream.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The bookmark of the run before.
    pub(crate) after: Option<Bookmark>,
    /// Copy all records, even if only some have changed.
    pub(crate) is_full: bool,
    /// The hash of the properties that the receiver gets.
    pub(crate) layout: String,
    /// The version of a new copy.
    pub(crate) version: Option<i64>,
}

/// A message: one JSON object on a line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
enum Message<'a> {
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
struct Fields<'a> {
    row: &'a Row,
    stream: &'a Stream,
    properties: &'a [&'a Property],
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for (property, cell) in self.stream.properties.iter().zip(self.row) {
            if self.properties.contains(&property) {
                object.serialize_entry(&property.name, cell)?;
            }
        }
        object.end()
    }
}

/// Writes the messages of one stream.
pub(crate) struct Writer<'a, W> {
    pub(crate) out: &'a mut W,
    pub(crate) stream: &'a Stream,
    /// The properties that are selected.
    pub(crate) properties: &'a [&'a Property],
    /// The time of the run.
    pub(crate) extracted: &'a str,
    /// The states of all streams.
    pub(crate) bookmarks: &'a mut BTreeMap<String, Value>,
}

impl<W: Write> Writer<'_, W> {
    /// Writes the schema of the stream, its records and its state.
    pub(crate) fn write_stream(&mut self, mirror: &Mirror, plan: Plan) -> Result<(), Failure> {
        let stream = self.stream;
        let (schema, key_properties) = (schema(self.properties), stream.keys());
        self.write(&Message::Schema { stream: &stream.name, schema, key_properties })?;
        match stream.source {
            Part::Table(table, _) => self.write_table(mirror, table, plan)?,
            Part::Gauge(gauge) => self.write_samples(mirror, gauge, &plan)?,
        }
        Ok(self.out.flush()?)
    }

    fn write_table(
        &mut self,
        mirror: &Mirror,
        table: &'static Table,
        plan: Plan,
    ) -> Result<(), Failure> {
        let mut first =
            Bookmark { layout: Some(plan.layout), version: plan.version, ..Bookmark::default() };
        let Some(mut after) = plan.after.filter(|_| !plan.is_full) else {
            // Changes that are committed meanwhile are after the cursor, so the next run has them.
            first.cursor = Some(mirror.cursor().map_err(unreadable)?.to_string());
            return self.copy(mirror, table, &first, plan.is_full);
        };
        let continues =
            after.layout == first.layout && (first.version.is_none() || after.version.is_some());
        // Also before a copy: it has no deleted records.
        self.write_changes(mirror, table, &mut after)?;
        if continues {
            return Ok(());
        }
        self.copy(mirror, table, &Bookmark { cursor: after.cursor, ..first }, false)
    }

    /// Copies the present records.
    fn copy(
        &mut self,
        mirror: &Mirror,
        table: &Table,
        bookmark: &Bookmark,
        is_full: bool,
    ) -> Result<(), Failure> {
        let present = Filter::new().state(State::Present);
        let mut after = 0;
        loop {
            let paging = Paging::new(PAGE).after(after);
            let page = mirror.browse(table.name(), &present, &paging).map_err(unreadable)?.records;
            let Some(last) = page.last() else { break };
            after = last.number;
            for record in &page {
                let row = row(self.stream, table, record).map_err(|error| damaged(&error))?;
                self.write_row(&row, bookmark.version)?;
            }
        }
        self.complete(bookmark.version)?;
        if is_full { self.write_state() } else { self.bookmark(bookmark) }
    }

    /// Writes the records that have changed after a bookmark, as they are now, and moves it.
    fn write_changes(
        &mut self,
        mirror: &Mirror,
        table: &Table,
        bookmark: &mut Bookmark,
    ) -> Result<(), Failure> {
        let text = bookmark.cursor.clone().unwrap_or_default();
        let mut cursor: Cursor = text.parse().map_err(|error| refused(self.stream, error))?;
        loop {
            let page = mirror.changes(Some(&cursor), PAGE);
            let (page, end) = page.map_err(|error| refused(self.stream, error))?;
            // Several changes of a record are one row.
            let mut seen = HashSet::new();
            let own = page.iter().filter(|change| change.table == table.name());
            for change in own.filter(|change| seen.insert(&change.id)) {
                let row = match mirror.record(table.name(), &change.id).map_err(unreadable)? {
                    Some(record) => row(self.stream, table, &record),
                    // The row of a deleted record was removed.
                    None => deleted_row(self.stream, &change.id, change.at),
                };
                self.write_row(&row.map_err(|error| damaged(&error))?, bookmark.version)?;
            }
            cursor = end;
            bookmark.cursor = Some(cursor.to_string());
            if page.len() < PAGE {
                return self.bookmark(bookmark);
            }
            if !seen.is_empty() {
                self.bookmark(bookmark)?;
            }
        }
    }

    fn write_samples(&mut self, mirror: &Mirror, gauge: Gauge, plan: &Plan) -> Result<(), Failure> {
        let after = plan.after.as_ref().filter(|_| !plan.is_full);
        let since = after.and_then(|one| one.at);
        let known = after.and_then(|one| one.count).unwrap_or_default();
        let version = after.and_then(|one| one.version).or(plan.version);
        let samples =
            mirror.samples(gauge.name(), since.unwrap_or(i64::MIN)).map_err(unreadable)?;
        let (mut at, mut count) = (since, known);
        // Those of the last second that the receiver has are the first ones.
        for sample in samples.iter().skip(known) {
            self.write_row(&sample_row(sample).map_err(|error| damaged(&error))?, version)?;
            count = if at == Some(sample.at) { count + 1 } else { 1 };
            at = Some(sample.at);
        }
        if after.is_none() {
            self.complete(version)?;
        }
        let count = at.map(|_| count);
        let bookmark = Bookmark { version, at, count, ..Bookmark::default() };
        if plan.is_full { self.write_state() } else { self.bookmark(&bookmark) }
    }

    /// Writes a record. `version` is that of the copy that it belongs to.
    fn write_row(&mut self, row: &Row, version: Option<i64>) -> Result<(), Failure> {
        let record = Fields { row, stream: self.stream, properties: self.properties };
        let stream = &self.stream.name;
        self.write(&Message::Record { stream, record, version, time_extracted: self.extracted })
    }

    /// Writes that a copy of all records is complete.
    fn complete(&mut self, version: Option<i64>) -> Result<(), Failure> {
        let Some(version) = version else { return Ok(()) };
        self.write(&Message::ActivateVersion { stream: &self.stream.name, version })
    }

    /// Writes the position after the records so far.
    fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), Failure> {
        let state = serde_json::to_value(bookmark).map_err(io::Error::from)?;
        self.bookmarks.insert(self.stream.name.clone(), state);
        self.write_state()
    }

    fn write_state(&mut self) -> Result<(), Failure> {
        self.write(&Message::State { value: json!({ "bookmarks": &*self.bookmarks }) })?;
        Ok(self.out.flush()?)
    }

    fn write(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut *self.out, message).map_err(io::Error::from)?;
        Ok(self.out.write_all(b"\n")?)
    }
}

/// Returns the failure for a bookmark that the mirror cannot continue.
fn refused(stream: &Stream, error: Error) -> Failure {
    let is_cursor = error.kind() == ErrorKind::Cursor;
    let text = format!("the state of `{}` does not fit", stream.name);
    let failure = Failure::from(error).because(text);
    if is_cursor { failure.hint(START_OVER) } else { failure }
}

fn damaged(error: &serde_json::Error) -> Failure {
    Failure::usage("cannot read a record of the mirror: it is damaged").because(error.to_string())
}

/// Maximum number of records or changes that are read together.
const PAGE: usize = 500;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use methodical_mirror::Mirror;
    use serde_json::{Value, json};

    use super::{Bookmark, Plan, Writer};
    use crate::connector::stream::Stream;
    use crate::connector::tests::{PHOTO, mirror, stable, sync};
    use crate::failure::Failure;

    #[test]
    fn a_state_of_another_program_is_refused() {
        assert_eq!(Bookmark::parse("photo", &json!({})).unwrap(), None);
        let state = json!({"cursor": "m1.a.1.b", "layout": "x"});
        let bookmark = Bookmark::parse("photo", &state).unwrap().unwrap();
        assert_eq!(serde_json::to_value(&bookmark).unwrap(), state);
        for foreign in [json!({"replication_key": "id"}), json!({"cursor": 7}), json!([])] {
            assert!(Bookmark::parse("photo", &foreign).is_err(), "{foreign}");
        }
    }

    fn plan(after: Option<Bookmark>) -> Plan {
        Plan { after, is_full: false, layout: "l".to_owned(), version: None }
    }

    /// Returns the messages of a run, without some properties.
    fn messages(mirror: &Mirror, plan: Plan, excluded: &[&str]) -> Result<Vec<u8>, Failure> {
        let stream = Stream::of_table(&PHOTO);
        let properties = stream.properties.iter().filter(|one| !excluded.contains(&&*one.name));
        let properties: Vec<_> = properties.collect();
        let (mut out, mut bookmarks) = (Vec::new(), BTreeMap::new());
        let extracted = "2026-01-01T00:00:00Z";
        let (stream, properties, bookmarks) = (&stream, &*properties, &mut bookmarks);
        Writer { out: &mut out, stream, properties, extracted, bookmarks }
            .write_stream(mirror, plan)?;
        Ok(out)
    }

    /// Returns the records of a run, and the last bookmark.
    fn run(mirror: &Mirror, plan: Plan) -> (Vec<String>, Option<Bookmark>) {
        let out = messages(mirror, plan, &[]).unwrap();
        let (mut said, mut bookmark) = (Vec::new(), None);
        for line in str::from_utf8(&out).unwrap().lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            let record = &message["record"];
            match message["type"].as_str().unwrap() {
                "RECORD" if record["_sdc_deleted_at"].is_null() => {
                    said.push(format!("is {}", record["id"]));
                }
                "RECORD" => said.push(format!("deleted {}", record["id"])),
                "STATE" => {
                    bookmark =
                        Bookmark::parse("photo", &message["value"]["bookmarks"]["photo"]).unwrap();
                }
                _ => {}
            }
        }
        (said, bookmark)
    }

    fn refusal(mirror: &Mirror, after: Option<Bookmark>) -> String {
        messages(mirror, plan(after), &[]).unwrap_err().text()
    }

    const ONE: &str = r#"{"id":"1","title":"Harbour"}"#;
    const TWO: &str = r#"{"id":"2"}"#;

    #[test]
    fn each_run_continues_where_the_last_one_ended() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let (said, mut bookmark) = run(&mirror, plan(None));
        assert_eq!(said, [r#"is "1""#, r#"is "2""#]);
        for (list, said) in [
            (&[ONE, TWO][..], &[][..]),
            (&[TWO], &[r#"deleted "1""#]),
            (&[TWO], &[r#"deleted "1""#]),
            (&[TWO], &[]),
            (&[ONE, TWO], &[r#"is "1""#]),
        ] {
            sync(&mut mirror, list);
            let next = run(&mirror, plan(bookmark));
            assert_eq!(next.0, said);
            bookmark = next.1;
        }
        mirror.forget("photo", "2").unwrap();
        let (said, _) = run(&mirror, plan(bookmark.clone()));
        assert_eq!(said, [r#"deleted "2""#]);
        // A bookmark can be used again.
        assert_eq!(run(&mirror, plan(bookmark)).0, said);
    }

    #[test]
    fn several_changes_of_a_record_are_one_row() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let (_, bookmark) = run(&mirror, plan(None));
        for list in [&[TWO][..], &[ONE, TWO], &[TWO], &[ONE, TWO]] {
            sync(&mut mirror, list);
        }
        assert_eq!(run(&mirror, plan(bookmark)).0, [r#"is "1""#]);
    }

    #[test]
    fn other_properties_are_copied_again_after_the_changes() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let (_, after) = run(&mirror, plan(None));
        sync(&mut mirror, &[TWO]);
        let other = Plan { layout: "two".to_owned(), ..plan(after) };
        let (said, after) = run(&mirror, other.clone());
        assert_eq!(said, [r#"deleted "1""#, r#"is "2""#]);
        assert_eq!(run(&mirror, Plan { after, ..other }).0, [""; 0]);
    }

    #[test]
    fn a_full_run_copies_the_present_records() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let (_, bookmark) = run(&mirror, plan(None));
        sync(&mut mirror, &[TWO]);
        let full = Plan { is_full: true, ..plan(bookmark) };
        assert_eq!(run(&mirror, full).0, [r#"is "2""#]);
    }

    #[test]
    fn a_cursor_that_cannot_be_continued_is_refused() {
        let mut one = mirror();
        sync(&mut one, &[ONE]);
        let (_, bookmark) = run(&one, plan(None));
        let foreign = refusal(&mirror(), bookmark.clone());
        assert!(
            foreign.contains("belongs to another mirror") && foreign.contains("to start over"),
            "{foreign}"
        );
        sync(&mut one, &[TWO, ONE]);
        one.purge(&methodical_mirror::Purge::new().changes_until(&one.cursor().unwrap())).unwrap();
        assert!(refusal(&one, bookmark).contains("were removed"));
        assert!(refusal(&one, Some(Bookmark::default())).contains("the text is not a cursor"));
    }

    #[test]
    fn the_first_run_is_a_copy_and_the_second_one_has_the_changes() {
        let mut mirror = mirror();
        let first = r#"{"id":"1","title":"Harbour","size":1}"#;
        sync(&mut mirror, &[first, r#"{"id":"2","title":"Lighthouse"}"#]);
        let excluded = [
            "score",
            "open",
            "tags",
            "place_id",
            "place_name",
            "mirror_first_seen",
            "mirror_extra",
        ];
        let copy = messages(&mirror, plan(None), &excluded).unwrap();
        let (_, bookmark) = run(&mirror, plan(None));
        sync(&mut mirror, &[first]);
        let changes = messages(&mirror, plan(bookmark), &excluded).unwrap();
        insta::assert_snapshot!([stable(&copy), stable(&changes)].join("\n"));
    }

    #[test]
    fn a_copy_has_a_version_if_the_target_asks_for_it() {
        let mut mirror = mirror();
        sync(&mut mirror, &[r#"{"id":"1"}"#]);
        let excluded = ["title", "size", "score", "open", "tags", "place_id", "place_name"];
        let seventh = Plan { version: Some(7), ..plan(None) };
        let copy = messages(&mirror, seventh.clone(), &excluded).unwrap();
        let (_, bookmark) = run(&mirror, seventh);
        sync(&mut mirror, &[]);
        // A change belongs to the copy that it changes.
        let eighth = Plan { version: Some(8), ..plan(bookmark) };
        let changes = messages(&mirror, eighth, &excluded).unwrap();
        insta::assert_snapshot!([stable(&copy), stable(&changes)].join("\n"));
    }
}
