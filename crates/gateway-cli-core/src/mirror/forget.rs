//! `mirror forget`: erases a record on request.

use clap::Args;
use gateway_mirror::Forgotten;

use crate::failure::Failure;
use crate::invocation::Invocation;
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

    /// Do not ask.
    #[arg(short, long)]
    yes: bool,
}

/// Erases the record.
pub(crate) fn run(
    flags: &ForgetFlags,
    of: Mirroring,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let id = &flags.id;
    let table = match &flags.table {
        Some(table) => table.clone(),
        None => only_personal(of)?,
    };
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would erase {id} of the table {table}"));
        return Ok(());
    }
    let mut mirror = open_to_read(invocation)?;
    let question = format!("Erase {id} of the table {table}? This cannot be undone.");
    confirm(&question, flags.yes)?;
    let forgotten = mirror.forget(&table, id).map_err(|error| explained(&error))?;
    let Forgotten { was_known, backups, has_traces, .. } = &forgotten;
    let screen = invocation.screen;
    screen.note(&if *was_known {
        format!("erased {id} of the table {table}; later syncs do not bring it back")
    } else {
        format!("the table {table} does not have {id}; later syncs do not add it")
    });
    if *has_traces {
        screen.warn("another program reads an older state; the traces are removed at the next change after it has ended");
    }
    for backup in backups {
        let (path, at) = (backup.path.display(), utc(backup.at));
        screen.warn(&format!("the backup {path} of {at} may still have it; destroy it"));
    }
    Ok(())
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
