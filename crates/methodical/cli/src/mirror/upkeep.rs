//! The commands that print the contents of a mirror, and the commands that check, copy, back up, restore and clean it.

use std::io;
use std::path::Path;
use std::time::Duration;

use clap::{Args, Subcommand};
use methodical_mirror::connector::Connector;
use methodical_mirror::model::tables::{self, Mirrored, Table};
use methodical_mirror::{
    Check, Consumer, Cursor, Event, Existing, Filter, Finding, FindingKind, Forgotten, Mirror,
    Outcome, Purge, Purged, TableStatus,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::{Invocation, quoted};
use crate::failure::{Exit, Failure};
use crate::mirror::found;
use crate::mirror::open::{self, PAGE, Place, ago, confirm, duration, now, utc};
use crate::mirror::placements::{Records, described};
use crate::output::destination::print;
use crate::output::printer::{Column, Printer, Schema, counted, records};
use crate::output::record::Line;
use crate::program::{Noun, RecordType};
use crate::settings::redacted;

/// The columns that `mirror status` prints as a table, most important first; the reason does not fit.
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

/// Fails if a table is older than the limit, in seconds, or was never synced, or if the mirror has no tables.
fn check_age(tables: &[TableStatus], limit: u64, now: i64) -> Result<(), Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let old = |message: String| Err(Failure::new(Exit::Alarm, message));
    if tables.is_empty() {
        return old("the mirror has not been synced yet".to_owned());
    }
    for TableStatus { table, completed_at, .. } in tables {
        match completed_at {
            None => return old(format!("the table {table} has not been fully synced yet")),
            Some(at) if now - at > limit => {
                let (age, limit) = (ago(now - at), ago(limit));
                return old(format!("the table {table} is {age} old; --max-age is {limit}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
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
            let shown = Shown { event, cursor: mirror.cursor_after(&event.change).to_string() };
            printer.print_line(&serde_json::to_string(&shown).map_err(io::Error::from)?)?;
        }
        (page, after) = mirror.events(Some(&after), PAGE)?;
    }
    printer.finish()?;
    if is_empty {
        invocation.screen.note("no changes");
    }
    Ok(())
}

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
        #[arg(long, value_name = "CURSOR")]
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
            waiting => format!(" Changes that it will no longer receive: {waiting}."),
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

/// Returns the consumer with a name. Fails if the mirror does not have it.
fn find<'a>(
    consumers: &'a [Consumer],
    name: &str,
    invocation: &Invocation,
) -> Result<&'a Consumer, Failure> {
    consumers.iter().find(|one| one.name == name).ok_or_else(|| {
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
    let schema = Schema::of_operation(RecordType::new(&columns, &fields), false);
    let mut printer = Printer::open(invocation, &Schema { is_open: false, ..schema })?;
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

/// Prints the findings. Corrects them if `corrects` is true, and otherwise fails on any finding.
pub(crate) fn check(corrects: bool, invocation: &Invocation) -> Result<(), Failure> {
    if corrects {
        invocation.refuse_dry_run()?;
    }
    let mut mirror = open::read(invocation)?;
    let done = if corrects { mirror.rebuild() } else { mirror.check() };
    let Check { findings, records: rows, .. } =
        done.map_err(|error| open::damaged(error, invocation))?;
    let next_step: fn(&Finding) -> Value = if corrects {
        |_corrected| json!("the next sync writes changed rows again")
    } else {
        |one| json!(one.kind.next_step())
    };
    let columns: &[Column<Finding>] = &[
        ("kind", |one| json!(one.kind.as_str())),
        ("table", |one| json!(one.table)),
        ("id", |one| json!(one.id)),
        ("cause", |one| json!(one.cause)),
        ("next_step", next_step),
    ];
    let (shown, noun) = (&["kind", "table", "id", "cause"], Noun("finding", "findings"));
    Schema::print_columns(invocation, Some(noun), shown, columns, &findings)?;
    let (checked, found) = (records(rows), counted(findings.len(), "finding"));
    invocation.screen.note(&match findings.first() {
        None => format!("no damage: checked {checked}"),
        Some(_) if corrects => format!("checked {checked}, and corrected {found}"),
        Some(_) => format!("checked {checked}"),
    });
    if corrects || findings.is_empty() {
        return Ok(());
    }
    let hint = if findings.iter().any(|one| one.kind == FindingKind::Damage) {
        FindingKind::Damage.next_step().to_owned()
    } else {
        format!("run {}", invocation.command("mirror rebuild"))
    };
    Err(Failure::new(Exit::Contract, format!("the mirror is damaged: {found}")).hint(hint))
}

/// A function that writes these tables of a mirror to files at a URL or path, for
/// [`Program::exporter`](crate::Program::exporter). Returns each table's name and row count.
///
/// # Examples
///
/// ```
/// use methodical_cli::{Exporter, Program};
///
/// let exporter: Exporter = |_mirror, tables, to| {
///     println!("{} tables to {to}", tables.len());
///     Ok(vec![("photo".to_owned(), 7)])
/// };
/// let program = Program { exporter: Some(exporter), ..Program::new("photos", "1.0.0") };
/// ```
pub type Exporter =
    fn(&mut Mirror, tables: &[&'static Table], to: &str) -> Result<Vec<(String, u64)>, Failure>;

/// Copies the mirror to a database, or to files.
pub(crate) fn copy<S: Mirrored>(to: &str, invocation: &Invocation) -> Result<(), Failure> {
    invocation.refuse_dry_run()?;
    let start = to.to_ascii_lowercase();
    let is_database = ["postgres://", "postgresql://"].iter().any(|one| start.starts_with(one));
    let exporter = invocation.program.exporter.filter(|_| !is_database);
    if exporter.is_none() && !is_database {
        let text =
            "cannot copy the mirror: without Parquet, this program copies only to PostgreSQL";
        let hint = "copy to postgres://…, or use the download with Parquet";
        return Err(Failure::usage(text).hint(hint));
    }
    let mut mirror = open::read(invocation)?;
    if let Some(exporter) = exporter {
        let copied = exporter(&mut mirror, &found::<S>().tables, to)?;
        let rows = copied.into_iter().map(|(table, rows)| [json!(table), json!(rows)]);
        return Schema::of_program(&["table", "rows"], false).print(invocation, rows);
    }
    // The schema follows the URL: `postgres://db/team#SCHEMA`.
    let (url, schema) = to.split_once('#').unwrap_or((to, "mirror"));
    let connector = Connector::new(url, "mirror")
        .map_err(|error| Failure::usage("cannot copy to this URL").because(error))?;
    let copied =
        mirror.copy_to_postgres(&connector, schema, &redacted(to)).map_err(open::unreadable)?;
    if copied.is_replaced {
        invocation.screen.note(
            "the copy belonged to another mirror, or to this one before it was restored: everything was copied again",
        );
    }
    let rows = copied.tables.into_iter();
    let rows = rows.map(|one| [json!(one.table), json!(one.written), json!(one.removed)]);
    Schema::of_program(&["table", "written", "removed"], false).print(invocation, rows)
}

pub(crate) fn back_up(path: &Path, replaces: bool, invocation: &Invocation) -> Result<(), Failure> {
    invocation.refuse_dry_run()?;
    let file = path.display();
    let mirror = open::read(invocation)?;
    let existing = if replaces { Existing::Replace } else { Existing::Refuse };
    if !replaces && matches!(path.try_exists(), Ok(true)) {
        return Err(Failure::usage(format!("cannot write {file}: it already exists"))
            .hint("choose another file, or use --replace"));
    }
    mirror.backup(path, existing)?;
    invocation.screen.note(&format!("backed up the mirror to {file}"));
    Ok(())
}

/// Restores a backup. Asks before replacing an existing mirror.
pub(crate) fn restore(
    backup: &Path,
    to: Option<&str>,
    yes: bool,
    invocation: &Invocation,
) -> Result<(), Failure> {
    invocation.refuse_dry_run()?;
    let place = Place::of(to, invocation)?;
    let path = place.path.as_path();
    let file = backup.display();
    if matches!(backup.try_exists(), Ok(false)) {
        return Err(Failure::usage(format!("the backup {file} does not exist")));
    }
    let [source, target] = [backup, path].map(|path| path.canonicalize().ok());
    if source.is_some() && source == target {
        return Err(Failure::usage(format!(
            "cannot restore {file}: it is the mirror itself; choose another file"
        )));
    }
    let existing = if matches!(path.try_exists(), Ok(false)) {
        Existing::Refuse
    } else {
        confirm(&format!("Replace the mirror {place} with {file}? This cannot be undone."), yes)?;
        Existing::Replace
    };
    Mirror::restore(backup, path, existing)?;
    let text = format!("restored {file} to {place}; earlier cursors are refused from now on");
    invocation.screen.note(&text);
    Ok(())
}

/// The flags of `mirror purge`.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct PurgeFlags {
    /// Remove the rows of records that have been gone or forgotten for TIME, such as `90d`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    gone_for: Option<u64>,

    /// Remove changes that are older than TIME, such as `30d`, unless a consumer still needs them.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    changes_older_than: Option<u64>,
}

pub(crate) fn purge(flags: &PurgeFlags, yes: bool, invocation: &Invocation) -> Result<(), Failure> {
    let purge = Purge {
        gone_for: flags.gone_for.map(Duration::from_secs),
        age: flags.changes_older_than.map(Duration::from_secs),
        until: None,
        is_dry_run: invocation.service.dry_run,
    };
    let mut mirror = open::read(invocation)?;
    let done = if purge.is_dry_run {
        "would remove"
    } else {
        confirm("Remove these rows and changes? This cannot be undone.", yes)?;
        "removed"
    };
    let Purged { records: rows, changes, kept_for, .. } = mirror.purge(&purge)?;
    let (rows, changes) = (records(rows), counted(changes, "change"));
    invocation.screen.note(&format!("{done} {rows} and {changes}"));
    if let Some(consumer) = kept_for {
        let text = format!("kept the changes that `{consumer}` has not received yet");
        invocation.screen.warn(&text);
    }
    Ok(())
}

/// The arguments of `mirror forget`.
#[derive(Debug, Args)]
pub(crate) struct ForgetFlags {
    /// Id of the record.
    id: String,

    /// Table of the record [default: the only table with personal data].
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,

    /// Let later syncs add a forgotten record again. Until then, its values stay erased.
    #[arg(long)]
    undo: bool,

    /// Also block an id that the table does not have.
    #[arg(long, conflicts_with = "undo")]
    unknown: bool,

    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
}

/// Erases a record on request, or lets it come back.
pub(crate) fn forget<S: Mirrored>(
    flags: &ForgetFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    invocation.refuse_dry_run()?;
    let ForgetFlags { id, undo, .. } = flags;
    let table = table::<S>(flags)?;
    let screen = invocation.screen;
    let mut mirror = open::read(invocation)?;
    if *undo {
        if !mirror.unforget(table, id)? {
            return Err(Failure::usage(format!("{table} {id} is not forgotten")));
        }
        screen.note(&format!("{table} {id} is no longer blocked; the next sync may add it"));
        return Ok(());
    }
    if !flags.unknown && mirror.record(table, id)?.is_none() && !mirror.is_forgotten(table, id)? {
        return Err(Failure::usage(format!("the mirror has no {table} with the id {id}"))
            .hint("use --unknown to block it before a sync adds it"));
    }
    confirm(&format!("Erase {table} {id}? Its values cannot be restored."), flags.yes)?;
    let Forgotten { was_known, backups, copies, has_traces, .. } = mirror.forget(table, id)?;
    screen.note(&if was_known {
        format!("erased {table} {id}; later syncs will not add it again")
    } else {
        format!("the mirror has no {table} {id}; later syncs will not add it")
    });
    for backup in backups {
        let (path, at) = (backup.path.display(), utc(backup.at));
        screen.warn(&format!("the backup {path} of {at} may still contain it; destroy it"));
    }
    for target in copies {
        let copy = invocation.command(&format!("mirror copy --to {}", quoted(&target)));
        screen.warn(&format!("the copy {target} may still contain it; run {copy}"));
    }
    if has_traces {
        let text = format!(
            "cannot erase the last bytes of {table} {id}: another program is reading an older state of the mirror, so they are \
             still in its log"
        );
        let hint = "stop that program, such as a dashboard or a database browser, and run this command again";
        return Err(Failure::new(Exit::Unerased, text).hint(hint));
    }
    Ok(())
}

/// Returns the table of a record to erase: the given one, or else the only one with personal data.
fn table<S: Mirrored>(flags: &ForgetFlags) -> Result<&'static str, Failure> {
    let found = found::<S>();
    let Some(table) = &flags.table else {
        let is_recovered = |name| found.recovered.iter().any(|one| one.table.name() == name);
        let personal = found.tables.iter().filter(|table| {
            !is_recovered(table.name()) && table.columns().iter().any(tables::Column::is_personal)
        });
        return match personal.collect::<Vec<_>>()[..] {
            [table] => Ok(table.name()),
            _ => Err(Failure::usage(
                "cannot choose a table: personal data is in several tables, or in none",
            )
            .hint("use --table TABLE")),
        };
    };
    let known: Vec<&str> = found.tables.iter().map(|table| table.name()).collect();
    let is_known = known.iter().copied().find(|known| known == table);
    is_known.ok_or_else(|| Failure::unknown("table", table, &known))
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
