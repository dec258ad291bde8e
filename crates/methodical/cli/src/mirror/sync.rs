//! `mirror sync`: brings the mirror up to date.

use std::error::Error as _;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use methodical_client::Error as CallError;
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{
    Error, ErrorKind, GroupFailure, Mirror, Rejection, SyncError, SyncOptions, SyncProgress,
    SyncReport, TableReport,
};

use crate::connect::{no_base_url, token_text};
use crate::failure::{Exit, Failure};
use crate::interrupt::lock;
use crate::mirror::found;
use crate::mirror::list::unknown;
use crate::mirror::open::{Place, damaged, duration};
use crate::mirror::watch::repeat;
use crate::output::printer::{LiveLine, MAX_NAMED, counted, records};
use crate::run::Invocation;
use crate::screen::{Screen, variable};
use crate::session::Session;

/// The flags of `mirror sync`.
#[derive(Debug, Args)]
pub(crate) struct SyncCommand {
    #[command(flatten)]
    sync: SyncFlags,

    /// Sync again after each TIME, such as `15m` or `1h`, until a signal ends the program.
    ///
    /// If a sync fails, the failure is reported, and the next sync follows.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    every: Option<u64>,
}

/// The flags of a sync.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SyncFlags {
    /// Mirror: a file [default: `{PROGRAM}_MIRROR`, the profile, or a file in the data folder].
    ///
    /// The file in the data folder is `{program}/mirrors/PROFILE.db` in `XDG_DATA_HOME` or `~/.local/share`. `mirror status`
    /// prints its path. Only you can read it.
    #[arg(long, value_name = "MIRROR")]
    pub(crate) to: Option<String>,

    /// Accept the list of TABLE if exactly N records are newly missing, or now refer to other people. Repeat the flag
    /// for several.
    ///
    /// Without this flag, a list is refused if it is suddenly empty, or if more than 50 records and more than 10 % have
    /// become missing, since the last sync or within a week. It is also refused if more than 10 records and more than
    /// half have other personal data.
    #[arg(long, value_name = "TABLE=N", value_parser = accepted)]
    pub(crate) accept_missing: Vec<(String, u64)>,

    /// Report all records of the first sync as added. By default, the first sync reports no changes.
    #[arg(long, hide_short_help = true)]
    pub(crate) emit_baseline: bool,

    /// Name of a value, such as a status, that the contract does not list. Repeat the flag for several.
    ///
    /// The service can only filter by such a value, so the sync needs its name. Names in the contract, and names that
    /// you gave before, are always included.
    #[arg(long, value_name = "VALUE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) values: Vec<String>,

    /// Request the values of all groups, and check all rows. By default, a sync requests them for groups whose records
    /// changed, and for one eighth of all groups.
    ///
    /// The check compares each row of the mirror with its hash. A damaged row is written again.
    #[arg(long, conflicts_with = "no_recover")]
    pub(crate) all: bool,

    /// Sync only the lists, without requesting values.
    #[arg(long)]
    pub(crate) no_recover: bool,

    /// Store no personal fields, and erase those in the mirror.
    ///
    /// This cannot be undone: to store personal fields again, create a new mirror. Ids, dates and other fields stay,
    /// and their changes are detected. Fields that the contract does not list count as personal.
    #[arg(long)]
    pub(crate) no_personal: bool,

    /// Maximum number of concurrent calls [default: 4].
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = calls)]
    pub(crate) concurrency: Option<u8>,
}

/// Runs `mirror sync`.
pub(crate) fn run<S: Mirrored>(
    flags: &SyncCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if invocation.output.output.is_some() || invocation.output.file().is_some() {
        let text = "cannot use -o and --output-file: a sync prints no records";
        let status = invocation.command("mirror status -o json");
        let changes = invocation.command("mirror changes");
        return Err(Failure::usage(text).hint(format!(
            "after the sync, {status} prints the counts of each table, and {changes} what has changed"
        )));
    }
    invocation.output.refuse_selection("a sync prints no records")?;
    let run = || {
        let (session, mut mirror) = open::<S>(&flags.sync, invocation)?;
        let synced = sync(&session, &mut mirror, &flags.sync)?;
        summarize(&synced, flags.every.is_none(), invocation.screen);
        synced.done
    };
    match flags.every {
        Some(every) => repeat(Duration::from_secs(every), invocation, run),
        None => run(),
    }
}

/// The result of a sync.
#[derive(Debug)]
pub(crate) struct Synced {
    pub(crate) report: SyncReport,
    /// A note for each value of `--values` that no record has.
    unknown: Vec<String>,
    /// The failure if a part of the sync failed.
    pub(crate) done: Result<(), Failure>,
}

/// Opens a session, and the mirror of its service. A dry run ends here.
pub(crate) fn open<S: Mirrored>(
    flags: &SyncFlags,
    invocation: &Invocation,
) -> Result<(Session<S>, Mirror), Failure> {
    let session = Session::<S>::open(invocation)?;
    let place = Place::of(flags.to.as_deref(), invocation)?;
    invocation.end_dry_run(&format!("would sync the mirror {place}"))?;
    let source = place.source().ok_or_else(|| no_base_url(invocation))?;
    let mut mirror = Mirror::open(&place.path, &source)?;
    place.note_token(&mirror);
    if flags.no_personal {
        let emptied = mirror.omit_personal()?;
        if emptied > 0 {
            invocation.screen.note("emptied the personal fields of the mirror");
        }
    }
    Ok((session, mirror))
}

/// Syncs the mirror.
pub(crate) fn sync<S: Mirrored>(
    session: &Session<S>,
    mirror: &mut Mirror,
    flags: &SyncFlags,
) -> Result<Synced, Failure> {
    let screen = session.invocation.screen;
    if flags.all {
        rebuild(session, mirror)?;
    }
    // The progress line is shown if standard error is a terminal.
    let is_shown = io::stderr().is_terminal() && !screen.quiet && variable("CI").is_none();
    let line = Arc::new(Mutex::new(LiveLine::new(is_shown.then_some(screen))));
    let shown = Arc::clone(&line);
    let mut options = options::<S>(flags);
    options.on_progress = Some(Arc::new(move |progress| lock(&shown).show(|| text(progress))));
    let done = mirror.sync_all(&session.client, &options);
    lock(&line).clear();
    let report = done.unwrap_or_else(SyncError::into_report);
    let done = failed(session, mirror, &report);
    let is_success = done.as_ref().err().is_none_or(|one| one.exit() == Exit::Rejected);
    if is_success && let Some(token) = token_text(&session.settings, &session.invocation) {
        // If this fails, readers only miss a note.
        let _unnoted = mirror.note_token(&token);
    }
    let mut notes = Vec::new();
    if done.is_ok() && !flags.no_recover {
        for of in found::<S>().recovered {
            for value in &flags.values {
                let text = format!("no {} has the {} `{value}`", of.members.name(), of.value);
                notes.extend(unknown(Some(mirror), of, value, text)?);
            }
        }
    }
    Ok(Synced { report, unknown: notes, done })
}

/// Returns the text of the line, such as `photo: 1234 records` or `album: asked 312 of 480`.
fn text(progress: SyncProgress) -> String {
    match progress {
        SyncProgress::Records { table, received, .. } => format!("{table}: {}", records(received)),
        SyncProgress::Groups { groups, asked, all, .. } => {
            format!("{groups}: asked {asked} of {all}")
        }
        _ => String::new(),
    }
}

/// Prints the counts of all tables, or only of those that changed; then how many values are known, and which names no
/// record has.
pub(crate) fn summarize(synced: &Synced, has_all: bool, screen: Screen) {
    let mut is_said = false;
    for TableReport { table, result, .. } in &synced.report.tables {
        let Ok(report) = result else { continue };
        let counts = [
            ("added", report.added),
            ("changed", report.changed),
            ("returned", report.returned),
            ("missing", report.missing),
            ("gone", report.gone),
            ("rejected", report.rejected),
            ("forgotten", report.suppressed),
        ];
        let counts = counts.iter().filter(|(_, count)| *count > 0);
        let counts = counts.map(|(name, count)| format!(", {count} {name}"));
        let counts: String = counts.collect();
        if has_all || !counts.is_empty() {
            is_said = true;
            let all = report.added + report.changed + report.unchanged + report.returned;
            screen.note(&format!("{table}: {}{counts}", records(all)));
        }
    }
    let coverage = synced.report.tables.iter().filter_map(|table| table.coverage.as_ref());
    let coverage = coverage.map(|coverage| coverage.text("--values"));
    for text in coverage.chain(synced.unknown.clone()).filter(|_| is_said) {
        screen.note(&text);
    }
}

/// Returns the options of the sync.
fn options<S: Mirrored>(flags: &SyncFlags) -> SyncOptions {
    let recovered = found::<S>().recovered.into_iter();
    let default = SyncOptions::default();
    // Groups with unknown values did not change, so they would otherwise have to wait.
    let is_all = flags.all || !flags.values.is_empty();
    SyncOptions {
        emits_baseline: flags.emit_baseline,
        accepted_missing: flags.accept_missing.iter().cloned().collect(),
        concurrency: flags.concurrency.map_or(default.concurrency, Into::into),
        recovers: !flags.no_recover,
        values: recovered.map(|one| (one.value.to_owned(), flags.values.clone())).collect(),
        recheck_every: if is_all { 1 } else { default.recheck_every },
        ..default
    }
}

/// Repairs the mirror, so that the sync writes damaged rows again, and warns of the damage.
fn rebuild<S>(session: &Session<S>, mirror: &mut Mirror) -> Result<(), Failure> {
    let rebuilt = mirror.rebuild().map_err(|error| damaged(error, &session.invocation))?;
    let findings = rebuilt.findings.len();
    if findings > 0 {
        let text = format!(
            "corrected {}; this sync rewrites damaged rows that are still listed; check the disk",
            counted(findings, "finding")
        );
        session.invocation.screen.warn(&text);
    }
    Ok(())
}

/// Returns the first failure, and warns of the others.
fn failed<S: Mirrored>(
    session: &Session<S>,
    mirror: &Mirror,
    report: &SyncReport,
) -> Result<(), Failure> {
    if let Some(error) = &report.error {
        return Err(error.into());
    }
    let screen = session.invocation.screen;
    let mut failed: Vec<Failure> = Vec::new();
    let mut add = |part: &str, error: &Error| {
        // The cause of a call says more than that the list was not synced.
        let failure = match error.source().and_then(|cause| cause.downcast_ref::<CallError>()) {
            Some(call) if error.kind() == ErrorKind::Call => session.explain(call),
            _ => error.into(),
        };
        failed.push(failure.within(&format!("the {part} was not synced")));
    };
    for TableReport { table, result, failures, .. } in &report.tables {
        match result {
            Err(error) => add(&format!("table {table}"), error),
            Ok(_) => {
                for GroupFailure { group, error, .. } in failures {
                    add(&format!("group {group} of {table}"), error);
                }
            }
        }
    }
    for one in &report.samples {
        if let Err(error) = &one.result {
            add(&format!("gauge {}", one.gauge), error);
        }
    }
    let rejected = rejected(session, mirror, report);
    let mut failed = failed.into_iter();
    let Some(first) = failed.next() else { return rejected };
    failed.for_each(|other| other.warn(screen));
    let is_refused = first.exit() == Exit::Guarded;
    Err(if is_refused { first.hint(accept_hint(report, &session.invocation)) } else { first })
}

/// Warns of records that could not be read. Fails if a table has one.
fn rejected<S: Mirrored>(
    session: &Session<S>,
    mirror: &Mirror,
    report: &SyncReport,
) -> Result<(), Failure> {
    let mut rejected = 0;
    for TableReport { table, result, .. } in &report.tables {
        let Ok(report) = result else { continue };
        rejected += report.rejected;
        let named = mirror.rejections(table, MAX_NAMED.into())?;
        for Rejection { index, reason, .. } in &named {
            session.invocation.screen.warn(&format!("skipped record {index} of {table}: {reason}"));
        }
        let more = report.rejected.saturating_sub(named.len() as u64);
        if more > 0 {
            session.invocation.screen.warn(&format!("skipped {more} more of {table}"));
        }
    }
    if rejected == 0 {
        return Ok(());
    }
    let text = format!("skipped {}; all other records were synced", records(rejected));
    Err(Failure::new(Exit::Rejected, text))
}

/// Parses a number of concurrent calls.
fn calls(text: &str) -> Result<u8, &'static str> {
    text.parse().ok().filter(|calls| *calls > 0).ok_or("expected a whole number from 1 to 255")
}

/// Parses the accepted number of missing records of a table.
fn accepted(text: &str) -> Result<(String, u64), &'static str> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(table, records)| Some((table.to_owned(), records.parse().ok()?)));
    parts.ok_or("expected the table and the number from a refused sync, such as TABLE=4812")
}

/// Returns the hint of a sync in which the mirror refused lists: the flags that accept their numbers.
fn accept_hint(report: &SyncReport, invocation: &Invocation) -> String {
    let flags = report.tables.iter().filter_map(|TableReport { table, result, .. }| {
        let missing = result.as_ref().err()?.missing()?;
        Some(format!(" --accept-missing {table}={missing}"))
    });
    let accept = invocation.command(&format!("mirror sync{}", flags.collect::<String>()));
    format!("if the list is right, run {accept} with the same flags")
}

#[cfg(test)]
mod tests {
    use super::accepted;

    #[test]
    fn a_table_with_a_number_is_accepted() {
        assert_eq!(accepted("photo=12"), Ok(("photo".to_owned(), 12)));
        for wrong in ["", "12", "photo=", "photo", "photo=-1"] {
            assert!(accepted(wrong).unwrap_err().contains("such as TABLE=4812"), "{wrong}");
        }
    }
}
