//! The commands that check, copy, back up, restore and clean a mirror.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use methodical_mirror::connector::Connector;
use methodical_mirror::model::tables::{self, Mirrored, Table};
use methodical_mirror::{Check, Existing, Finding, FindingKind, Forgotten, Mirror, Purge, Purged};
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::mirror::found;
use crate::mirror::open::{self, Place, confirm, duration, utc};
use crate::output::printer::{Column, Schema, counted, records};
use crate::program::Noun;
use crate::run::{Invocation, quoted};
use crate::settings::redacted;

/// Prints what is wrong, and fails if there is anything.
pub(crate) fn check(invocation: &Invocation) -> Result<(), Failure> {
    let check = open::read(invocation)?.check();
    let check = check.map_err(|error| open::damaged(error, invocation))?;
    print(invocation, &check.findings, |one| json!(one.kind.next_step()))?;
    let checked = format!("checked {}", records(check.records));
    if check.findings.is_empty() {
        invocation.screen.note(&format!("no damage: {checked}"));
        return Ok(());
    }
    invocation.screen.note(&checked);
    let found = counted(check.findings.len(), "finding");
    let text = format!("the mirror is damaged: {found}");
    Err(Failure::new(Exit::Contract, text).hint(
        if check.findings.iter().any(|one| one.kind == FindingKind::Damage) {
            FindingKind::Damage.next_step().to_owned()
        } else {
            format!("run {}", invocation.command("mirror rebuild"))
        },
    ))
}

pub(crate) fn rebuild(invocation: &Invocation) -> Result<(), Failure> {
    let rebuilt = open::read(invocation)?.rebuild();
    let Check { findings, records: rows, .. } =
        rebuilt.map_err(|error| open::damaged(error, invocation))?;
    print(invocation, &findings, |_corrected| json!("the next sync writes changed rows again"))?;
    let checked = format!("checked {}", records(rows));
    invocation.screen.note(&match findings.len() {
        0 => format!("no damage: {checked}"),
        found => format!("{checked}, and corrected {}", counted(found, "finding")),
    });
    Ok(())
}

fn print(
    invocation: &Invocation,
    findings: &[Finding],
    next_step: fn(&Finding) -> Value,
) -> Result<(), Failure> {
    let columns: &[Column<Finding>] = &[
        ("kind", |one| json!(one.kind.as_str())),
        ("table", |one| json!(one.table)),
        ("id", |one| json!(one.id)),
        ("cause", |one| json!(one.cause)),
        ("next_step", next_step),
    ];
    let (shown, noun) = (&["kind", "table", "id", "cause"], Noun("finding", "findings"));
    Schema::print_columns(invocation, Some(noun), shown, columns, findings)
}

/// A function that writes these tables of a mirror to the files at a URL or path; it is in
/// [`Program::exporter`](crate::Program::exporter). Returns the name and row count of each table.
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
    let start = to.to_ascii_lowercase();
    let is_database = ["postgres://", "postgresql://"].iter().any(|one| start.starts_with(one));
    let exporter = invocation.program.exporter.filter(|_| !is_database);
    if exporter.is_none() && !is_database {
        return Err(Failure::usage(
            "cannot copy the mirror: this program was built without Parquet",
        )
        .hint("copy to postgres://…, or use a build with Parquet"));
    }
    let mut mirror = open::read(invocation)?;
    if let Some(exporter) = exporter {
        let copied = exporter(&mut mirror, &found::<S>().tables, to)?;
        let rows = copied.into_iter().map(|(table, rows)| [json!(table), json!(rows)]);
        return Schema::of_program(&["table", "rows"], false).print(invocation, rows);
    }
    // The schema follows the URL: `postgres://db/team#SCHEMA`.
    let (url, schema) = to.split_once('#').unwrap_or((to, SCHEMA));
    let connector = Connector::new(url, "mirror")
        .map_err(|error| Failure::usage("cannot copy to this URL").because(error))?;
    let copied =
        mirror.copy_to_postgres(&connector, schema, &redacted(to)).map_err(open::unreadable)?;
    if copied.is_replaced {
        invocation.screen.note(
            "the copy was of another mirror, or of this one before it was restored: everything was copied again",
        );
    }
    let rows = copied.tables.into_iter();
    let rows = rows.map(|one| [json!(one.table), json!(one.written), json!(one.removed)]);
    Schema::of_program(&["table", "written", "removed"], false).print(invocation, rows)
}

/// Schema of a copy whose URL names none.
const SCHEMA: &str = "mirror";

pub(crate) fn back_up(path: &Path, replaces: bool, invocation: &Invocation) -> Result<(), Failure> {
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

/// Restores a backup. Asks before an existing mirror is replaced.
pub(crate) fn restore(
    backup: &Path,
    to: Option<&str>,
    yes: bool,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let place = Place::of(to, invocation)?;
    let path = place.path.as_path();
    let file = backup.display();
    if matches!(backup.try_exists(), Ok(false)) {
        return Err(Failure::usage(format!("the backup {file} does not exist")));
    }
    let [source, target] = [backup, path].map(|path| path.canonicalize().ok());
    if source.is_some() && source == target {
        return Err(Failure::usage(format!("cannot restore {file}: it is the mirror itself")));
    }
    let existing = if matches!(path.try_exists(), Ok(false)) {
        Existing::Refuse
    } else {
        let question = format!("Replace the mirror {place} with {file}? This cannot be undone.");
        confirm(&question, yes)?;
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
            _ => Err(Failure::usage("cannot choose a table: several or none have personal data")
                .hint("use --table TABLE")),
        };
    };
    let known: Vec<&str> = found.tables.iter().map(|table| table.name()).collect();
    let is_known = known.iter().copied().find(|known| known == table);
    is_known.ok_or_else(|| Failure::unknown("table", table, &known))
}
