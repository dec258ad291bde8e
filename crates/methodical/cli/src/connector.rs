//! `tap`: a Singer 0.3.0 tap, which writes the mirror as lines of JSON. Its streams are the mirror's tables, as flat
//! records with a key.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use methodical_mirror::model::tables::{ColumnKind, Mirrored, Table};
use methodical_mirror::{Cursor, Error, ErrorKind, Filter, Mirror, Record, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::commands::Invocation;
use crate::failure::{Exit, Failure};
use crate::files;
use crate::mirror::found;
use crate::mirror::open::{PAGE, each_record, now, unreadable, utc};
use crate::mirror::sync::{self, SyncFlags};
use crate::output::record::{Line, Object};

#[cfg(test)]
mod tests;

/// The flags of `tap`.
#[derive(Debug, Args)]
pub(crate) struct TapFlags {
    /// Read the configuration from a JSON file [default: the profile and the environment].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Continue after the state in a JSON file, which must be the last state that the target printed.
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
    let config = read_json::<Config>(flags.config.as_deref(), "configuration")?;
    let streams: Vec<Stream> = found::<S>().tables.into_iter().map(Stream::of_table).collect();
    if flags.discover {
        let mut out = stdout().lock();
        let all = json!({ "streams": streams.iter().map(Stream::entry).collect::<Vec<_>>() });
        serde_json::to_writer_pretty(&mut out, &all).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let streams = match read_json::<Catalog>(flags.catalog.as_deref(), "catalog")? {
        Some(catalog) => catalog.select(&streams)?,
        None => streams,
    };
    let state = read_json::<Option<TapState>>(flags.state.as_deref(), "state");
    let state = state.map_err(|failure| failure.hint(START_OVER))?.flatten().unwrap_or_default();
    let Config { profile, mirror, values } = config.unwrap_or_default();
    let flags = SyncFlags { to: mirror, values, ..SyncFlags::default() };
    let mut invocation = invocation.clone();
    invocation.service.profile = invocation.service.profile.or(profile);
    invocation.end_dry_run("would sync the mirror, and write its streams")?;
    let (session, mut mirror) = sync::open::<S>(&flags, &invocation)?;
    let (report, done) = sync::sync(&session, &mut mirror, &flags)?;
    let is_useless = report.error.is_some() || report.tables.iter().all(|one| one.result.is_err());
    let done = match done {
        Err(failure) if is_useless => return Err(failure),
        // Otherwise, one unreadable record would make every scheduled run fail.
        Err(failure) if failure.exit() == Exit::Rejected => Ok(()),
        done => done,
    };
    let tables = mirror.tables().map_err(unreadable)?;
    let mut writer = Writer {
        out: BufWriter::new(stdout()),
        mirror: &mirror,
        // Includes streams that are not selected, because each state replaces the previous one.
        bookmarks: state.bookmarks,
        extracted: utc(now()),
    };
    for stream in &streams {
        let name = stream.table.name();
        if tables.iter().any(|one| one.table == name && one.completed_at.is_some()) {
            writer.write_stream(stream)?;
        } else {
            let text =
                format!("the mirror does not have `{name}` yet: no sync of it has completed");
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

/// The tap's configuration. Flags take precedence.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    profile: Option<String>,
    mirror: Option<String>,
    values: Vec<String>,
}

/// Reads a JSON file, if there is one. `what` names its contents in errors, which never quote a value.
fn read_json<T: DeserializeOwned>(path: Option<&Path>, what: &str) -> Result<Option<T>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let refused = |text| Failure::usage(format!("cannot read the {what}: {text}"));
    let shown = path.display();
    let text = files::read(path)?.ok_or_else(|| refused(format!("{shown} does not exist")))?;
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let text = error.to_string();
        // The text before `expected` contains the value.
        let expected = text.rfind("expected ").filter(|_| text.starts_with("invalid"));
        refused(text.get(expected.unwrap_or(0)..).unwrap_or_default().to_owned())
            .because(format!("the file is {shown}"))
    })
}

/// How far the receiver has read a stream. As JSON, this is the stream's state, which only this program interprets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Bookmark {
    /// The cursor in the mirror's feed up to which the receiver has all changes.
    cursor: String,
    /// The hash of the properties that the receiver has. If the properties change, the receiver gets a new copy of the
    /// table.
    layout: String,
}

impl Bookmark {
    fn parse(stream: &str, state: &Value) -> Result<Self, Failure> {
        Self::deserialize(state).map_err(|_quotes| {
            let text = format!(
                "cannot read the state of `{stream}`: it is not a bookmark of this program"
            );
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
    /// The time of the run, as text in UTC.
    extracted: String,
}

impl<W: Write> Writer<'_, W> {
    /// Writes the schema of a stream, its records since the bookmark, and its state.
    fn write_stream(&mut self, stream: &Stream) -> Result<(), Failure> {
        let name = stream.table.name();
        let after =
            self.bookmarks.get(name).map(|state| Bookmark::parse(name, state)).transpose()?;
        let (schema, key_properties) = (stream.schema(), [stream.table.identity()]);
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
        each_record(self.mirror, name, &Filter::new().state(State::Present), |record| {
            self.write_row(stream, &stream.row(&record)).map(|()| true)
        })?;
        self.bookmark(stream, &Bookmark { cursor, layout })
    }

    /// Writes the present state of each record that changed after the bookmark, and moves the bookmark.
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

    /// Writes the states of all streams, with the stream's position after the records written so far.
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

/// Returns the failure for a bookmark from which the mirror cannot continue.
fn refused(stream: &str, error: Error) -> Failure {
    let is_cursor = error.kind() == ErrorKind::Cursor;
    let failure = Failure::from(error).because(format!("the stream is `{stream}`"));
    if is_cursor { failure.hint(START_OVER) } else { failure }
}

/// A stream of a table's records.
#[derive(Clone, Debug)]
struct Stream {
    table: &'static Table,
    /// The selected properties.
    properties: Vec<Property>,
}

/// A property of a stream's records.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Property {
    name: String,
    /// The kind of the values; `None` for a point in time in UTC.
    kind: Option<ColumnKind>,
}

/// Converts a value, given as JSON text, for a property of this kind; `None` if the value does not fit.
fn cell(kind: ColumnKind, json: &str) -> Option<Value> {
    match kind {
        _ if json == NULL => Some(Value::Null),
        ColumnKind::Integer => json.parse::<i64>().ok().map(Value::from),
        ColumnKind::Boolean => json.parse::<bool>().ok().map(Value::from),
        // PostgreSQL cannot store U+0000 in text.
        ColumnKind::Text => {
            let text = serde_json::from_str::<String>(json).ok();
            text.filter(|text| !text.contains('\0')).map(Value::from)
        }
        _ => Some(json.into()),
    }
}

/// A record's properties, by name.
type Row = Map<String, Value>;

impl Stream {
    /// Describes the records of a table: its columns, and what the mirror knows about a record.
    fn of_table(table: &'static Table) -> Self {
        let columns = table.columns().iter();
        let columns = columns.map(|one| Property { name: one.name(), kind: Some(one.kind()) });
        let own = [FIRST_SEEN, CHANGED_AT, EXTRA, DELETED_AT].map(|name| Property {
            name: name.to_owned(),
            kind: (name == EXTRA).then_some(ColumnKind::Json),
        });
        Self { table, properties: columns.chain(own).collect() }
    }

    /// Returns whether a property cannot be deselected.
    fn is_automatic(&self, name: &str) -> bool {
        name == self.table.identity() || name == DELETED_AT
    }

    /// Returns the JSON schema of the records. Only the key is never null.
    fn schema(&self) -> Value {
        let properties = self.properties.iter().map(|one| {
            let kind = match one.kind {
                Some(ColumnKind::Integer) => "integer",
                Some(ColumnKind::Boolean) => "boolean",
                _ => "string",
            };
            let is_key = one.name == self.table.identity();
            let kind = if is_key { json!([kind]) } else { json!(["null", kind]) };
            let schema = match one.kind {
                None => json!({ "type": kind, "format": "date-time" }),
                Some(_) => json!({ "type": kind }),
            };
            (one.name.clone(), schema)
        });
        json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
    }

    /// Returns a hash of the properties that a receiver gets.
    fn layout(&self, omits_personal: bool) -> String {
        let hash = Sha256::digest(format!("{:?} {omits_personal}", self.properties));
        hash.iter().take(8).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    fn entry(&self) -> Value {
        let keys = [self.table.identity()];
        let own = json!({
            "breadcrumb": [],
            "metadata": {
                "inclusion": "available",
                "selected-by-default": true,
                "forced-replication-method": "LOG_BASED",
                "table-key-properties": keys,
            }
        });
        let fields = self.properties.iter().map(|property| {
            let is_automatic = self.is_automatic(&property.name);
            let inclusion = if is_automatic { "automatic" } else { "available" };
            json!({
                "breadcrumb": ["properties", property.name],
                "metadata": { "inclusion": inclusion, "selected-by-default": true }
            })
        });
        let metadata: Vec<Value> = [own].into_iter().chain(fields).collect();
        json!({
            "tap_stream_id": self.table.name(),
            "stream": self.table.name(),
            "key_properties": keys,
            "schema": self.schema(),
            "metadata": metadata,
        })
    }

    /// Returns the row for a record in the table. For a record that is not present, the row has only the key and the
    /// time of deletion.
    fn row(&self, record: &Record) -> Row {
        if record.state != State::Present {
            let since = record.gone_at.or(record.missing_since).unwrap_or(record.changed_at);
            return self.deleted_row(&record.id, since);
        }
        let mut rest = flat_members(self.table, &record.json);
        let mut row = Row::new();
        for column in self.table.columns() {
            let path = column.path().join(".");
            let cell = rest.get(&path).and_then(|json| cell(column.kind(), json));
            if cell.is_some() {
                rest.remove(&path);
            }
            row.insert(column.name(), cell.unwrap_or_default());
        }
        let line = rest.iter().fold(Line::new(), |line, (name, value)| line.add(name, value));
        row.insert(FIRST_SEEN.to_owned(), utc(record.first_seen).into());
        row.insert(CHANGED_AT.to_owned(), utc(record.changed_at).into());
        row.insert(EXTRA.to_owned(), (!rest.is_empty()).then(|| line.end()).into());
        row.insert(DELETED_AT.to_owned(), Value::Null);
        // The loop above removed columns from the rest even if they are not selected.
        row.retain(|name, _| self.properties.iter().any(|one| one.name == *name));
        row
    }

    /// Returns the row of a deleted record: its key, the time of deletion, and `null` for everything else.
    fn deleted_row(&self, id: &str, at: i64) -> Row {
        let value = |Property { name, kind }: &Property| match kind {
            _ if name == DELETED_AT => utc(at).into(),
            _ if name != self.table.identity() => Value::Null,
            Some(ColumnKind::Integer) => cell(ColumnKind::Integer, id).unwrap_or_default(),
            _ => id.into(),
        };
        self.properties.iter().map(|one| (one.name.clone(), value(one))).collect()
    }
}

/// Returns a record's members as JSON text, by name. If a nested record has columns, its members are prefixed with its
/// name and a dot.
fn flat_members<'a>(table: &Table, json: &'a str) -> BTreeMap<String, &'a str> {
    let is_parent = |name: &str| {
        table.columns().iter().any(|one| matches!(*one.path(), [parent, _] if parent == name))
    };
    let mut members = BTreeMap::new();
    for (name, value) in Object::parse(json).fields() {
        if is_parent(name) && value.starts_with('{') {
            let below = Object::parse(value);
            members.extend(below.fields().map(|(own, value)| (format!("{name}.{own}"), value)));
        } else if value != NULL || !is_parent(name) {
            members.insert(name.to_owned(), value);
        }
    }
    members
}

const NULL: &str = "null";

const FIRST_SEEN: &str = "mirror_first_seen";

const CHANGED_AT: &str = "mirror_changed_at";

/// Name of the property with everything that does not fit the other properties.
const EXTRA: &str = "mirror_extra";

const DELETED_AT: &str = "_sdc_deleted_at";

/// A catalog, as edited by a person.
#[derive(Debug, Deserialize)]
struct Catalog {
    streams: Vec<Entry>,
}

/// A stream in a catalog.
#[derive(Debug, Deserialize)]
struct Entry {
    tap_stream_id: String,
    #[serde(default)]
    metadata: Vec<Metadata>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    breadcrumb: Vec<String>,
    metadata: Value,
}

impl Entry {
    /// Returns whether the stream, or one of its properties, is selected. Without metadata, returns the default.
    fn is_selected(&self, breadcrumb: &[&str], default: bool) -> bool {
        let own = self.metadata.iter().find(|one| one.breadcrumb == breadcrumb);
        let mut keys = ["selected", "selected-by-default"].into_iter();
        let chosen = own.and_then(|one| keys.find_map(|key| one.metadata.get(key)?.as_bool()));
        chosen.unwrap_or(default)
    }
}

impl Catalog {
    /// Returns the streams that the catalog selects, with the properties that it selects.
    fn select(&self, streams: &[Stream]) -> Result<Vec<Stream>, Failure> {
        let entries = self.streams.iter().filter(|entry| entry.is_selected(&[], false));
        let selected = entries.map(|entry| {
            let name = &*entry.tap_stream_id;
            let stream = streams.iter().find(|one| one.table.name() == name);
            let mut stream = stream.cloned().ok_or_else(|| {
                let names: Vec<&str> = streams.iter().map(|one| one.table.name()).collect();
                Failure::unknown("stream", name, &names).because("the catalog selects it")
            })?;
            let is_selected = |name: &str| {
                stream.is_automatic(name) || entry.is_selected(&["properties", name], true)
            };
            let properties = stream.properties.iter().filter(|one| is_selected(&one.name));
            stream.properties = properties.cloned().collect();
            Ok(stream)
        });
        selected.collect()
    }
}
