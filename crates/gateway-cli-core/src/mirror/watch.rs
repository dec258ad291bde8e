//! `watch`: syncs the mirror again and again, and delivers the changes.

use std::io::{BufWriter, Stdout, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use gateway_client_core::ServiceClient;
use gateway_client_core::transport::BlockingTransport;
use gateway_mirror::model::Mirrored;
use gateway_mirror::{
    Delivery, DeliveryEnd, Error, Exec, Limits, Mirror, Ndjson, Sink, StartAt, Webhook,
    WebhookSecret,
};

use crate::config::folder;
use crate::config::settings::Settings;
use crate::config::variable::setting;
use crate::connect::transport;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::repeat::{Next, RepeatFlags, repeat};
use crate::mirror::sync::{SyncFlags, Synced, refuse_from, summarize, sync};
use crate::mirror::time::duration;
use crate::output::format::Format;

/// The flags of `watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchFlags {
    #[command(flatten)]
    sync: SyncFlags,

    /// Time from one sync to the next, such as `15m` or `1h`.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m")]
    every: u64,

    /// Sync and deliver once, for cron.
    #[arg(long, conflicts_with = "every")]
    once: bool,

    /// Run COMMAND for each change, with the event as JSON on its standard input. It runs without a shell.
    #[arg(long, value_name = "COMMAND", value_parser = words, conflicts_with = "webhook")]
    exec: Option<Words>,

    /// Send each change to URL by POST, signed as Standard Webhooks says with the secret in `{PROGRAM}_WEBHOOK_SECRET`.
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,

    /// Read the secret of the webhook from a file that only you can read.
    #[arg(long, value_name = "FILE", requires = "webhook", hide_short_help = true)]
    webhook_secret_file: Option<PathBuf>,

    /// Name of the position in the changes, which the mirror keeps.
    ///
    /// Each name gets every change. A new name begins after the changes that the mirror has.
    #[arg(long, value_name = "NAME", default_value = "watch")]
    consumer: String,

    /// Deliver again to a receiver that was disabled because it is gone, and do not wait after failures.
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    repeat: RepeatFlags,
}

/// A program with its arguments.
#[derive(Clone, Debug)]
struct Words(Vec<String>);

/// Splits a command as a shell does.
fn words(text: &str) -> Result<Words, &'static str> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    words.map(Words).ok_or("expected a program and its arguments, quoted as in a shell")
}

/// Runs `watch`.
pub(crate) fn run<C: ServiceClient<Service: Mirrored>>(
    flags: &WatchFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    refuse_from(invocation)?;
    if invocation.output.format()?.is_some_and(|format| format != Format::Ndjson)
        || invocation.output.file().is_some()
    {
        return Err(Failure::usage("cannot use -o and --output-file: events are lines of JSON"));
    }
    invocation.output.refuse_selection("every event is delivered")?;
    if invocation.call.dry_run {
        return sync::<C>(&flags.sync, &flags.repeat, invocation).map(drop);
    }
    let mut sink = sink(flags, invocation)?;
    let mut resumes = flags.resume;
    let mut watch = || -> Result<Next, Failure> {
        let synced = sync::<C>(&flags.sync, &flags.repeat, invocation)?;
        let Some(Synced { report, done, mut mirror }) = synced else { return Ok(Next::Never) };
        summarize(&report, invocation);
        // The changes of the tables that were synced, and those of earlier syncs, are delivered in any case.
        let delivered = deliver(&mut mirror, flags, resumes, &mut *sink);
        resumes = false;
        done?;
        delivered.map(|delivery| next(&delivery))
    };
    if flags.once {
        return watch().map(drop);
    }
    repeat(Duration::from_secs(flags.every), invocation, watch)
}

/// Creates the receiver of the events.
fn sink(flags: &WatchFlags, invocation: &Invocation) -> Result<Box<dyn Sink>, Failure> {
    if let Some(Words(words)) = &flags.exec {
        let (program, arguments) =
            words.split_first().map_or(("", &[][..]), |(one, rest)| (one, rest));
        let exec = arguments.iter().fold(Exec::new(program), Exec::arg);
        return Ok(Box::new(exec));
    }
    let Some(url) = &flags.webhook else {
        let lines: Ndjson<BufWriter<Stdout>> = Ndjson::new(BufWriter::new(stdout()));
        return Ok(Box::new(lines));
    };
    let variable = format!("{}_WEBHOOK_SECRET", invocation.program.name.prefix());
    let secret = match &flags.webhook_secret_file {
        Some(path) => {
            folder::check_private(path)?;
            folder::read(path)?
        }
        None => setting(&variable)?,
    };
    let secret = secret.ok_or_else(|| {
        Failure::usage("no secret for the webhook")
            .hint(format!("set {variable}, or use --webhook-secret-file"))
    })?;
    let failed = |error: Error| explained(&error);
    let secret = WebhookSecret::new(secret.trim()).map_err(failed)?;
    let transport: Arc<dyn BlockingTransport> = transport(None, &Settings::of(invocation)?)?;
    Ok(Box::new(Webhook::new(transport, url, secret).map_err(failed)?))
}

/// Delivers the changes.
fn deliver(
    mirror: &mut Mirror,
    flags: &WatchFlags,
    resumes: bool,
    sink: &mut dyn Sink,
) -> Result<Delivery, Failure> {
    let failed = |error: Error| explained(&error);
    mirror.add_consumer(&flags.consumer, &StartAt::End).map_err(failed)?;
    if resumes {
        mirror.enable_consumer(&flags.consumer).map_err(failed)?;
    }
    mirror.deliver(&flags.consumer, sink, &Limits::new()).map_err(failed)
}

/// Returns when the next delivery is due.
fn next(delivery: &Delivery) -> Next {
    match delivery.end {
        DeliveryEnd::Closed => Next::Never,
        DeliveryEnd::Waiting { until } => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let until = Duration::from_secs(u64::try_from(until).unwrap_or_default());
            Next::Within(Some(until.saturating_sub(now)))
        }
        _ => Next::Within(None),
    }
}
