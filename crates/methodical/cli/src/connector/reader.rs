//! Writes a stream of a mirror as messages: first a copy of all records, later only what has changed after a bookmark.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::ops::ControlFlow;

use methodical_mirror::{Cursor, Error, ErrorKind, Filter, Mirror, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::connector::stream::{Row, Stream};
use crate::failure::Failure;
use crate::mirror::open::unreadable;

/// How far the receiver of a stream has read it. Its JSON is the state of the stream, and private to this program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Bookmark {
    /// The cursor in the feed of the mirror, up to which the receiver has all changes.
    cursor: String,
    /// The hash of the properties that the receiver has. With others, it gets a copy of the table again.
    layout: String,
}

impl Bookmark {
    fn parse(stream: &str, state: &Value) -> Result<Self, Failure> {
        Self::deserialize(state).map_err(|_quotes| {
            let text =
                format!("cannot read the state of `{stream}`: this program did not write it");
            Failure::usage(text).hint(START_OVER)
        })
    }
}

/// The hint for a state that cannot be used.
pub(crate) const START_OVER: &str = "to start over, remove the state of the stream, and its records from the target; then run again: the first run \
     copies everything";

/// A message: one JSON object on a line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
enum Message<'a> {
    Schema { stream: &'a str, schema: Value, key_properties: [&'a str; 1] },
    Record { stream: &'a str, record: &'a Row<'a>, time_extracted: &'a str },
    State { value: Value },
}

pub(crate) struct Writer<'a, W> {
    pub(crate) out: W,
    pub(crate) mirror: &'a Mirror,
    /// The states of all streams.
    pub(crate) bookmarks: BTreeMap<String, Value>,
    /// The time of the run.
    pub(crate) extracted: String,
}

impl<W: Write> Writer<'_, W> {
    /// Writes the schema of a stream, its records after its bookmark, and its state.
    pub(crate) fn write_stream(&mut self, stream: &Stream) -> Result<(), Failure> {
        let name = stream.table.name();
        let after =
            self.bookmarks.get(name).map(|state| Bookmark::parse(name, state)).transpose()?;
        let (schema, key_properties) = (stream.schema(), [stream.key()]);
        self.write(&Message::Schema { stream: name, schema, key_properties })?;
        let layout = stream.layout(self.mirror.omits_personal().map_err(unreadable)?);
        let cursor = match after {
            Some(mut after) => {
                // Also before a copy: it has no deleted records.
                self.write_changes(stream, &mut after)?;
                if after.layout == layout {
                    return Ok(());
                }
                after.cursor
            }
            // Changes that are committed during the read are after the cursor, so the next run has them.
            None => self.mirror.cursor().map_err(unreadable)?.to_string(),
        };
        self.copy(stream, &Bookmark { cursor, layout })
    }

    fn copy(&mut self, stream: &Stream, bookmark: &Bookmark) -> Result<(), Failure> {
        let (mirror, present) = (self.mirror, Filter::new().state(State::Present));
        let mut done = Ok(());
        let read = mirror.each_matching(stream.table.name(), &present, |record| {
            done = self.write_row(stream, &stream.row(&record));
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        read.map_err(unreadable)?;
        done?;
        self.bookmark(stream, bookmark)
    }

    /// Writes the records that have changed after a bookmark, as they are now, and moves it.
    fn write_changes(&mut self, stream: &Stream, bookmark: &mut Bookmark) -> Result<(), Failure> {
        let name = stream.table.name();
        let mut cursor: Cursor = bookmark.cursor.parse().map_err(|error| refused(name, error))?;
        loop {
            let page = self.mirror.changes(Some(&cursor), PAGE);
            let (page, end) = page.map_err(|error| refused(name, error))?;
            // Several changes of a record are one row.
            let mut seen = HashSet::new();
            let own = page.iter().filter(|change| change.table == name);
            for change in own.filter(|change| seen.insert(&change.id)) {
                let record = self.mirror.record(name, &change.id).map_err(unreadable)?;
                // The row of a deleted record may have been removed.
                let gone = || stream.deleted_row(&change.id, change.at);
                self.write_row(stream, &record.as_ref().map_or_else(gone, |one| stream.row(one)))?;
            }
            cursor = end;
            bookmark.cursor = cursor.to_string();
            let is_last = page.len() < PAGE;
            if is_last || !seen.is_empty() {
                self.bookmark(stream, bookmark)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn write_row(&mut self, stream: &Stream, record: &Row<'_>) -> Result<(), Failure> {
        let time_extracted = &*self.extracted.clone();
        self.write(&Message::Record { stream: stream.table.name(), record, time_extracted })
    }

    /// Writes the position after the records so far.
    fn bookmark(&mut self, stream: &Stream, bookmark: &Bookmark) -> Result<(), Failure> {
        let state = serde_json::to_value(bookmark).map_err(io::Error::from)?;
        self.bookmarks.insert(stream.table.name().to_owned(), state);
        self.write(&Message::State { value: json!({ "bookmarks": &self.bookmarks }) })?;
        Ok(self.out.flush()?)
    }

    fn write(&mut self, message: &Message<'_>) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, message).map_err(io::Error::from)?;
        Ok(self.out.write_all(b"\n")?)
    }
}

/// Returns the failure for a bookmark that the mirror cannot continue.
fn refused(stream: &str, error: Error) -> Failure {
    let is_cursor = error.kind() == ErrorKind::Cursor;
    let failure = Failure::from(error).because(format!("the state of `{stream}` does not fit"));
    if is_cursor { failure.hint(START_OVER) } else { failure }
}

const PAGE: usize = 500;

#[cfg(test)]
mod tests {
    use methodical_mirror::Mirror;
    use serde_json::{Value, json};

    use super::{Bookmark, Writer};
    use crate::connector::stream::Stream;
    use crate::connector::tests::{PHOTO, mirror, stable, sync};
    use crate::failure::Failure;

    #[test]
    fn a_state_of_another_program_is_refused() {
        let state = json!({"cursor": "m1.a.1.b", "layout": "x"});
        let bookmark = Bookmark::parse("photo", &state).unwrap();
        assert_eq!(serde_json::to_value(&bookmark).unwrap(), state);
        for foreign in [json!({"replication_key": "id"}), json!({"cursor": 7}), json!([])] {
            assert!(Bookmark::parse("photo", &foreign).is_err(), "{foreign}");
        }
    }

    /// A run: its bookmark, and the excluded properties.
    #[derive(Clone, Default)]
    struct Plan {
        after: Option<Bookmark>,
        excluded: &'static [&'static str],
    }

    fn plan(after: Option<Bookmark>) -> Plan {
        Plan { after, ..Plan::default() }
    }

    /// Returns the messages of a run.
    fn messages(mirror: &Mirror, plan: Plan) -> Result<Vec<u8>, Failure> {
        let mut stream = Stream::of_table(&PHOTO);
        stream.properties.retain(|one| !plan.excluded.contains(&&*one.name));
        let state = plan.after.map(|after| serde_json::to_value(after).unwrap());
        let bookmarks = state.into_iter().map(|state| ("photo".to_owned(), state)).collect();
        let extracted = "2026-01-01T00:00:00Z".to_owned();
        let mut writer = Writer { out: Vec::new(), mirror, bookmarks, extracted };
        writer.write_stream(&stream)?;
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
                    let state = &message["value"]["bookmarks"]["photo"];
                    bookmark = Some(Bookmark::parse("photo", state).unwrap());
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
        one.purge(&methodical_mirror::Purge {
            until: Some(one.cursor().unwrap()),
            ..methodical_mirror::Purge::default()
        })
        .unwrap();
        assert!(refusal(&one, bookmark).contains("were removed"));
        let empty = Bookmark { cursor: String::new(), layout: String::new() };
        assert!(refusal(&one, Some(empty)).contains("the text is not a cursor"));
    }

    #[test]
    fn the_first_run_is_a_copy_and_the_second_one_has_the_changes() {
        let mut mirror = mirror();
        let first = r#"{"id":"1","title":"Harbour","size":1}"#;
        sync(&mut mirror, &[first, r#"{"id":"2","title":"Lighthouse"}"#]);
        let excluded: &[&str] =
            &["open", "tags", "place_id", "place_name", "mirror_first_seen", "mirror_extra"];
        let first_run = Plan { excluded, ..plan(None) };
        let copy = messages(&mirror, first_run.clone()).unwrap();
        let (_, after) = run(&mirror, first_run.clone());
        sync(&mut mirror, &[first]);
        let changes = messages(&mirror, Plan { after, ..first_run }).unwrap();
        insta::assert_snapshot!([stable(&copy), stable(&changes)].join("\n"));
    }
}
