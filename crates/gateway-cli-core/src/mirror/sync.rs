//! `mirror sync`: brings the mirror up to date.

use std::error::Error as _;

use clap::Args;
use gateway_client_core::{Error as CallError, ServiceClient};
use gateway_mirror::model::{Mirrored, Service};
use gateway_mirror::{Error, ErrorKind, Report, Rules, Source, SyncError, SyncOptions, SyncReport};
use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::Place;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::session::Session;

/// The flags of `mirror sync`.
#[derive(Debug, Args)]
pub(crate) struct SyncFlags {
    /// Mirror: a file, or postgres://… [default: `{PROGRAM}_MIRROR`, the profile, or a file in the data folder].
    ///
    /// The file in the data folder is `{program}/mirrors/PROFILE.db` in `XDG_DATA_HOME` or `~/.local/share`. `mirror status`
    /// prints its path. Only you can read it.
    #[arg(long, value_name = "MIRROR")]
    to: Option<String>,

    /// Accept a list in which exactly N records are newly missing.
    #[arg(long, value_name = "N")]
    accept_missing: Option<u64>,

    /// Number of complete lists in a row without a record after which it is gone.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    confirm: u32,

    /// Report all records of the first sync as added. By default, the first sync reports no changes.
    #[arg(long)]
    emit_baseline: bool,

    /// Name of the account, which a mirror is bound to [default: the name of the profile].
    ///
    /// A mirror refuses another account or base URL: all its records would be missing. The name must stay the same when
    /// the token is renewed. Use it after a profile was renamed.
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

/// The result of a table, as a record of the output.
#[derive(Serialize)]
struct Shown {
    table: &'static str,
    records: u64,
    added: u64,
    changed: u64,
    unchanged: u64,
    returned: u64,
    missing: u64,
    gone: u64,
    rejected: u64,
    forgotten: u64,
}

/// Syncs the mirror.
pub(crate) fn run<C: ServiceClient<Service: Mirrored>>(
    flags: &SyncFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if invocation.service.from.is_some() {
        return Err(Failure::usage("cannot use --from: --to names the mirror"));
    }
    let session = Session::open::<C>(invocation)?;
    let place = Place::of(flags.to.as_deref(), &session.settings, invocation)?;
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would sync the mirror {place}"));
        return Ok(());
    }
    let schema = Schema { columns: COLUMNS, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    let mut mirror = place.open(&source(flags, &session))?;
    let done = mirror.sync_all_blocking(&session.client, &options(flags));
    let report = done.unwrap_or_else(SyncError::into_report);
    for table in &report.tables {
        if let Ok(report) = &table.result {
            printer.print(&shown(table.table, report))?;
        }
    }
    printer.finish()?;
    failed(&session, &report)
}

/// Returns the options of the sync.
fn options(flags: &SyncFlags) -> SyncOptions {
    let mut rules = Rules::new().confirm(flags.confirm);
    if let Some(records) = flags.accept_missing {
        rules = rules.accept_missing(records);
    }
    if flags.emit_baseline {
        rules = rules.emit_baseline();
    }
    SyncOptions::new().rules(rules)
}

/// Returns the source of the mirror. The address of the sample service differs in each run.
fn source<S>(flags: &SyncFlags, session: &Session<S>) -> Source {
    if session.invocation.call.demo {
        return Source::new("demo://sample-service", "demo");
    }
    let settings = &session.settings;
    let base_url = settings.base_url.as_ref().map_or("", |url| &url.value);
    Source::new(base_url, flags.account.as_ref().unwrap_or(&settings.profile.value))
}

/// Returns the failure of the first table that failed, and warns of the others.
fn failed<S: Service>(session: &Session<S>, report: &SyncReport) -> Result<(), Failure> {
    if let Some(refused) = &report.refused {
        return Err(explained(refused));
    }
    let mut failed =
        report.tables.iter().filter_map(|one| Some((one.table, one.result.as_ref().err()?)));
    let Some((table, first)) = failed.next() else { return Ok(()) };
    for (table, error) in failed {
        session.invocation.screen.warn(&format!("the table {table} was not synced: {error}"));
    }
    Err(explain(session, first).because(format!("the table {table} was not synced")))
}

/// Returns the failure of a table.
fn explain<S: Service>(session: &Session<S>, error: &Error) -> Failure {
    let call = error.source().and_then(|cause| cause.downcast_ref::<CallError>());
    if let (ErrorKind::Call, Some(call)) = (error.kind(), call) {
        return session.explain(call);
    }
    let failure = explained(error);
    let Some(missing) = error.missing() else { return failure };
    let accept = format!("mirror sync --accept-missing {missing}");
    let accept = session.settings.program.command(&accept);
    failure.hint(format!("if they were deleted, {accept} with the same flags accepts this number"))
}

fn shown(table: &'static str, report: &Report) -> Shown {
    let &Report { added, changed, unchanged, returned, missing, gone, rejected, .. } = report;
    let records = added + changed + unchanged + returned;
    let forgotten = report.suppressed;
    Shown {
        table,
        records,
        added,
        changed,
        unchanged,
        returned,
        missing,
        gone,
        rejected,
        forgotten,
    }
}

const COLUMNS: &[&str] =
    &["table", "records", "added", "changed", "returned", "missing", "gone", "rejected"];

const FIELDS: &[&str] = &[
    "table",
    "records",
    "added",
    "changed",
    "unchanged",
    "returned",
    "missing",
    "gone",
    "rejected",
    "forgotten",
];
