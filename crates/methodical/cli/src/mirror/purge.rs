//! `mirror purge`: removes rows of deleted records, and old changes.

use std::time::Duration;

use clap::Args;
use methodical_mirror::{Purge, Purged};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::confirm::confirm;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::mirror::time::duration;
use crate::output::progress::{counted, records, size};

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

/// Removes the rows and changes.
pub(crate) fn run(flags: &PurgeFlags, yes: bool, invocation: &Invocation) -> Result<(), Failure> {
    let mut purge = Purge::new();
    if let Some(seconds) = flags.gone_for {
        purge = purge.records_gone_for(Duration::from_secs(seconds));
    }
    if let Some(seconds) = flags.changes_older_than {
        purge = purge.changes_older_than(Duration::from_secs(seconds));
    }
    let is_dry_run = invocation.call.dry_run;
    let mut mirror = open_to_read(invocation)?;
    if !is_dry_run {
        confirm("Remove these rows and changes? This cannot be undone.", yes)?;
    }
    let purge = if is_dry_run { purge.dry_run() } else { purge };
    let purged = mirror.purge(&purge).map_err(|error| explained(&error))?;
    let Purged { kept_for, freed, .. } = &purged;
    let (rows, changes) = (records(purged.records), counted(purged.changes, "change"));
    let done = if is_dry_run { "would remove" } else { "removed" };
    let freed = if *freed > 0 { format!("; freed {}", size(*freed)) } else { String::new() };
    invocation.screen.note(&format!("{done} {rows} and {changes}{freed}"));
    if let Some(consumer) = kept_for {
        let text = format!("kept the changes that `{consumer}` has not received yet");
        invocation.screen.warn(&text);
    }
    Ok(())
}
