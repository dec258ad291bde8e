//! `mirror`: the copy of the lists of the service.

use clap::Subcommand;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::changes::{self, ChangesFlags};
use crate::mirror::hooks::Mirroring;
use crate::mirror::search::{self, SearchFlags};
use crate::mirror::status::{self, StatusFlags};
use crate::mirror::sync::SyncFlags;

/// A command about the mirror.
#[derive(Debug, Subcommand)]
pub(crate) enum MirrorCommand {
    /// Bring the mirror up to date with the service.
    ///
    /// Each list is read once, and only differences are written. A list that was not received completely changes nothing.
    /// A record that is absent from a complete list is missing, and gone after --confirm such lists. If too many records are
    /// missing, nothing is changed, and the exit code is 7.
    #[command(after_help = "\
Examples:
  {program} mirror sync
  {program} mirror sync --to mirror.db
  {program} mirror sync --accept-missing 4812")]
    Sync(SyncFlags),
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
}

impl MirrorCommand {
    /// Runs the command.
    pub(crate) fn run(self, of: Mirroring, invocation: &Invocation) -> Result<(), Failure> {
        match self {
            Self::Sync(flags) => (of.sync)(&flags, invocation),
            Self::Status(flags) => status::run(&flags, invocation),
            Self::Changes(flags) => changes::run(&flags, invocation),
            Self::Search(flags) => search::run(&flags, invocation),
        }
    }
}
