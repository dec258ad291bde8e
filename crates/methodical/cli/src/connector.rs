//! `tap`: a tap in the sense of Singer 0.3.0, which writes the mirror as lines of JSON.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{Cursor, Error, ErrorKind, Filter, Mirror, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::connector::stream::{Catalog, Row, Stream, discovered, streams};
use crate::failure::{Exit, Failure};
use crate::files;
use crate::mirror::open::{each_record, now, unreadable, utc};
use crate::mirror::sync::{self, SyncFlags, Synced};
use crate::run::Invocation;

mod stream;
#[cfg(test)]
mod tests;

/// The flags of `tap`.
#[derive(Debug, Args)]
pub(crate) struct TapFlags {
    /// Read the configuration from a JSON file [default: the profile and the environment].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Continue after the state in a JSON file: the last one that the target printed.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Read only the streams and fields that are selected in a catalog [default: all].
    #[arg(long, value_name = "FILE")]
    catalog: Option<PathBuf>,

    /// Print the catalog of all streams. --state and --catalog are ignored; Meltano passes both.
    #[arg(long, short = 'd')]
    discover: bool,
}

pub(crate) fn run<S: Mirrored>(flags: &TapFlags, invocation: &Invocation) -> Result<(), Failure> {
    invocation.output.refuse_selection("a catalog selects streams and fields")?;
    let config = flags.config.as_ref().map(|path| read_json::<Config>(path, "configuration"));
    let config = config.transpose()?;
    let streams = streams::<S>();
    if flags.discover {
        let mut out = stdout().lock();
        serde_json::to_writer_pretty(&mut out, &discovered(&streams)).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let catalog = flags.catalog.as_ref().map(|path| read_json::<Catalog>(path, "catalog"));
    let streams = match catalog.transpose()? {
        Some(catalog) => catalog.select(&streams)?,
        None => streams,
    };
    let state = flags.state.as_ref().map(|path| read_json(path, "state")).transpose();
    let state: Option<Option<TapState>> = state.map_err(|failure| failure.hint(START_OVER))?;
    let state = state.flatten().unwrap_or_default();
    let (invocation, flags) = Config::apply(config.unwrap_or_default(), invocation);
    invocation.end_dry_run("would sync the mirror, and write its streams")?;
    let (session, mut mirror) = sync::open::<S>(&flags, &invocation)?;
    let Synced { report, done, .. } = sync::sync(&session, &mut mirror, &flags)?;
    let is_useless = report.error.is_some() || report.tables.iter().all(|one| one.result.is_err());
    let done = match done {
        Err(failure) if is_useless => return Err(failure),
        // Otherwise, one unreadable record would make every scheduled run fail.
        Err(failure) if failure.exit() == Exit::Rejected => Ok(()),
        done => done,
    };
    let tables = mirror.tables().map_err(unreadable)?;
    let is_synced =
        |name: &str| tables.iter().any(|one| one.table == name && one.completed_at.is_some());
    let mut writer = Writer {
        out: BufWriter::new(stdout()),
        mirror: &mirror,
        // Includes streams that are not selected, because each state replaces the previous one.
        bookmarks: state.bookmarks,
        extracted: utc(now()),
    };
    for stream in &streams {
        let name = stream.table.name();
        if is_synced(name) {
            writer.write_stream(stream)?;
        } else {
            let text = format!("the mirror does not have `{name}` yet: it was never synced");
            invocation.screen.warn(&text);
        }
    }
    done
}

/// The states of the streams, as the target printed them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TapState {
    bookmarks: BTreeMap<String, Value>,
}

/// The configuration of the tap.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    profile: Option<String>,
    mirror: Option<String>,
    values: Vec<String>,
}

impl Config {
    /// Returns the invocation and the flags of a sync with the settings of the configuration. Flags take precedence.
    fn apply(self, invocation: &Invocation) -> (Invocation, SyncFlags) {
        let Self { profile, mirror, values } = self;
        let mut invocation = invocation.clone();
        invocation.service.profile = invocation.service.profile.or(profile);
        (invocation, SyncFlags { to: mirror, values, ..SyncFlags::default() })
    }
}

/// Reads a JSON file. `what` names its contents in errors, which never quote a value.
fn read_json<T: DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let refused = |text| Failure::usage(format!("cannot read the {what}: {text}"));
    let shown = path.display();
    let text = files::read(path)?.ok_or_else(|| refused(format!("{shown} does not exist")))?;
    serde_json::from_str(&text).map_err(|error| {
        let text = error.to_string();
        // The text before `expected` contains the value.
        let expected = text.rfind("expected ").filter(|_| text.starts_with("invalid"));
        refused(text.get(expected.unwrap_or(0)..).unwrap_or_default().to_owned())
            .because(format!("in {shown}"))
    })
}

/// How far the receiver of a stream has read it. Its JSON is the state of the stream, which only this program
/// interprets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Bookmark {
    /// The cursor in the feed of the mirror up to which the receiver has all changes.
    cursor: String,
    /// The hash of the properties that the receiver has. If they change, it gets a new copy of the table.
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
const START_OVER: &str = "to start over, remove the state of the stream, and its records from the target; then run again: the first run \
     copies everything";

/// A message: one JSON object on a line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
enum Message<'a> {
    Schema { stream: &'a str, schema: Value, key_properties: [&'a str; 1] },
    Record { stream: &'a str, record: &'a Row, time_extracted: &'a str },
    State { value: Value },
}

struct Writer<'a, W> {
    out: W,
    mirror: &'a Mirror,
    /// The states of all streams.
    bookmarks: BTreeMap<String, Value>,
    /// The time of the run.
    extracted: String,
}

impl<W: Write> Writer<'_, W> {
    /// Writes the schema of a stream, its records since the bookmark, and its state.
    fn write_stream(&mut self, stream: &Stream) -> Result<(), Failure> {
        let name = stream.table.name();
        let after =
            self.bookmarks.get(name).map(|state| Bookmark::parse(name, state)).transpose()?;
        let (schema, key_properties) = (stream.schema(), [stream.key()]);
        write(&mut self.out, &Message::Schema { stream: name, schema, key_properties })?;
        let layout = stream.layout(self.mirror.omits_personal().map_err(unreadable)?);
        let cursor = match after {
            Some(mut after) => {
                // Needed even before a copy, which has no deleted records.
                self.write_changes(stream, &mut after)?;
                if after.layout == layout {
                    return Ok(());
                }
                after.cursor
            }
            // Changes committed during the read are after the cursor, so the next run includes them.
            None => self.mirror.cursor().map_err(unreadable)?.to_string(),
        };
        self.copy(stream, &Bookmark { cursor, layout })
    }

    fn copy(&mut self, stream: &Stream, bookmark: &Bookmark) -> Result<(), Failure> {
        let (mirror, present) = (self.mirror, Filter::new().state(State::Present));
        each_record(mirror, stream.table.name(), &present, |record| {
            self.write_row(stream, &stream.row(&record))?;
            Ok(true)
        })?;
        self.bookmark(stream, bookmark)
    }

    /// Writes the records that have changed after a bookmark, as they are now, and moves it.
    fn write_changes(&mut self, stream: &Stream, bookmark: &mut Bookmark) -> Result<(), Failure> {
        let name = stream.table.name();
        let mut cursor: Cursor = bookmark.cursor.parse().map_err(|error| refused(name, error))?;
        loop {
            let page = self.mirror.changes(Some(&cursor), PAGE);
            let (page, end) = page.map_err(|error| refused(name, error))?;
            // Several changes of a record make one row.
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

    fn write_row(&mut self, stream: &Stream, record: &Row) -> Result<(), Failure> {
        let (stream, time_extracted) = (stream.table.name(), &*self.extracted);
        write(&mut self.out, &Message::Record { stream, record, time_extracted })
    }

    /// Writes the position after the records written so far.
    fn bookmark(&mut self, stream: &Stream, bookmark: &Bookmark) -> Result<(), Failure> {
        let state = serde_json::to_value(bookmark).map_err(io::Error::from)?;
        self.bookmarks.insert(stream.table.name().to_owned(), state);
        write(&mut self.out, &Message::State { value: json!({ "bookmarks": &self.bookmarks }) })?;
        Ok(self.out.flush()?)
    }
}

fn write(mut out: impl Write, message: &Message<'_>) -> Result<(), Failure> {
    serde_json::to_writer(&mut out, message).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

/// Returns the failure for a bookmark that the mirror cannot continue.
fn refused(stream: &str, error: Error) -> Failure {
    let is_cursor = error.kind() == ErrorKind::Cursor;
    let failure = Failure::from(error).because(format!("the state of `{stream}` does not fit"));
    if is_cursor { failure.hint(START_OVER) } else { failure }
}

const PAGE: usize = 500;
