//! `mirror`: the copy of the lists of the service.

use clap::Subcommand;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::backup::{self, BackupFlags, RestoreFlags};
use crate::mirror::changes::{self, ChangesFlags};
use crate::mirror::check;
use crate::mirror::forget::{self, ForgetFlags};
use crate::mirror::hooks::Mirroring;
use crate::mirror::purge::{self, PurgeFlags};
use crate::mirror::search::{self, SearchFlags};
use crate::mirror::status::{self, StatusFlags};
use crate::mirror::sync::SyncCommand;

/// A command about the mirror.
#[derive(Debug, Subcommand)]
pub(crate) enum MirrorCommand {
    /// Bring the mirror up to date with the service.
    ///
    /// Each list is read once, and only differences are written. A list that was not received completely changes nothing.
    /// A record that is absent from a complete list is missing, and gone after --confirm such lists. If too many records are
    /// missing, nothing is changed, and the exit code is 7. If records cannot be read, the exit code is 6.
    ///
    /// The flags that select records and fields, such as --filter, apply to the report.
    #[command(after_help = "\
Examples:
  {program} mirror sync
  {program} mirror sync --to mirror.db
  {program} mirror sync --every 15m
  {program} mirror sync --accept-missing 4812")]
    Sync(SyncCommand),
    /// Print when each table was synced, and how many records it has.
    #[command(after_help = "\
Examples:
  {program} mirror status
  {program} mirror status --max-age 1h")]
    Status(StatusFlags),
    /// Print the changes of the records, in their order.
    ///
    /// Changes have the names of changed fields, not their values. In JSON and NDJSON, each change has a cursor: `--after`
    /// continues after it.
    #[command(after_help = "\
Examples:
  {program} mirror changes
  {program} mirror changes --limit 100 -o ndjson
  {program} mirror changes --cursor")]
    Changes(ChangesFlags),
    /// Find records by text, in any case. Records that are gone or forgotten are not found.
    #[command(after_help = "\
Examples:
  {program} mirror search harbour
  {program} mirror search harbour --filter state=present -o ndjson")]
    Search(SearchFlags),
    /// Erase a record, and keep later syncs from bringing it back.
    ///
    /// Its personal fields are emptied in the table, the log and the free space of the file. The identity
    /// stays; the other fields become empty. `--undo` lets a later sync add the record again. Backups that may still have the record are named.
    #[command(after_help = "\
Examples:
  {program} mirror forget 4711
  {program} mirror forget 4711 --from mirror.db --yes
  {program} mirror forget --undo 4711")]
    Forget(ForgetFlags),
    /// Remove rows of deleted records, and old changes.
    ///
    /// Forgotten identities stay blocked. Cursors before the removed changes are refused from now on.
    Purge {
        #[command(flatten)]
        flags: PurgeFlags,
        /// Do not ask.
        #[arg(short, long)]
        yes: bool,
    },
    /// Check the mirror for damage: its database, counts and hashes, and that the changes agree with the tables.
    ///
    /// The exit code is 5 if something is wrong. Each finding says what to do next.
    Check,
    /// Write the mirror to a file, also during a sync.
    #[command(after_help = "\
Examples:
  {program} mirror backup backup.db
  {program} mirror backup backup.db --replace --from mirror.db")]
    Backup(BackupFlags),
    /// Replace the mirror by a backup.
    ///
    /// Records that the replaced mirror had forgotten stay forgotten. Readers of the changes need a new snapshot.
    #[command(after_help = "\
Examples:
  {program} mirror restore backup.db
  {program} mirror restore backup.db --to mirror.db --yes")]
    Restore(RestoreFlags),
}

impl MirrorCommand {
    /// Runs the command.
    pub(crate) fn run(self, of: Mirroring, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Sync(flags) => (of.sync)(&flags, invocation),
            Self::Status(flags) => status::run(&flags, invocation),
            Self::Changes(flags) => changes::run(&flags, invocation),
            Self::Search(flags) => search::run(&flags, invocation),
            Self::Forget(flags) => forget::run(&flags, of, invocation),
            Self::Purge { flags, yes } => purge::run(&flags, yes, invocation),
            Self::Check => check::run(invocation),
            Self::Backup(flags) => backup::back_up(&flags, invocation),
            Self::Restore(flags) => backup::restore(&flags, invocation),
        }
    }
}
