//! Reads a stream from a mirror: first a copy of all records, later only what has changed.

use std::collections::HashSet;

use methodical_mirror::model::{Gauge, Table};
use methodical_mirror::{Change, Cursor, Error, ErrorKind, Filter, Mirror, State};

use crate::connector::bookmark::{Bookmark, START_OVER};
use crate::connector::row::Row;
use crate::connector::stream::{Stream, StreamSource};
use crate::failure::Failure;
use crate::mirror::failure::{explained, unreadable};

/// Receives the records of a stream.
pub(crate) trait Receiver {
    /// Takes a record. `version` is that of the copy that it belongs to.
    fn row(&mut self, row: &Row, version: Option<i64>) -> Result<(), Failure>;

    /// Takes the position after the records so far.
    fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), Failure>;

    /// Notes that a copy of all records is complete.
    fn complete(&mut self, version: Option<i64>) -> Result<(), Failure>;
}

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

/// Reads a stream.
pub(crate) fn read(
    mirror: &Mirror,
    stream: &Stream,
    plan: Plan,
    to: &mut dyn Receiver,
) -> Result<(), Failure> {
    match stream.source {
        StreamSource::Table(table) => TableReader { mirror, stream, table, plan, to }.read(),
        StreamSource::Gauge(gauge) => read_samples(mirror, gauge, &plan, to),
    }
}

/// Reads the records of a table.
struct TableReader<'a> {
    mirror: &'a Mirror,
    stream: &'a Stream,
    table: &'static Table,
    plan: Plan,
    to: &'a mut dyn Receiver,
}

impl TableReader<'_> {
    fn read(mut self) -> Result<(), Failure> {
        let Some(mut after) = self.plan.after.clone() else { return self.copy(None) };
        if self.plan.is_full {
            let unfinished =
                after.row.is_some() && self.continues(&after) && self.cursor(&after).is_ok();
            return self.copy(unfinished.then_some(after));
        }
        let cursor = self.cursor(&after)?;
        if after.row.is_some() {
            let continued = self.continues(&after);
            return self.copy(continued.then_some(after));
        }
        // Also before a copy: it has no deleted records.
        let end = self.changes(&mut after, &cursor)?;
        if self.continues(&after) {
            return Ok(());
        }
        self.copy(Some(Bookmark { cursor: Some(end.to_string()), ..self.first() }))
    }

    /// Returns whether the receiver has the properties of this run, and a version if the run has one.
    fn continues(&self, after: &Bookmark) -> bool {
        after.layout.as_ref() == Some(&self.plan.layout)
            && (self.plan.version.is_none() || after.version.is_some())
    }

    /// Returns the bookmark before the first row of a copy.
    fn first(&self) -> Bookmark {
        Bookmark {
            row: Some(0),
            layout: Some(self.plan.layout.clone()),
            version: self.plan.version,
            ..Bookmark::default()
        }
    }

    fn cursor(&self, after: &Bookmark) -> Result<Cursor, Failure> {
        let text = after.cursor.as_deref().unwrap_or_default();
        let cursor: Cursor = text.parse().map_err(|error| refused(self.stream, &error))?;
        self.mirror.changes(Some(&cursor), 1).map_err(|error| refused(self.stream, &error))?;
        Ok(cursor)
    }

    /// Copies the present records, all of them or those after a bookmark. Changes that are committed meanwhile are after the
    /// cursor of the bookmark, so the next run has them.
    fn copy(&mut self, from: Option<Bookmark>) -> Result<(), Failure> {
        let mut bookmark = if let Some(bookmark) = from {
            bookmark
        } else {
            let cursor = self.mirror.cursor().map_err(|error| unreadable(&error))?;
            Bookmark { cursor: Some(cursor.to_string()), ..self.first() }
        };
        let present = Filter::new().state(State::Present);
        let (mut after, mut count) = (bookmark.row.unwrap_or_default(), 0);
        loop {
            let page = self.mirror.records(self.table.name(), &present, after, PAGE);
            let page = page.map_err(|error| unreadable(&error))?;
            let Some(last) = page.last() else { break };
            after = last.number;
            for record in &page {
                let row = Row::of_record(self.stream, self.table, record)
                    .map_err(|error| damaged(&error))?;
                self.to.row(&row, bookmark.version)?;
            }
            count += page.len();
            if count >= BETWEEN_BOOKMARKS {
                count = 0;
                bookmark.row = Some(after);
                self.to.bookmark(&bookmark)?;
            }
        }
        bookmark.row = None;
        self.to.complete(bookmark.version)?;
        self.to.bookmark(&bookmark)
    }

    /// Passes on the records that have changed after a cursor, as they are now. Returns the cursor after them.
    fn changes(&mut self, bookmark: &mut Bookmark, after: &Cursor) -> Result<Cursor, Failure> {
        let mut cursor = after.clone();
        loop {
            let page = self.mirror.changes(Some(&cursor), PAGE);
            let (page, end) = page.map_err(|error| refused(self.stream, &error))?;
            let is_last = page.len() < PAGE;
            // Several changes of a record are one row.
            let mut seen = HashSet::new();
            let own = page.iter().filter(|change| change.table == self.table.name());
            for change in own.filter(|change| seen.insert(&change.id)) {
                let row = self.row(change)?;
                self.to.row(&row, bookmark.version)?;
            }
            cursor = end;
            bookmark.cursor = Some(cursor.to_string());
            if is_last || !seen.is_empty() {
                self.to.bookmark(bookmark)?;
            }
            if is_last {
                return Ok(cursor);
            }
        }
    }

    fn row(&self, change: &Change) -> Result<Row, Failure> {
        let record = self.mirror.record(self.table.name(), &change.id);
        match record.map_err(|error| unreadable(&error))? {
            Some(record) => Row::of_record(self.stream, self.table, &record),
            // The row of a deleted record was removed.
            None => Row::deleted(self.stream, &change.id, change.at),
        }
        .map_err(|error| damaged(&error))
    }
}

/// Reads the samples of a gauge.
fn read_samples(
    mirror: &Mirror,
    gauge: Gauge,
    plan: &Plan,
    to: &mut dyn Receiver,
) -> Result<(), Failure> {
    let after = plan.after.as_ref().filter(|_| !plan.is_full);
    let since = after.and_then(|one| one.at);
    let known = after.and_then(|one| one.count).unwrap_or_default();
    let version = after.and_then(|one| one.version).or(plan.version);
    let samples = mirror.samples(gauge.name(), since.unwrap_or(i64::MIN));
    let samples = samples.map_err(|error| unreadable(&error))?;
    let (mut at, mut count) = (since, known);
    // Those of the last second that the receiver has are the first ones.
    for sample in samples.iter().skip(known) {
        to.row(&Row::of_sample(sample).map_err(|error| damaged(&error))?, version)?;
        count = if at == Some(sample.at) { count + 1 } else { 1 };
        at = Some(sample.at);
    }
    if after.is_none() {
        to.complete(version)?;
    }
    let count = at.map(|_| count);
    to.bookmark(&Bookmark { version, at, count, ..Bookmark::default() })
}

/// Returns the failure for a bookmark that the mirror cannot continue.
fn refused(stream: &Stream, error: &Error) -> Failure {
    let failure = explained(error).because(format!("the state of `{}` does not fit", stream.name));
    if error.kind() == ErrorKind::Cursor { failure.hint(START_OVER) } else { failure }
}

fn damaged(error: &serde_json::Error) -> Failure {
    Failure::usage("cannot read a record of the mirror: it is damaged").because(error.to_string())
}

/// Maximum number of records or changes that are read together.
const PAGE: usize = 500;

/// Minimum number of records of a copy between two bookmarks.
const BETWEEN_BOOKMARKS: usize = 10_000;

#[cfg(test)]
mod tests {
    use methodical_mirror::Mirror;

    use super::{Bookmark, Plan, Receiver, read};
    use crate::connector::row::Row;
    use crate::connector::stream::Stream;
    use crate::connector::testing::{PHOTO, mirror, sync};
    use crate::failure::Failure;

    /// Keeps what it receives as text, and the last bookmark.
    #[derive(Default)]
    struct Log {
        said: Vec<String>,
        bookmark: Bookmark,
    }

    impl Receiver for Log {
        fn row(&mut self, row: &Row, _: Option<i64>) -> Result<(), Failure> {
            let kind = if row.deleted_at.is_some() { "deleted" } else { "is" };
            self.said.push(format!("{kind} {}", row.first_cell()));
            Ok(())
        }

        fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), Failure> {
            self.bookmark = bookmark.clone();
            Ok(())
        }

        fn complete(&mut self, _: Option<i64>) -> Result<(), Failure> {
            self.said.push("complete".to_owned());
            Ok(())
        }
    }

    fn plan(after: Option<Bookmark>) -> Plan {
        Plan { after, is_full: false, layout: "one".to_owned(), version: None }
    }

    fn run(mirror: &Mirror, plan: Plan) -> Log {
        let mut log = Log::default();
        read(mirror, &Stream::of_table(&PHOTO), plan, &mut log).unwrap();
        log
    }

    fn refusal(mirror: &Mirror, after: Bookmark) -> String {
        let stream = Stream::of_table(&PHOTO);
        read(mirror, &stream, plan(Some(after)), &mut Log::default()).unwrap_err().text()
    }

    const ONE: &str = r#"{"id":"1","title":"Harbour"}"#;
    const TWO: &str = r#"{"id":"2"}"#;

    #[test]
    fn each_run_continues_where_the_last_one_ended() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let first = run(&mirror, plan(None));
        assert_eq!(first.said, [r#"is "1""#, r#"is "2""#, "complete"]);
        let mut bookmark = first.bookmark;
        for (list, said) in [
            (&[ONE, TWO][..], &[][..]),
            (&[TWO], &[r#"deleted "1""#]),
            (&[TWO], &[r#"deleted "1""#]),
            (&[TWO], &[]),
            (&[ONE, TWO], &[r#"is "1""#]),
        ] {
            sync(&mut mirror, list);
            let log = run(&mirror, plan(Some(bookmark)));
            assert_eq!(log.said, said);
            bookmark = log.bookmark;
        }
        mirror.forget("photo", "2").unwrap();
        let log = run(&mirror, plan(Some(bookmark.clone())));
        assert_eq!(log.said, [r#"deleted "2""#]);
        // A bookmark can be used again.
        assert_eq!(run(&mirror, plan(Some(bookmark))).said, log.said);
    }

    #[test]
    fn several_changes_of_a_record_are_one_row() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let bookmark = run(&mirror, plan(None)).bookmark;
        for list in [&[TWO][..], &[ONE, TWO], &[TWO], &[ONE, TWO]] {
            sync(&mut mirror, list);
        }
        assert_eq!(run(&mirror, plan(Some(bookmark))).said, [r#"is "1""#]);
    }

    #[test]
    fn an_unfinished_copy_continues_after_its_last_row() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let done = run(&mirror, plan(None)).bookmark;
        let unfinished = Bookmark { row: Some(1), ..done.clone() };
        sync(&mut mirror, &[TWO]);
        let log = run(&mirror, plan(Some(unfinished.clone())));
        assert_eq!(log.said, [r#"is "2""#, "complete"]);
        // The changes since the begin of the copy are in the next run.
        assert_eq!(log.bookmark, done);
        assert_eq!(run(&mirror, plan(Some(log.bookmark))).said, [r#"deleted "1""#]);
        let full = Plan { is_full: true, ..plan(Some(unfinished)) };
        assert_eq!(run(&mirror, full).said, [r#"is "2""#, "complete"]);
    }

    #[test]
    fn other_properties_are_copied_again_after_the_changes() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let bookmark = run(&mirror, plan(None)).bookmark;
        sync(&mut mirror, &[TWO]);
        let other = Plan { layout: "two".to_owned(), ..plan(Some(bookmark)) };
        let log = run(&mirror, other.clone());
        assert_eq!(log.said, [r#"deleted "1""#, r#"is "2""#, "complete"]);
        let next = Plan { after: Some(log.bookmark), ..other };
        assert_eq!(run(&mirror, next).said, [""; 0]);
    }

    #[test]
    fn a_full_run_copies_the_present_records() {
        let mut mirror = mirror();
        sync(&mut mirror, &[ONE, TWO]);
        let bookmark = run(&mirror, plan(None)).bookmark;
        sync(&mut mirror, &[TWO]);
        let full = Plan { is_full: true, ..plan(Some(bookmark)) };
        assert_eq!(run(&mirror, full).said, [r#"is "2""#, "complete"]);
    }

    #[test]
    fn a_cursor_that_cannot_be_continued_is_refused() {
        let mut one = mirror();
        sync(&mut one, &[ONE]);
        let bookmark = run(&one, plan(None)).bookmark;
        let foreign = refusal(&mirror(), bookmark.clone());
        assert!(
            foreign.contains("belongs to another mirror") && foreign.contains("to start over"),
            "{foreign}"
        );
        sync(&mut one, &[TWO, ONE]);
        one.prune(&one.cursor().unwrap()).unwrap();
        assert!(refusal(&one, bookmark).contains("were removed"));
        assert!(refusal(&one, Bookmark::default()).contains("the text is not a cursor"));
    }
}
