//! `watch`: syncs the mirror repeatedly, and delivers the changes. Also the loop of commands that repeat.

use std::error::Error as StdError;
use std::io::{self, BufWriter, Stdout, stdout};
use std::mem;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use methodical_client::sleep_blocking;
use methodical_client::transport::TransportError;
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{
    ChangeKind, Consumer, Delivery, DeliveryEnd, Error, ErrorKind, Exec, Limits, Mirror, Ndjson,
    Sink, Webhook,
};

use crate::args::positive;
use crate::connect::transport;
use crate::failure::{Exit, Failure};
use crate::mirror::open::{ago, duration, now};
use crate::mirror::sync::{SyncFlags, open, summarize, sync};
use crate::output::format::Format;
use crate::run::Invocation;
use crate::settings::{Settings, setting};
use crate::{files, interrupt};

/// Runs a task, and again after each interval, until a signal ends the program with success.
///
/// A failure about the command line or the configuration ends the program if it is the first result. Any other failure is
/// printed, and the next run follows.
pub(crate) fn repeat(
    every: Duration,
    invocation: &Invocation,
    mut task: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    interrupt::end_with_success();
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
        sleep_blocking(every.saturating_sub(begun.elapsed()).max(PAUSE));
    }
}

const PAUSE: Duration = Duration::from_secs(1);

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

    /// Name of the receiver, for which the mirror keeps a position in the changes [default: `exec`, `webhook` or `stdout`].
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
    /// Returns the name of the consumer. The defaults differ, so that printing events does not consume those of a
    /// webhook.
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

pub(crate) fn run<S: Mirrored>(flags: &WatchFlags, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.output.format()?.is_some_and(|format| format != Format::NDJSON)
        || invocation.output.file().is_some()
    {
        return Err(Failure::usage("cannot use -o or --output-file: events are always JSON lines"));
    }
    invocation.output.refuse_selection("every event is delivered")?;
    if invocation.service.dry_run {
        return open::<S>(&flags.sync, invocation).map(drop);
    }
    let mut watch =
        Watch { flags, invocation, sink: sink(flags, invocation)?, resumes: flags.resume };
    if flags.once {
        return watch.run::<S>();
    }
    repeat(Duration::from_secs(flags.every), invocation, || watch.run::<S>())
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
    let variable = invocation.program.name().variable("WEBHOOK_SECRET");
    let secret = match &flags.webhook_secret_file {
        Some(path) => files::read_private(path, "secret")?,
        None => setting(&variable)?,
    };
    let secret = secret.ok_or_else(|| {
        Failure::usage("no secret for the webhook")
            .hint(format!("set {variable}, or use --webhook-secret-file"))
    })?;
    let transport = transport(invocation, &Settings::of(invocation)?, false)?;
    let webhook = Webhook::new(transport, url, secret.trim())?;
    Ok(Box::new(match flags.batch {
        Some(events) => webhook.batch(events),
        None => webhook,
    }))
}

struct Watch<'a> {
    flags: &'a WatchFlags,
    invocation: &'a Invocation,
    sink: Box<dyn Sink>,
    /// Whether the next run removes the delay of the consumer.
    resumes: bool,
}

impl Watch<'_> {
    /// Syncs, and delivers the changes.
    fn run<S: Mirrored>(&mut self) -> Result<(), Failure> {
        let (session, mut mirror) = open::<S>(&self.flags.sync, self.invocation)?;
        // Before the sync, so that a new consumer gets its changes.
        self.prepare(&mut mirror)?;
        let synced = sync(&session, &mut mirror, &self.flags.sync).and_then(|synced| {
            summarize(&synced, false, self.invocation.screen);
            synced.done
        });
        // Changes of earlier syncs, and of the tables that were synced, are delivered in any case.
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        let WatchFlags { table, kind, .. } = self.flags;
        let limits = Limits { tables: table.iter().cloned().collect(), kinds: kind.clone() };
        let delivered = match mirror.deliver(self.flags.consumer(), &mut *self.sink, &limits) {
            Ok(Delivery { end: DeliveryEnd::Closed, .. }) => Err(closed.into()),
            Ok(delivery) => self.refuse_waiting(&delivery),
            Err(error) => Err(self.explain(&error, self.find(&mirror)?.as_ref())),
        };
        match (synced, delivered) {
            (Err(failure), Err(second)) => {
                second.print(self.invocation.screen);
                Err(failure)
            }
            (synced, delivered) => synced.and(delivered),
        }
    }

    fn prepare(&mut self, mirror: &mut Mirror) -> Result<(), Error> {
        // Adding a consumer waits while another process is syncing, so do it only once.
        if self.find(mirror)?.is_none() {
            mirror.add_consumer(self.flags.consumer())?;
        }
        if mem::take(&mut self.resumes) {
            mirror.enable_consumer(self.flags.consumer())?;
        }
        Ok(())
    }

    fn find(&self, mirror: &Mirror) -> Result<Option<Consumer>, Error> {
        Ok(mirror.consumers()?.into_iter().find(|one| one.name == self.flags.consumer()))
    }

    /// Refuses a single run that leaves events for later.
    fn refuse_waiting(&self, delivery: &Delivery) -> Result<(), Failure> {
        let DeliveryEnd::Waiting { until } = delivery.end else { return Ok(()) };
        if !self.flags.once || delivery.behind == 0 {
            return Ok(());
        }
        let Delivery { behind, .. } = delivery;
        let text = format!(
            "cannot deliver to `{}` yet: an earlier delivery failed, and the next attempt is due in {}; waiting changes: \
             {behind}",
            self.flags.consumer(),
            ago(until.saturating_sub(now()))
        );
        Err(Failure::new(Exit::Contract, text).hint("`--resume` delivers without this delay"))
    }

    fn explain(&self, error: &Error, consumer: Option<&Consumer>) -> Failure {
        let failed = error.source().and_then(StdError::source);
        let is_unreachable = failed.is_some_and(<dyn StdError>::is::<TransportError>);
        let is_printed = self.flags.exec.is_none() && self.flags.webhook.is_none();
        let mut failure = Failure::from(error);
        if error.kind() == ErrorKind::Delivery && is_printed {
            failure = failure.with_exit(Exit::Unwritten);
        } else if error.kind() == ErrorKind::Delivery && is_unreachable {
            failure = failure.with_exit(Exit::Network);
        }
        if consumer.is_some_and(|one| one.disabled_at.is_some()) {
            let resume = self.invocation.command("watch --resume");
            failure = failure
                .with_exit(Exit::Contract)
                .hint(format!("to deliver again, run {resume} with the same flags"));
        }
        failure
    }
}
