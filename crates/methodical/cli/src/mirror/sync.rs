//! `mirror sync`: brings the mirror up to date. `watch`: also delivers the changes. Both repeat that on request.

use std::error::Error as StdError;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, stdout};
use std::mem;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use methodical_client::transport::TransportError;
use methodical_client::{Error as CallError, sleep_blocking};
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{
    ChangeKind, Consumer, Delivery, DeliveryEnd, Error, ErrorKind, Exec, Limits, Mirror, Ndjson,
    Rejection, Sink, SyncError, SyncOptions, SyncProgress, SyncReport, TableReport, Webhook,
};

use crate::args::positive;
use crate::commands::{Invocation, quoted};
use crate::connect::{no_base_url, token_text, transport};
use crate::failure::{Exit, Failure};
use crate::files;
use crate::mirror::open::{Place, ago, damaged, duration, now};
use crate::mirror::{found, unknown};
use crate::output::Format;
use crate::output::printer::{LiveLine, MAX_NAMED, counted, records};
use crate::screen::{self, lock};
use crate::session::Session;
use crate::settings::{Settings, ValueOrder, setting};

/// The flags of a sync.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SyncFlags {
    /// Mirror: a file [default: `{PROGRAM}_MIRROR`, the profile, or a file in the data folder].
    ///
    /// The file in the data folder is `{program}/mirrors/PROFILE.db` in `XDG_DATA_HOME` or `~/.local/share`. `mirror
    /// status` prints its path. Only you can read it.
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
    /// The service can only filter by such a value, so the sync needs its name. Names in the contract and in the setting
    /// `statuses`, and names that you gave before, are always included.
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
    flags: &SyncFlags,
    every: Option<u64>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if invocation.output.output.is_some() || invocation.output.file().is_some() {
        let text = "cannot use -o or --output-file: a sync prints no records";
        let status = invocation.command("mirror status -o json");
        let changes = invocation.command("mirror changes");
        return Err(Failure::usage(text).hint(format!(
            "after the sync, {status} prints the counts of each table, and {changes} what has changed"
        )));
    }
    invocation.output.refuse_selection("a sync prints no records")?;
    let run = || {
        let (session, mut mirror) = open::<S>(flags, invocation)?;
        sync_and_summarize(&session, &mut mirror, flags, every.is_none())
    };
    match every {
        Some(every) => repeat(Duration::from_secs(every), invocation, run),
        None => run(),
    }
}

/// Runs a task, and again after each interval, until a signal ends the program with success.
///
/// A failure about the command line or the configuration ends the program if it is the first result. Any other failure
/// is printed, and the next run follows.
fn repeat(
    every: Duration,
    invocation: &Invocation,
    mut task: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    screen::end_with_success();
    let mut is_first = true;
    loop {
        let begun = Instant::now();
        match task() {
            Err(failure) if is_first && failure.exit() == Exit::Usage => return Err(failure),
            // The reader of the output has closed it.
            Err(failure) if failure.exit() == Exit::Done => return Err(failure),
            Err(failure) => failure.print(invocation.screen),
            Ok(()) => {}
        }
        is_first = false;
        // Only a signal ends the wait earlier, and it ends the program.
        sleep_blocking(every.saturating_sub(begun.elapsed()).max(Duration::from_secs(1)));
    }
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
    if flags.no_personal && mirror.omit_personal()? > 0 {
        invocation.screen.note("emptied the personal fields of the mirror");
    }
    Ok((session, mirror))
}

/// Syncs the mirror. Returns the report, and the failure if a part of the sync failed.
pub(crate) fn sync<S: Mirrored>(
    session: &Session<S>,
    mirror: &mut Mirror,
    flags: &SyncFlags,
) -> Result<(SyncReport, Result<(), Failure>), Failure> {
    let screen = session.invocation.screen;
    if flags.all {
        // The sync writes damaged rows again.
        let rebuilt = mirror.rebuild().map_err(|error| damaged(error, &session.invocation))?;
        if !rebuilt.findings.is_empty() {
            screen.warn(&format!(
                "found and repaired {} in the mirror; this sync also rewrites damaged rows of records that the service still lists; check the disk for errors",
                counted(rebuilt.findings.len(), "problem")
            ));
        }
    }
    let line = Arc::new(Mutex::new(LiveLine::new(screen, io::stderr().is_terminal())));
    let shown = Arc::clone(&line);
    let mut options = options::<S>(flags, &session.settings);
    options.on_progress = Some(Arc::new(move |progress| lock(&shown).show(|| text(progress))));
    let done = mirror.sync_all(session.client()?, &options);
    lock(&line).clear();
    let report = done.unwrap_or_else(SyncError::into_report);
    let done = failed(session, mirror, &report);
    let is_success = done.as_ref().err().is_none_or(|one| one.exit() == Exit::Rejected);
    if is_success && let Some(token) = token_text(&session.settings, &session.invocation) {
        // If this fails, readers only miss a note.
        let _unnoted = mirror.note_token(&token);
    }
    Ok((report, done))
}

/// Returns the text of the progress line, such as `photo: 1234 records` or `album: requested 312 of 480`.
fn text(progress: SyncProgress) -> String {
    match progress {
        SyncProgress::Records { table, received, .. } => format!("{table}: {}", records(received)),
        SyncProgress::Groups { groups, asked, all, .. } => {
            format!("{groups}: requested {asked} of {all}")
        }
        _ => String::new(),
    }
}

/// Syncs the mirror and prints the counts of all tables, or only of those that changed. Then prints how many values are
/// known, and which value names no record has.
fn sync_and_summarize<S: Mirrored>(
    session: &Session<S>,
    mirror: &mut Mirror,
    flags: &SyncFlags,
    has_all: bool,
) -> Result<(), Failure> {
    let (report, done) = sync(session, mirror, flags)?;
    let (screen, mut is_said) = (session.invocation.screen, false);
    for TableReport { table, result, .. } in &report.tables {
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
    if !is_said {
        return done;
    }
    let to = flags.to.as_deref().map(|to| format!("--to {} ", quoted(to))).unwrap_or_default();
    let option = session.invocation.command(&format!("mirror sync {to}--values NAME"));
    for coverage in report.tables.iter().filter_map(|table| table.coverage.as_ref()) {
        screen.note(&coverage.text(&option));
    }
    let is_known = done.is_ok() && !flags.no_recover;
    let requested = options::<S>(flags, &session.settings).values;
    for of in found::<S>().recovered.into_iter().filter(|_| is_known) {
        for value in requested.get(of.value).into_iter().flatten() {
            let text = format!("no {} has the {} `{value}`", of.members.name(), of.value);
            let text = unknown(Some(mirror), of, value, text);
            text.inspect(|text| screen.note(text));
        }
    }
    done
}

/// Returns the sync's options. The sync requests the values that the flags and the settings name.
fn options<S: Mirrored>(flags: &SyncFlags, settings: &Settings) -> SyncOptions {
    let recovered = found::<S>().recovered.into_iter();
    // While the name of a new value was unknown, a change in a group was not seen.
    let is_all = flags.all || !flags.values.is_empty();
    let mut values = flags.values.clone();
    values.extend(ValueOrder::of(settings).0.into_iter().flat_map(|(_, values)| values));
    let default = SyncOptions::default();
    SyncOptions {
        emits_baseline: flags.emit_baseline,
        accepted_missing: flags.accept_missing.iter().cloned().collect(),
        concurrency: flags.concurrency.map_or(default.concurrency, Into::into),
        recovers: !flags.no_recover,
        values: recovered.map(|one| (one.value.to_owned(), values.clone())).collect(),
        recheck_every: if is_all { 1 } else { default.recheck_every },
        ..default
    }
}

/// Returns the first failure and warns of the others.
fn failed<S: Mirrored>(
    session: &Session<S>,
    mirror: &Mirror,
    report: &SyncReport,
) -> Result<(), Failure> {
    if let Some(error) = &report.error {
        return Err(error.into());
    }
    let screen = session.invocation.screen;
    let tables =
        report.tables.iter().flat_map(|TableReport { table, result, failures, .. }| {
            let own = result.as_ref().err().map(|error| (format!("table {table}"), error));
            let groups = failures.iter();
            own.into_iter().chain(
                groups.map(move |one| (format!("group {} of {table}", one.group), &one.error)),
            )
        });
    let gauges = report.samples.iter();
    let gauges =
        gauges.filter_map(|one| Some((format!("gauge {}", one.gauge), one.result.as_ref().err()?)));
    let mut failed = tables.chain(gauges).map(|(part, error)| {
        // The error of the call explains more than that the list was not synced.
        let failure = match error.source().and_then(|cause| cause.downcast_ref::<CallError>()) {
            Some(call) if error.kind() == ErrorKind::Call => session.explain(call),
            _ => error.into(),
        };
        failure.within(&format!("the {part} was not synced"))
    });
    let rejected = rejected(session, mirror, report);
    let Some(first) = failed.next() else { return rejected };
    failed.for_each(|other| other.warn(screen));
    if first.exit() != Exit::Guarded {
        return Err(first);
    }
    let accepted = report.tables.iter().filter_map(|TableReport { table, result, .. }| {
        let missing = result.as_ref().err()?.missing()?;
        Some(format!(" --accept-missing {table}={missing}"))
    });
    let sync = session.invocation.command(&format!("mirror sync{}", accepted.collect::<String>()));
    Err(first.hint(format!("if the list is right, run {sync} with the same flags")))
}

/// Fails, after a warning, if records could not be read.
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

/// Parses `TABLE=N`: a table, and the number of missing records to accept.
fn accepted(text: &str) -> Result<(String, u64), &'static str> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(table, records)| Some((table.to_owned(), records.parse().ok()?)));
    parts.ok_or("expected the table and the number from a refused sync, such as TABLE=4812")
}

/// The flags of `watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchFlags {
    #[command(flatten)]
    sync: SyncFlags,

    /// Time between two syncs, such as `1h`.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m")]
    every: u64,

    /// Sync and deliver once, for cron.
    #[arg(long, conflicts_with = "every")]
    once: bool,

    /// Run COMMAND for each change, with the event as JSON on its standard input. It runs without a shell.
    #[arg(long, value_name = "COMMAND", value_parser = command, conflicts_with = "webhook")]
    exec: Option<Exec>,

    /// POST each change to URL, signed according to Standard Webhooks with the secret in `{PROGRAM}_WEBHOOK_SECRET`.
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,

    /// Read the secret of the webhook from a file that only you can read.
    #[arg(long, value_name = "FILE", requires = "webhook", hide_short_help = true)]
    webhook_secret_file: Option<PathBuf>,

    /// Send up to COUNT events in one request, as a JSON array.
    #[arg(long, value_name = "COUNT", requires = "webhook", hide_short_help = true, value_parser = positive::<NonZeroUsize>)]
    batch: Option<NonZeroUsize>,

    /// Deliver only changes of TABLE. Repeat the flag for several.
    #[arg(long, value_name = "TABLE", hide_short_help = true)]
    table: Vec<String>,

    /// Deliver only changes of KIND, such as `value_changed`. Repeat the flag for several.
    #[arg(long, value_name = "KIND", value_parser = kind, hide_short_help = true)]
    kind: Vec<ChangeKind>,

    /// Name of the receiver, for which the mirror keeps a position in the changes [default: `exec`, `webhook` or
    /// `stdout`].
    ///
    /// Each consumer gets every change; a new one receives only later changes. Give each receiver its own name, because
    /// two processes cannot deliver to the same consumer at the same time. `mirror consumers` lists the names.
    #[arg(long, value_name = "NAME")]
    consumer: Option<String>,

    /// Resume deliveries to a receiver that was disabled after status 410, and retry failed deliveries now.
    #[arg(long)]
    resume: bool,
}

impl WatchFlags {
    /// Returns the consumer's name. The defaults differ, so that printing events does not consume a webhook's events.
    fn consumer(&self) -> &str {
        match (&self.consumer, &self.exec, &self.webhook) {
            (Some(name), ..) => name,
            (None, Some(_), _) => "exec",
            (None, None, Some(_)) => "webhook",
            (None, None, None) => "stdout",
        }
    }
}

fn kind(text: &str) -> Result<ChangeKind, String> {
    let names = || ChangeKind::ALL.map(ChangeKind::as_str).join(", ");
    ChangeKind::from_name(text).ok_or_else(|| format!("expected one of {}", names()))
}

fn command(text: &str) -> Result<Exec, &'static str> {
    let words = shlex::split(text).unwrap_or_default();
    let expected = "expected a program and its arguments, quoted as in a shell";
    let (program, arguments) = words.split_first().ok_or(expected)?;
    Ok(Exec::new(program, arguments))
}

pub(crate) fn watch<S: Mirrored>(
    flags: &WatchFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if invocation.output.format()?.is_some_and(|format| format != Format::NDJSON)
        || invocation.output.file().is_some()
    {
        return Err(Failure::usage(
            "cannot use --output-file, or -o with another format: events are always NDJSON on standard output",
        ));
    }
    invocation.output.refuse_selection("every event is delivered")?;
    if invocation.service.dry_run {
        return open::<S>(&flags.sync, invocation).map(drop);
    }
    let (mut sink, mut resumes) = (sink(flags, invocation)?, flags.resume);
    let mut run = || sync_and_deliver::<S>(flags, invocation, &mut *sink, &mut resumes);
    if flags.once { run() } else { repeat(Duration::from_secs(flags.every), invocation, run) }
}

fn sink(flags: &WatchFlags, invocation: &Invocation) -> Result<Box<dyn Sink>, Failure> {
    if let Some(exec) = &flags.exec {
        exec.check()?;
        return Ok(Box::new(exec.clone()));
    }
    let Some(url) = &flags.webhook else {
        let lines: Ndjson<BufWriter<Stdout>> = Ndjson::new(BufWriter::new(stdout()));
        return Ok(Box::new(lines));
    };
    let variable = invocation.program.variable("WEBHOOK_SECRET");
    let secret = match &flags.webhook_secret_file {
        Some(path) => files::read_private(path, "secret")?,
        None => setting(&variable)?,
    };
    let secret = secret.ok_or_else(|| {
        Failure::usage("cannot sign the events: no webhook secret was found")
            .hint(format!("set {variable}, or use --webhook-secret-file with an existing file"))
    })?;
    let transport = transport(invocation, &Settings::of(invocation)?, false)?;
    let webhook = Webhook::new(transport, url, secret.trim())?;
    Ok(Box::new(match flags.batch {
        Some(events) => webhook.batch(events),
        None => webhook,
    }))
}

/// Syncs the mirror and delivers the changes. If `resumes` is true, first enables the consumer, removes its delay, and
/// resets `resumes`.
fn sync_and_deliver<S: Mirrored>(
    flags: &WatchFlags,
    invocation: &Invocation,
    sink: &mut dyn Sink,
    resumes: &mut bool,
) -> Result<(), Failure> {
    let (session, mut mirror) = open::<S>(&flags.sync, invocation)?;
    let name = flags.consumer();
    let own = |all: Vec<Consumer>| all.into_iter().find(|one| one.name == name);
    // Before the sync, so that a new consumer gets its changes. Adding waits while another process is syncing.
    if mirror.consumers().map(own)?.is_none() {
        mirror.add_consumer(name)?;
    }
    if mem::take(resumes) {
        mirror.enable_consumer(name)?;
    }
    let synced = sync_and_summarize(&session, &mut mirror, &flags.sync, false);
    // Changes of earlier syncs, and of the tables that were synced, are delivered in any case.
    let limits =
        Limits { tables: flags.table.iter().cloned().collect(), kinds: flags.kind.clone() };
    let delivered = match mirror.deliver(name, sink, &limits) {
        Ok(Delivery { end: DeliveryEnd::Closed, .. }) => {
            Err(io::Error::from(io::ErrorKind::BrokenPipe).into())
        }
        Ok(delivery) => refuse_waiting(&delivery, flags),
        Err(error) => Err(undelivered(&error, mirror.consumers().map(own)?, flags, invocation)),
    };
    match (synced, delivered) {
        (Err(failure), Err(second)) => {
            second.print(invocation.screen);
            Err(failure)
        }
        (synced, delivered) => synced.and(delivered),
    }
}

/// Fails if a single run (`--once`) leaves events for later.
fn refuse_waiting(delivery: &Delivery, flags: &WatchFlags) -> Result<(), Failure> {
    let DeliveryEnd::Waiting { until } = delivery.end else { return Ok(()) };
    if !flags.once || delivery.behind == 0 {
        return Ok(());
    }
    let (to, due, waiting) = (flags.consumer(), ago(until.saturating_sub(now())), delivery.behind);
    let text = format!(
        "cannot deliver to `{to}` yet: an earlier delivery failed, and the next attempt is due in {due}; waiting \
         changes: {waiting}"
    );
    Err(Failure::new(Exit::Contract, text).hint("`--resume` delivers without this delay"))
}

fn undelivered(
    error: &Error,
    consumer: Option<Consumer>,
    flags: &WatchFlags,
    invocation: &Invocation,
) -> Failure {
    let failed = error.source().and_then(StdError::source);
    let is_unreachable = failed.is_some_and(<dyn StdError>::is::<TransportError>);
    let is_printed = flags.exec.is_none() && flags.webhook.is_none();
    let failure = Failure::from(error);
    if consumer.is_some_and(|one| one.disabled_at.is_some()) {
        let resume = invocation.command("watch --resume");
        let hint = format!("to deliver again, run {resume} with the same flags");
        return failure.with_exit(Exit::Contract).hint(hint);
    }
    match error.kind() {
        ErrorKind::Delivery if is_printed => failure.with_exit(Exit::Unwritten),
        ErrorKind::Delivery if is_unreachable => failure.with_exit(Exit::Network),
        _ => failure,
    }
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
