//! `tap`: a tap in the sense of Singer 0.3.0, which writes the mirror as lines of JSON.

mod catalog;
mod messages;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use methodical_mirror::model::Mirrored;
use serde_json::{Map, Value};

use crate::connector::bookmark::{Bookmark, START_OVER};
use crate::connector::config::{Config, read_json};
use crate::connector::open::open;
use crate::connector::schema::layout;
use crate::connector::singer::catalog::{Method, Selected, Selection, discovered};
use crate::connector::singer::messages::{Message, Writer};
use crate::connector::stream::{Stream, streams};
use crate::connector::stream_reader::{Plan, read};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::unreadable;
use crate::mirror::sync::refuse_from;
use crate::mirror::time::utc;

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
    #[arg(long, value_name = "FILE", conflicts_with = "properties")]
    catalog: Option<PathBuf>,

    /// The same as --catalog, for older programs.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    properties: Option<PathBuf>,

    /// Print the catalog of all streams. --state and --catalog have no effect on it; Meltano passes both.
    #[arg(long, short = 'd')]
    discover: bool,
}

/// Runs `tap`.
pub(crate) fn run<S: Mirrored>(flags: &TapFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_from(invocation)?;
    invocation.output.refuse_selection("a catalog selects streams and fields")?;
    let config = Config::read::<S>(flags.config.as_deref())?;
    let streams = streams::<S>();
    if flags.discover {
        let mut out = stdout().lock();
        serde_json::to_writer_pretty(&mut out, &discovered(&streams)).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let catalog = flags.catalog.as_ref().or(flags.properties.as_ref());
    let catalog = catalog.map(|path| read_json(path, "catalog")).transpose()?;
    let selection = Selection::of(&streams, catalog.as_ref())?;
    let state = flags.state.as_ref().map(|path| read_json(path, "state")).transpose()?;
    let bookmarks = bookmarks(state)?;
    if invocation.call.dry_run {
        invocation.screen.note("would sync the mirror, and write its streams");
        return Ok(());
    }
    let source = open::<S>(&config, invocation)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let omits_personal = source.mirror.omits_personal().map_err(|error| unreadable(&error))?;
    let mut out = Output {
        out: BufWriter::new(stdout()),
        extracted: utc(now / 1000),
        has_versions: config.emit_activate_version,
        bookmarks,
    };
    for Selected { stream, method, excluded } in &selection.0 {
        if stream.has_deletions() && !source.tables.contains(&stream.name) {
            let text =
                format!("the mirror does not have `{}` yet: it was never synced", stream.name);
            invocation.screen.warn(&text);
            continue;
        }
        let mut writer = out.begin(stream, excluded)?;
        let after = writer.bookmarks.get(&stream.name).filter(|_| *method == Method::Changes);
        let after = after.map(|state| Bookmark::parse(&stream.name, state)).transpose()?.flatten();
        let plan = Plan {
            after,
            is_full: *method == Method::All,
            layout: layout(&writer.properties(), omits_personal),
            version: config.emit_activate_version.then_some(now),
        };
        writer.is_bookmarked = *method == Method::Changes;
        read(&source.mirror, stream, plan, &mut writer)?;
        out.out.flush()?;
    }
    source.synced
}

/// Where the messages go, and the state of all streams.
struct Output {
    out: BufWriter<Stdout>,
    extracted: String,
    has_versions: bool,
    /// Also those of streams that are not selected: a state replaces the one before.
    bookmarks: BTreeMap<String, Value>,
}

impl Output {
    /// Writes the schema of a stream.
    fn begin<'a>(
        &'a mut self,
        stream: &'a Stream,
        excluded: &'a BTreeSet<String>,
    ) -> Result<Writer<'a, BufWriter<Stdout>>, Failure> {
        let mut writer = Writer {
            out: &mut self.out,
            stream,
            excluded,
            extracted: &self.extracted,
            has_versions: self.has_versions,
            is_bookmarked: true,
            bookmarks: &mut self.bookmarks,
        };
        let schema = writer.schema();
        let key_properties = stream.keys().collect();
        writer.write(&Message::Schema { stream: &stream.name, schema, key_properties })?;
        Ok(writer)
    }
}

/// Returns the states of the streams.
fn bookmarks(state: Option<Value>) -> Result<BTreeMap<String, Value>, Failure> {
    let foreign =
        || Failure::usage("cannot read the state: it is not of this program").hint(START_OVER);
    let Some(state) = state.filter(|state| !state.is_null()) else { return Ok(BTreeMap::new()) };
    let mut state: Map<String, Value> =
        serde_json::from_value(state).map_err(|_quotes| foreign())?;
    match state.remove("bookmarks") {
        Some(Value::Object(bookmarks)) => Ok(bookmarks.into_iter().collect()),
        None if state.is_empty() => Ok(BTreeMap::new()),
        _ => Err(foreign()),
    }
}
