//! The commands that print what a mirror has: `mirror status`, `changes`, `consumers` and `search`.

use clap::{Args, Subcommand};
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{Consumer, Cursor, Error, Event, Filter, Outcome, TableStatus};
use serde::Serialize;
use serde_json::json;

use crate::failure::{Exit, Failure};
use crate::mirror::found;
use crate::mirror::open::{self, ago, confirm, now, utc};
use crate::mirror::placements::{Records, described};
use crate::output::destination::print;
use crate::output::printer::{Column, Printer, Schema};
use crate::output::record::Line;
use crate::program::Noun;
use crate::run::Invocation;

/// The columns of a table, which has no room for the reason. A narrow terminal hides the last ones first.
const STATUS: &[&str] =
    &["table", "synced_at", "age_seconds", "records", "missing", "rejected", "values_from"];

/// Prints the state of each table: when it was synced, and how many records it has.
pub(crate) fn status(max_age: Option<u64>, invocation: &Invocation) -> Result<(), Failure> {
    let columns: &[Column<TableStatus>] = &[
        ("table", |one| json!(one.table)),
        ("synced_at", |one| json!(one.completed_at.map(utc))),
        ("age_seconds", |one| json!(one.completed_at.map(|at| (now() - at).max(0)))),
        ("values_from", |one| json!(one.values_from.map(utc))),
        ("records", |one| json!(one.present)),
        ("missing", |one| json!(one.missing)),
        ("rejected", |one| json!(one.rejected)),
        ("outcome", |one| json!(one.outcome.map(Outcome::as_str))),
        ("reason", |one| json!(one.reason)),
    ];
    let (mirror, place) = open::read_place(invocation)?;
    let tables = mirror.tables()?;
    Schema::print_columns(invocation, None, STATUS, columns, &tables)?;
    invocation.screen.note(&format!("the mirror is {place}"));
    max_age.map_or(Ok(()), |limit| check_age(&tables, limit, now()))
}

/// Fails if a table is older than the limit, in seconds, or the mirror is empty.
fn check_age(tables: &[TableStatus], limit: u64, now: i64) -> Result<(), Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let old = |message: String| Err(Failure::new(Exit::Alarm, message));
    if tables.is_empty() {
        return old("the mirror has not been synced yet".to_owned());
    }
    for TableStatus { table, completed_at, .. } in tables {
        match completed_at {
            None => return old(format!("the table {table} has not been synced yet")),
            Some(at) if now - at > limit => {
                let (age, limit) = (ago(now - at), ago(limit));
                return old(format!("the table {table} is {age} old; --max-age is {limit}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Parses a cursor.
pub(crate) fn cursor(text: &str) -> Result<Cursor, Error> {
    text.parse()
}

pub(crate) fn changes(
    after: Option<&Cursor>,
    has_only_cursor: bool,
    invocation: &Invocation,
) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Shown<'a> {
        #[serde(flatten)]
        event: &'a Event,
        cursor: String,
    }
    // A table shows neither the id for deduplication nor the record.
    let columns = &["number", "at", "table", "record_id", "kind", "fields", "previous", "value"];
    let fields = [&["id"], &columns[..], &["record", "cursor"]].concat();
    let mirror = open::read(invocation)?;
    if has_only_cursor {
        return print(invocation, format!("{}\n", mirror.cursor()?).as_bytes());
    }
    // An invalid cursor is refused before the output is opened.
    let (mut page, mut after) = mirror.events(after, PAGE)?;
    let is_empty = page.is_empty();
    let schema = Schema { columns, ..Schema::of_program(&fields, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    while !page.is_empty() && !printer.is_done() {
        for event in &page {
            let cursor = mirror.cursor_after(&event.change).to_string();
            printer.print(&Shown { event, cursor })?;
        }
        (page, after) = mirror.events(Some(&after), PAGE)?;
    }
    printer.finish()?;
    if is_empty {
        invocation.screen.note("no changes");
    }
    Ok(())
}

const PAGE: usize = 1000;

/// The flags of `mirror consumers`.
#[derive(Debug, Args)]
pub(crate) struct ConsumersFlags {
    /// Remove a consumer. If its name is used again, it receives only changes from then on.
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,

    /// Do not ask for confirmation.
    #[arg(short, long, requires = "remove")]
    yes: bool,

    #[command(subcommand)]
    command: Option<ConsumersCommand>,
}

/// A change of a consumer.
#[derive(Debug, Subcommand)]
pub(crate) enum ConsumersCommand {
    /// Move a consumer to a position in the changes: to deliver changes again, or to skip one that the receiver never
    /// accepts.
    ///
    /// A disabled consumer is enabled again.
    #[command(after_help = "\
Examples:
  {program} mirror consumers rewind webhook --to m1.5e88dbb477d76774.41.3f2a9c1d")]
    Rewind {
        /// Name of the consumer.
        name: String,

        /// Deliver the changes after this cursor: the one from `mirror changes --cursor`, or the cursor of the last
        /// change to skip.
        #[arg(long, value_name = "CURSOR", value_parser = cursor)]
        to: Cursor,
    },
}

/// Prints the consumers of the changes, or modifies one.
pub(crate) fn consumers(flags: &ConsumersFlags, invocation: &Invocation) -> Result<(), Failure> {
    let mut mirror = open::read(invocation)?;
    let consumers = mirror.consumers()?;
    if let Some(ConsumersCommand::Rewind { name, to }) = &flags.command {
        find(&consumers, name, invocation)?;
        invocation.refuse_dry_run()?;
        mirror.rewind_consumer(name, to)?;
        let waiting = find(&mirror.consumers()?, name, invocation)?.behind;
        invocation.screen.note(&format!("moved `{name}`; undelivered changes: {waiting}"));
    } else if let Some(name) = &flags.remove {
        let waiting = match find(&consumers, name, invocation)?.behind {
            0 => String::new(),
            waiting => {
                format!(" It will not receive the {waiting} changes that are waiting for it.")
            }
        };
        invocation.refuse_dry_run()?;
        confirm(&format!("Remove the consumer `{name}`?{waiting}"), flags.yes)?;
        mirror.remove_consumer(name)?;
        invocation.screen.note(&format!("removed the consumer `{name}`"));
    } else {
        let columns: &[Column<Consumer>] = &[
            ("name", |one| json!(one.name)),
            ("position", |one| json!(one.position)),
            ("waiting", |one| json!(one.behind)),
            ("failures", |one| json!(one.failures)),
            ("failed_at", |one| json!(one.failed_at.map(utc))),
            ("next_attempt_at", |one| json!(one.next_attempt_at.map(utc))),
            ("disabled_since", |one| json!(one.disabled_at.map(utc))),
            ("error", |one| json!(one.error)),
            ("delivered_at", |one| json!(one.delivered_at.map(utc))),
            ("created_at", |one| json!(utc(one.created_at))),
        ];
        let shown = &["name", "position", "waiting", "failures", "disabled_since", "error"];
        let noun = Some(Noun("consumer", "consumers"));
        return Schema::print_columns(invocation, noun, shown, columns, &consumers);
    }
    Ok(())
}

/// Returns the consumer with a name.
fn find<'a>(
    consumers: &'a [Consumer],
    name: &str,
    invocation: &Invocation,
) -> Result<&'a Consumer, Failure> {
    let found = consumers.iter().find(|one| one.name == name);
    found.ok_or_else(|| {
        Failure::usage(format!("the mirror has no consumer `{name}`")).hint(format!(
            "{} lists them; `watch --consumer NAME` adds one",
            invocation.command("mirror consumers")
        ))
    })
}

/// Prints the records that contain the given text.
pub(crate) fn search<S: Mirrored>(
    text: &str,
    records: Records,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mirror = open::read(invocation)?;
    // The first text columns of each table.
    let found = found::<S>();
    let shown = found.tables.iter().map(|table| described(records, table).columns);
    let shown = shown.flat_map(|columns| columns.iter().skip(1).take(2));
    let mut columns: Vec<String> = shown.map(|name| format!("record.{name}")).collect();
    columns.dedup();
    let own = ["table", "id", "state", "first_seen", "record"];
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let fields: Vec<&str> = own.into_iter().chain(columns.iter().copied()).collect();
    let columns: Vec<&str> = ["table", "id"].into_iter().chain(columns).chain(["state"]).collect();
    let noun = Some(Noun::RECORD);
    let schema = Schema { columns: &columns, noun, ..Schema::of_program(&fields, false) };
    let mut printer = Printer::open(invocation, &Schema { has_objects: true, ..schema })?;
    let filter = Filter::new().contains(text);
    for TableStatus { table, .. } in mirror.tables()? {
        let is_next = open::each_record(&mirror, &table, &filter, |record| {
            let line = Line::new().add("table", json!(table)).add("id", json!(record.id));
            let line = line.add("state", json!(record.state.as_str()));
            let line = line.add("first_seen", json!(utc(record.first_seen)));
            printer.print_line(&line.add("record", &record.json).end())?;
            Ok(!printer.is_done())
        })?;
        if !is_next {
            break;
        }
    }
    printer.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::STATUS;
    use crate::output::record::Path;
    use crate::output::table::Table;
    use crate::output::{OutputColumn, OutputSetup, RecordWriter as _};
    use crate::screen::View;

    #[test]
    fn the_status_shows_its_numbers_in_80_columns() {
        let column = |path: &&str| OutputColumn { path: Path::parse(path), field_type: None };
        let columns = STATUS.iter().map(column).collect();
        let view = View { width: Some(80), color: false };
        let mut writer = Table::new(&OutputSetup { columns, view, ..OutputSetup::default() });
        let time = "2026-11-29T22:00:00Z";
        let record = json!({"table": "photo_album_state", "synced_at": time, "age_seconds": 60,
            "values_from": time, "records": 4711, "missing": 12, "rejected": 3});
        let mut out = Vec::new();
        writer.write(&mut out, &record.to_string()).unwrap();
        writer.finish(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("  4711     12       3\n"), "{text}");
        assert!(text.contains("hidden: values_from;"), "{text}");
    }
}
