//! Writes a stream of a mirror as messages: first a copy of all records, later only what has changed after a bookmark.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use methodical_mirror::model::tables::{Gauge, Table};
use methodical_mirror::{Cursor, Error, ErrorKind, Filter, Mirror, Paging, State};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::connector::stream::{
    Row, Selected, Stream, deleted_row, layout, row, sample_row, schema,
};
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
struct Fields<'a>(&'a Row, &'a Selected<'a>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(row, Selected { stream, properties, .. }) = self;
        let fields = stream.properties.iter().zip(*row);
        let fields = fields.filter(|(property, _)| properties.contains(property));
        serializer.collect_map(fields.map(|(property, cell)| (&property.name, cell)))
    }
}

/// Writes the messages of streams.
pub(crate) struct Writer<'a, W> {
    pub(crate) out: W,
    pub(crate) mirror: &'a Mirror,
    /// The states of all streams.
    pub(crate) bookmarks: BTreeMap<String, Value>,
    /// The time of the run.
    pub(crate) extracted: String,
    /// The version of new copies, if the target wants one.
    pub(crate) version: Option<i64>,
}

impl<W: Write> Writer<'_, W> {
    /// Writes the schema of a stream, its records after its bookmark, and its state.
    pub(crate) fn write_stream(&mut self, one: &Selected<'_>) -> Result<(), Failure> {
        let name = &one.stream.name;
        let after = self.bookmarks.get(name).filter(|_| !one.is_full);
        let after = after.map(|state| Bookmark::parse(name, state)).transpose()?.flatten();
        let (schema, key_properties) = (schema(&one.properties), one.stream.keys());
        self.write(&Message::Schema { stream: name, schema, key_properties })?;
        match one.stream.source {
            Part::Table(table, _) => self.write_table(one, table, after)?,
            Part::Gauge(gauge) => self.write_samples(one, gauge, after)?,
        }
        Ok(self.out.flush()?)
    }

    fn write_table(
        &mut self,
        one: &Selected<'_>,
        table: &'static Table,
        after: Option<Bookmark>,
    ) -> Result<(), Failure> {
        let layout =
            Some(layout(&one.properties, self.mirror.omits_personal().map_err(unreadable)?));
        let mut first = Bookmark { layout, version: self.version, ..Bookmark::default() };
        if let Some(mut after) = after {
            let continues = after.layout == first.layout
                && (first.version.is_none() || after.version.is_some());
            // Also before a copy: it has no deleted records.
            self.write_changes(one, table, &mut after)?;
            if continues {
                return Ok(());
            }
            first.cursor = after.cursor;
        } else {
            // Changes that are committed meanwhile are after the cursor, so the next run has them.
            first.cursor = Some(self.mirror.cursor().map_err(unreadable)?.to_string());
        }
        self.copy(one, table, &first)
    }

    /// Copies the present records.
    fn copy(
        &mut self,
        one: &Selected<'_>,
        table: &Table,
        bookmark: &Bookmark,
    ) -> Result<(), Failure> {
        let present = Filter::new().state(State::Present);
        let mut after = 0;
        loop {
            let paging = Paging::new(PAGE).after(after);
            let page =
                self.mirror.browse(table.name(), &present, &paging).map_err(unreadable)?.records;
            let Some(last) = page.last() else { break };
            after = last.number;
            for record in &page {
                self.write_row(one, row(one.stream, table, record), bookmark.version)?;
            }
        }
        self.complete(one, bookmark.version)?;
        self.bookmark(one, bookmark)
    }

    /// Writes the records that have changed after a bookmark, as they are now, and moves it.
    fn write_changes(
        &mut self,
        one: &Selected<'_>,
        table: &Table,
        bookmark: &mut Bookmark,
    ) -> Result<(), Failure> {
        let text = bookmark.cursor.clone().unwrap_or_default();
        let mut cursor: Cursor = text.parse().map_err(|error| refused(one.stream, error))?;
        loop {
            let page = self.mirror.changes(Some(&cursor), PAGE);
            let (page, end) = page.map_err(|error| refused(one.stream, error))?;
            // Several changes of a record are one row.
            let mut seen = HashSet::new();
            let own = page.iter().filter(|change| change.table == table.name());
            for change in own.filter(|change| seen.insert(&change.id)) {
                let record = self.mirror.record(table.name(), &change.id).map_err(unreadable)?;
                let row = match record {
                    Some(record) => row(one.stream, table, &record),
                    // The row of a deleted record was removed.
                    None => deleted_row(one.stream, &change.id, change.at),
                };
                self.write_row(one, row, bookmark.version)?;
            }
            cursor = end;
            bookmark.cursor = Some(cursor.to_string());
            let is_last = page.len() < PAGE;
            if is_last || !seen.is_empty() {
                self.bookmark(one, bookmark)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn write_samples(
        &mut self,
        one: &Selected<'_>,
        gauge: Gauge,
        after: Option<Bookmark>,
    ) -> Result<(), Failure> {
        let is_first = after.is_none();
        let mut bookmark = after.unwrap_or_default();
        bookmark.version = bookmark.version.or(self.version);
        // The time of a sample is its key: those of one second are one record of the target.
        let since = bookmark.at.map_or(i64::MIN, |at| at.saturating_add(1));
        for sample in self.mirror.samples(gauge.name(), since).map_err(unreadable)? {
            self.write_row(one, sample_row(&sample), bookmark.version)?;
            bookmark.at = Some(sample.at);
        }
        if is_first {
            self.complete(one, bookmark.version)?;
        }
        self.bookmark(one, &bookmark)
    }

    /// Writes a record. `version` is that of the copy that it belongs to.
    fn write_row(
        &mut self,
        one: &Selected<'_>,
        row: Result<Row, serde_json::Error>,
        version: Option<i64>,
    ) -> Result<(), Failure> {
        let row = row.map_err(|error| {
            Failure::usage("cannot read a record of the mirror: it is damaged")
                .because(error.to_string())
        })?;
        let time_extracted = &*self.extracted.clone();
        let stream = &one.stream.name;
        self.write(&Message::Record { stream, record: Fields(&row, one), version, time_extracted })
    }

    /// Writes that a copy of all records is complete.
    fn complete(&mut self, one: &Selected<'_>, version: Option<i64>) -> Result<(), Failure> {
        let Some(version) = version else { return Ok(()) };
        self.write(&Message::ActivateVersion { stream: &one.stream.name, version })
    }

    /// Writes the position after the records so far. A stream that is copied in each run has none.
    fn bookmark(&mut self, one: &Selected<'_>, bookmark: &Bookmark) -> Result<(), Failure> {
        if !one.is_full {
            let state = serde_json::to_value(bookmark).map_err(io::Error::from)?;
            self.bookmarks.insert(one.stream.name.clone(), state);
        }
        self.write(&Message::State { value: json!({ "bookmarks": &self.bookmarks }) })?;
        Ok(self.out.flush()?)
    }

    fn write(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, message).map_err(io::Error::from)?;
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

/// Maximum number of records or changes that are read together.
const PAGE: usize = 500;

#[cfg(test)]
mod tests {
    use methodical_mirror::Mirror;
    use serde_json::{Value, json};

    use super::{Bookmark, Writer};
    use crate::connector::stream::{Selected, Stream};
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

    /// A run: its bookmark, whether it copies everything, the excluded properties, and the version of copies.
    #[derive(Clone, Default)]
    struct Plan {
        after: Option<Bookmark>,
        is_full: bool,
        excluded: &'static [&'static str],
        version: Option<i64>,
    }

    fn plan(after: Option<Bookmark>) -> Plan {
        Plan { after, ..Plan::default() }
    }

    /// Returns the messages of a run.
    fn messages(mirror: &Mirror, plan: Plan) -> Result<Vec<u8>, Failure> {
        let stream = &Stream::of_table(&PHOTO);
        let properties = stream.properties.iter();
        let properties = properties.filter(|one| !plan.excluded.contains(&&*one.name)).collect();
        let state = plan.after.map(|after| serde_json::to_value(after).unwrap());
        let bookmarks = state.into_iter().map(|state| ("photo".to_owned(), state)).collect();
        let (extracted, version) = ("2026-01-01T00:00:00Z".to_owned(), plan.version);
        let mut writer = Writer { out: Vec::new(), mirror, bookmarks, extracted, version };
        writer.write_stream(&Selected { stream, is_full: plan.is_full, properties })?;
        Ok(writer.out)
    }

    /// Returns the records of a run, and the last bookmark.
    fn run(mirror: &Mirror, plan: Plan) -> (Vec<String>, Option<Bookmark>) {
        let out = messages(mirror, plan).unwrap();
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
        messages(mirror, plan(after)).unwrap_err().text()
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
        let other = Plan { excluded: &["size"], ..plan(after) };
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
        assert!(
            refusal(&one, Some(Bookmark { cursor: Some(String::new()), ..Bookmark::default() }))
                .contains("the text is not a cursor")
        );
    }

    #[test]
    fn the_first_run_is_a_copy_and_the_second_one_has_the_changes() {
        let mut mirror = mirror();
        let first = r#"{"id":"1","title":"Harbour","size":1}"#;
        sync(&mut mirror, &[first, r#"{"id":"2","title":"Lighthouse"}"#]);
        let excluded: &[&str] = &[
            "score",
            "open",
            "tags",
            "place_id",
            "place_name",
            "mirror_first_seen",
            "mirror_extra",
        ];
        let first_run = Plan { excluded, ..plan(None) };
        let copy = messages(&mirror, first_run.clone()).unwrap();
        let (_, after) = run(&mirror, first_run.clone());
        sync(&mut mirror, &[first]);
        let changes = messages(&mirror, Plan { after, ..first_run }).unwrap();
        insta::assert_snapshot!([stable(&copy), stable(&changes)].join("\n"));
    }

    #[test]
    fn a_copy_has_a_version_if_the_target_asks_for_it() {
        let mut mirror = mirror();
        sync(&mut mirror, &[r#"{"id":"1"}"#]);
        let excluded: &[&str] =
            &["title", "size", "score", "open", "tags", "place_id", "place_name"];
        let seventh = Plan { version: Some(7), excluded, ..plan(None) };
        let copy = messages(&mirror, seventh.clone()).unwrap();
        let (_, after) = run(&mirror, seventh.clone());
        sync(&mut mirror, &[]);
        // A change belongs to the copy that it changes.
        let eighth = Plan { after, version: Some(8), ..seventh };
        let changes = messages(&mirror, eighth).unwrap();
        insta::assert_snapshot!([stable(&copy), stable(&changes)].join("\n"));
    }
}
