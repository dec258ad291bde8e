//! The commands `gateway-server delete`.

use std::time::Duration;

use clap::Args;

use crate::cli::database::Database;
use crate::cli::{note, print};
use crate::error::{Error, ErrorKind};
use crate::store::{Deletion, DeletionReport, ImportMode, Store, UnknownIds};

/// The deleted records are gone from all revisions, and their bytes from the files. Lists in progress are aborted.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Delete candidates, with all of their statuses.
    Candidate(Records),
    /// Delete vacancies, with the statuses of candidates in them.
    Vacancy(Records),
    /// Delete the status of a candidate in a vacancy.
    Status {
        /// Id of the vacancy.
        vacancy: i64,
        /// Id of the candidate.
        candidate: i64,
        #[command(flatten)]
        account: OfAccount,
        #[command(flatten)]
        options: Options,
    },
    /// Delete an account with its records, credit balance and tokens.
    Account {
        /// Name of the account.
        name: String,
        /// Confirm that all data of the account is deleted.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        options: Options,
    },
    /// Erase the bytes that deleted and superseded records left in the files.
    ///
    /// Completes a deletion that was interrupted or timed out. Also erases the data that earlier imports have replaced.
    Traces {
        #[command(flatten)]
        timeout: Timeout,
        #[command(flatten)]
        database: Database,
    },
}

#[derive(Debug, Args)]
pub(super) struct Records {
    /// Ids of the records.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<i64>,
    #[command(flatten)]
    account: OfAccount,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(super) struct OfAccount {
    /// Account that the records belong to.
    #[arg(long = "account", value_name = "NAME")]
    name: String,
    /// Skip ids that the account does not have. By default, an unknown id is an error, and nothing is deleted.
    #[arg(long)]
    ignore_missing: bool,
}

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Dry run: check and count everything, but change nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    timeout: Timeout,
    #[command(flatten)]
    database: Database,
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Timeout {
    /// Maximum time to wait for programs that still read older data, in seconds.
    #[arg(
        long = "timeout",
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    seconds: u32,
}

pub(super) fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Candidate(records) => {
            records.account.delete(&Deletion::Candidates(records.ids), &records.options)
        }
        Command::Vacancy(records) => {
            records.account.delete(&Deletion::Vacancies(records.ids), &records.options)
        }
        Command::Status { vacancy, candidate, account, options } => {
            account.delete(&Deletion::Statuses(vec![(vacancy, candidate)]), &options)
        }
        Command::Account { name, yes, options } => {
            if !yes && !options.dry_run {
                let text = format!(
                    "cannot delete account {name}: this would delete all of its data; confirm with --yes"
                );
                return Err(Error::new(ErrorKind::Config, text));
            }
            let account = OfAccount { name, ignore_missing: false };
            account.delete(&Deletion::Account, &options)
        }
        Command::Traces { timeout, database } => {
            erase_traces(&database.open()?, timeout, database.is_shared())?;
            print("erased the traces of deleted records\n")
        }
    }
}

impl OfAccount {
    fn delete(&self, deletion: &Deletion, options: &Options) -> Result<(), Error> {
        let store = options.database.open()?;
        let account = store.account(&self.name)?;
        let unknown = if self.ignore_missing { UnknownIds::Ignore } else { UnknownIds::Refuse };
        let mode = if options.dry_run { ImportMode::DryRun } else { ImportMode::Commit };
        let report = store.delete(account, deletion, unknown, mode)?;
        print(&describe(&report, mode))?;
        if options.dry_run {
            return Ok(());
        }
        erase_traces(&store, options.timeout, options.database.is_shared())
    }
}

fn erase_traces(store: &Store, timeout: Timeout, is_shared: bool) -> Result<(), Error> {
    store.erase_traces(Duration::from_secs(timeout.seconds.into()))?;
    if is_shared {
        note(
            "the write-ahead log, replicas and backups of \
            PostgreSQL keep the rows until their own retention ends",
        );
    }
    Ok(())
}

fn describe(report: &DeletionReport, mode: ImportMode) -> String {
    let DeletionReport { vacancies, candidates, applications, tokens, superseded, unknown, .. } =
        report;
    let deleted = match mode {
        ImportMode::Commit => "deleted",
        ImportMode::DryRun => "would be deleted",
    };
    let mut lines = vec![format!(
        "{deleted}: vacancies {vacancies}, candidates {candidates}, statuses {applications}, older versions {superseded}"
    )];
    if *tokens > 0 {
        lines.push(format!("{deleted}: tokens {tokens}"));
    }
    if *unknown > 0 {
        lines.push(format!("skipped: {unknown} unknown ids"));
    }
    if mode == ImportMode::DryRun {
        lines.push("dry run: nothing was deleted".to_owned());
    }
    lines.join("\n") + "\n"
}
