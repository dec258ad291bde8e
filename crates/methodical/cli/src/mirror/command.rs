//! `mirror`: the copy of the lists of the service.

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use methodical_mirror::model::tables::Mirrored;

use crate::failure::Failure;
use crate::mirror::maintain::{self, BackupFlags, ForgetFlags, PurgeFlags, RestoreFlags};
use crate::mirror::open::duration;
use crate::mirror::placements::Records;
use crate::mirror::read::{self, ChangesFlags, ConsumersFlags};
use crate::mirror::sync::{self, SyncCommand};
use crate::run::Invocation;

/// A command about the mirror.
#[derive(Debug, Subcommand)]
pub(crate) enum MirrorCommand {
    /// Bring the mirror up to date with the service.
    ///
    /// Each list is read once, and only differences are written. A list that was not received completely changes nothing.
    /// A record that is absent from a complete list is missing, and gone after two such lists. If too many records are
    /// missing, nothing is changed, and the exit code is 7. If records cannot be read, the exit code is 6.
    ///
    /// The {value} is not in any record; you can only filter a list by it. So the sync requests the records of each
    /// {group}, and those with each {value}.
    ///
    /// The flags that select records and fields, such as --filter, apply to the report.
    #[command(after_help = "\
Examples:
  {program} mirror sync
  {program} mirror sync --to mirror.db
  {program} mirror sync --every 15m
  {program} mirror sync --accept-missing {group}=12")]
    Sync(SyncCommand),
    /// Print when each table was synced, and how many records it has.
    #[command(after_help = "\
Examples:
  {program} mirror status
  {program} mirror status --max-age 1h")]
    Status {
        /// Fail with exit code 8 if a table is older than TIME, such as `90s`, `15m`, `1h` or `2d`.
        #[arg(long, value_name = "TIME", value_parser = duration)]
        max_age: Option<u64>,
    },
    /// Print the changes to the records, oldest first.
    ///
    /// Changes have the names of changed fields, not their values. In JSON and NDJSON, each change has a cursor, which is a
    /// position in the changes: `--after` continues there.
    #[command(after_help = "\
Examples:
  {program} mirror changes
  {program} mirror changes --limit 100 -o ndjson
  {program} mirror changes --cursor")]
    Changes(ChangesFlags),
    /// List the consumers of changes, such as webhooks, with their undelivered changes.
    ///
    /// A consumer is a receiver that `watch` delivers to. The mirror keeps its position: the number of the last change
    /// that it received. A webhook that answers with status 410 is disabled.
    #[command(after_help = "\
Examples:
  {program} mirror consumers
  {program} mirror consumers --remove exec --yes")]
    Consumers(ConsumersFlags),
    /// Find records by text; case does not matter. Records that are gone or forgotten are not found.
    #[command(after_help = "\
Examples:
  {program} mirror search anna
  {program} mirror search anna --filter state=present -o ndjson")]
    Search {
        /// Text to find in the identity or in a text field; case does not matter.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        text: String,
    },
    /// Erase a record, and prevent later syncs from adding it again.
    ///
    /// Its personal fields are erased, including those in the log and the free space of the file. Its identity stays.
    /// `--undo` lets a later sync add the record again. Backups that may still contain the record are named.
    #[command(after_help = "\
Examples:
  {program} mirror forget 4711
  {program} mirror forget 4711 --from mirror.db --yes
  {program} mirror forget --undo 4711")]
    Forget(ForgetFlags),
    /// Remove rows of deleted records, and old changes.
    ///
    /// Forgotten identities stay blocked. A reader that has not read the removed changes has to read the tables again: its
    /// cursor is refused.
    Purge {
        #[command(flatten)]
        flags: PurgeFlags,
        /// Do not ask for confirmation.
        #[arg(short, long)]
        yes: bool,
    },
    /// Check the mirror for damage: its database, counts, hashes and erasures.
    ///
    /// The exit code is 5 if something is wrong. Each finding says what to do next.
    #[command(after_help = "\
Examples:
  {program} mirror check
  {program} mirror check -o json")]
    Check,
    /// Correct the counts, hashes and erasures that `mirror check` reports as wrong.
    ///
    /// Cursors, consumers, the history and forgotten identities are kept. A damaged database is not changed.
    Rebuild,
    /// Back up the mirror to a file, even during a sync.
    #[command(after_help = "\
Examples:
  {program} mirror backup backup.db
  {program} mirror backup backup.db --replace --from mirror.db")]
    Backup(BackupFlags),
    /// Copy the mirror to a PostgreSQL database, or to Parquet files, or bring the copy up to date.
    ///
    /// The copy has the tables, the changes and the history, and equals the mirror after each run. Other programs may
    /// read it. After `mirror forget`, run it again: then the copy lacks the person, too. A database gets the views,
    /// too; its URL is a libpq URL, with the usual environment variables, such as `PGPASSWORD`. In a folder or an
    /// object store, there is one Parquet file for each table, if the program was built with Parquet. Credentials are
    /// in the usual environment variables, such as `AWS_ACCESS_KEY_ID`.
    #[command(after_help = "\
Examples:
  {program} mirror copy --to postgres://team@db.example/team
  {program} mirror copy --to s3://archive/tables
  {program} mirror copy --to tables --from mirror.db")]
    Copy {
        /// A database, `postgres://USER@HOST/NAME#SCHEMA` (the schema is `mirror` by default), or the folder of the
        /// Parquet files: `s3://`, `gs://`, `az://`, `file://`, or a path.
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Restore the mirror from a backup.
    ///
    /// Records that the current mirror has forgotten stay forgotten. Earlier cursors are refused, so readers of the
    /// changes must read the tables again.
    #[command(after_help = "\
Examples:
  {program} mirror restore backup.db
  {program} mirror restore backup.db --to mirror.db --yes")]
    Restore(RestoreFlags),
}

impl MirrorCommand {
    pub(crate) fn run<S: Mirrored>(
        self,
        records: Records,
        invocation: &Invocation,
    ) -> Result<(), Failure> {
        if matches!(
            self,
            Self::Backup(_)
                | Self::Copy { .. }
                | Self::Forget(_)
                | Self::Rebuild
                | Self::Restore(_)
        ) {
            invocation.refuse_dry_run()?;
        }
        match self {
            Self::Sync(flags) => sync::run::<S>(&flags, invocation),
            Self::Status { max_age } => read::status(max_age, invocation),
            Self::Changes(flags) => read::changes(&flags, invocation),
            Self::Consumers(flags) => read::consumers(&flags, invocation),
            Self::Search { text } => read::search::<S>(&text, records, invocation),
            Self::Forget(flags) => maintain::forget::<S>(&flags, invocation),
            Self::Purge { flags, yes } => maintain::purge(&flags, yes, invocation),
            Self::Check => maintain::check(invocation),
            Self::Rebuild => maintain::rebuild(invocation),
            Self::Backup(flags) => maintain::back_up(&flags, invocation),
            Self::Copy { to } => maintain::copy::<S>(&to, invocation),
            Self::Restore(flags) => maintain::restore(&flags, invocation),
        }
    }
}
