//! `mirror status`: when each table was synced, and how many records it has.

use clap::Args;
use methodical_mirror::TableStatus;
use serde::Serialize;

use crate::config::settings::Settings;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::ago::{ago, now};
use crate::mirror::binding::Reader;
use crate::mirror::failure::explained;
use crate::mirror::place::{Place, refuse_new_since};
use crate::mirror::time::{duration, utc};
use crate::output::printer::Printer;
use crate::output::schema::Schema;

/// The flags of `mirror status`.
#[derive(Debug, Args)]
pub(crate) struct StatusFlags {
    /// Fail with exit code 8 if a table is older than TIME, such as `90s`, `15m`, `1h` or `2d`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    max_age: Option<u64>,
}

/// The state of a table, as a record of the output.
#[derive(Serialize)]
struct Shown {
    table: String,
    synced_at: Option<String>,
    age_seconds: Option<i64>,
    values_from: Option<String>,
    records: u64,
    missing: u64,
    rejected: u64,
}

/// Prints the state of each table.
pub(crate) fn run(flags: &StatusFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    let settings = Settings::of_known(invocation)?;
    let reader = Reader::new(&settings, invocation);
    let place = Place::of_reader(reader)?;
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would read the mirror {place}"));
        return Ok(());
    }
    let mirror = place.open_existing(reader)?;
    let tables = mirror.tables().map_err(|error| explained(&error))?;
    let now = now();
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, false))?;
    for table in &tables {
        printer.print(&shown(table, now))?;
    }
    printer.finish()?;
    invocation.screen.note(&format!("the mirror is {place}"));
    match flags.max_age {
        Some(limit) => check_age(&tables, limit, now),
        None => Ok(()),
    }
}

fn shown(status: &TableStatus, now: i64) -> Shown {
    Shown {
        table: status.table.clone(),
        synced_at: status.completed_at.map(utc),
        age_seconds: status.completed_at.map(|at| (now - at).max(0)),
        values_from: status.values_from.map(utc),
        records: status.present,
        missing: status.missing,
        rejected: status.rejected,
    }
}

/// Fails if a table is older than the limit, in seconds, or the mirror is empty.
fn check_age(tables: &[TableStatus], limit: u64, now: i64) -> Result<(), Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let old = |message: String| Err(Failure::new(Exit::Alarm, message));
    if tables.is_empty() {
        return old("the mirror was not synced yet".to_owned());
    }
    for TableStatus { table, completed_at, .. } in tables {
        match completed_at {
            None => return old(format!("the table {table} was not synced yet")),
            Some(at) if now - at > limit => {
                let (age, limit) = (ago(now - at), ago(limit));
                return old(format!("the table {table} is {age} old; --max-age is {limit}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

const FIELDS: &[&str] =
    &["table", "synced_at", "age_seconds", "values_from", "records", "missing", "rejected"];
