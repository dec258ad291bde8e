//! `mirror forget`: erases a record on request.

use std::ops::ControlFlow;

use clap::Args;
use methodical_mirror::{Error, Filter, Forgotten, Mirror};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::{Invocation, quoted};
use crate::mirror::confirm::confirm;
use crate::mirror::failure::explained;
use crate::mirror::hooks::Mirroring;
use crate::mirror::place::open_to_read;
use crate::mirror::time::utc;

/// The arguments of `mirror forget`.
#[derive(Debug, Args)]
pub(crate) struct ForgetFlags {
    /// Identity of the record.
    id: String,

    /// Table of the record [default: the only table with personal data].
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,

    /// Let later syncs add a forgotten record again. Values that were erased stay erased until then.
    #[arg(long)]
    undo: bool,

    /// Also block an identity that the table does not have.
    #[arg(long, conflicts_with = "undo")]
    unknown: bool,

    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
}

/// Erases the record, or lets it come back.
pub(crate) fn run(
    flags: &ForgetFlags,
    of: Mirroring,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let ForgetFlags { id, undo, .. } = flags;
    let table = match &flags.table {
        Some(table) => known_table(table, &(of.tables)())?,
        None => only_personal(of)?,
    };
    let screen = invocation.screen;
    if invocation.call.dry_run {
        let verb = if *undo { "unblock" } else { "erase" };
        screen.note(&format!("would {verb} {table} {id}"));
        return Ok(());
    }
    let mut mirror = open_to_read(invocation)?;
    let failed = |error: Error| explained(&error);
    if *undo {
        if !mirror.unforget(&table, id).map_err(failed)? {
            return Err(Failure::usage(format!("{table} {id} is not forgotten")));
        }
        screen.note(&format!("{table} {id} is not blocked any more; the next sync may add it"));
        return Ok(());
    }
    if !flags.unknown
        && !has(&mirror, &table, id).map_err(failed)?
        && !mirror.is_forgotten(&table, id).map_err(failed)?
    {
        return Err(Failure::usage(format!("the mirror has no {table} with the identity {id}"))
            .hint("use --unknown to block it before a sync adds it"));
    }
    confirm(&format!("Erase {table} {id}? Its values cannot be restored."), flags.yes)?;
    let forgotten = mirror.forget(&table, id).map_err(failed)?;
    let Forgotten { was_known, backups, copies, has_traces, .. } = &forgotten;
    screen.note(&if *was_known {
        format!("erased {table} {id}; later syncs will not add it again")
    } else {
        format!("the mirror has no {table} {id}; later syncs will not add it")
    });
    for backup in backups {
        let (path, at) = (backup.path.display(), utc(backup.at));
        screen.warn(&format!("the backup {path} of {at} may still have it; destroy it"));
    }
    for target in copies {
        let copy = invocation.command(&format!("mirror copy --to {}", quoted(target)));
        screen.warn(&format!("the copy {target} may still have it; run {copy}"));
    }
    if *has_traces {
        let text = format!(
            "cannot erase the last bytes of {table} {id}: another program reads an older state of the mirror, so that they are \
             still in its log"
        );
        let hint = "end that program, such as a dashboard or a database browser, and run this command again";
        return Err(Failure::new(Exit::Unerased, text).hint(hint));
    }
    Ok(())
}

/// Returns whether a table has a record, in any state.
fn has(mirror: &Mirror, table: &str, id: &str) -> Result<bool, Error> {
    if !mirror.tables()?.iter().any(|one| one.table == table) {
        return Ok(false);
    }
    let mut found = false;
    mirror.each_matching(table, &Filter::new(), |record| {
        found = record.id == id;
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// Refuses a table that the service does not have.
fn known_table(table: &str, known: &[&str]) -> Result<String, Failure> {
    if known.contains(&table) {
        return Ok(table.to_owned());
    }
    let failure = Failure::usage(format!("unknown table `{table}`"));
    Err(failure.hint(format!("the tables are {}", known.join(", "))))
}

/// Returns the only table with personal data.
fn only_personal(of: Mirroring) -> Result<String, Failure> {
    let mut tables = (of.personal)();
    match (tables.pop(), tables.is_empty()) {
        (Some(table), true) => Ok(table.to_owned()),
        _ => {
            Err(Failure::usage("several tables or none have personal data")
                .hint("use --table TABLE"))
        }
    }
}
