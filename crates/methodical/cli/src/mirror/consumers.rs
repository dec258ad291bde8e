//! `mirror consumers`: the receivers of the changes.

use clap::Args;
use methodical_mirror::{Consumer, Error, Mirror};
use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::confirm::confirm;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::mirror::time::utc;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::record_type::Noun;

/// The flags of `mirror consumers`.
#[derive(Debug, Args)]
pub(crate) struct ConsumersFlags {
    /// Deliver again to a consumer that was disabled, and do not wait after failures.
    #[arg(long, value_name = "NAME", conflicts_with = "remove")]
    enable: Option<String>,

    /// Remove a consumer. If it is used again, it begins after the changes that the mirror has then.
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,

    /// Do not ask for confirmation.
    #[arg(short, long, requires = "remove")]
    yes: bool,
}

/// A consumer, as a record of the output.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    position: i64,
    waiting: u64,
    failures: u32,
    failed_at: Option<String>,
    next_attempt_at: Option<String>,
    disabled_since: Option<String>,
    error: Option<&'a str>,
    delivered_at: Option<String>,
    created_at: String,
}

/// Prints the consumers, or changes one.
pub(crate) fn run(flags: &ConsumersFlags, invocation: &Invocation) -> Result<(), Failure> {
    let screen = invocation.screen;
    if invocation.call.dry_run {
        screen.note(&match flags {
            ConsumersFlags { enable: Some(name), .. } => format!("would enable `{name}`"),
            ConsumersFlags { remove: Some(name), .. } => format!("would remove `{name}`"),
            _ => "would read the consumers of the mirror".to_owned(),
        });
        return Ok(());
    }
    let mut mirror = open_to_read(invocation)?;
    let failed = |error: Error| explained(&error);
    let consumers = mirror.consumers().map_err(failed)?;
    if let Some(name) = &flags.enable {
        find(&consumers, name)?;
        mirror.enable_consumer(name).map_err(failed)?;
        screen.note(&format!("enabled `{name}`; the next delivery does not wait"));
        return Ok(());
    }
    if let Some(name) = &flags.remove {
        let consumer = find(&consumers, name)?;
        return remove(&mut mirror, consumer, flags.yes, invocation);
    }
    print(&consumers, invocation)
}

fn print(consumers: &[Consumer], invocation: &Invocation) -> Result<(), Failure> {
    let noun = Some(Noun::new("consumer", "consumers"));
    let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for consumer in consumers {
        printer.print(&shown(consumer))?;
    }
    printer.finish()?;
    Ok(())
}

fn shown(consumer: &Consumer) -> Shown<'_> {
    Shown {
        name: &consumer.name,
        position: consumer.position,
        waiting: consumer.behind,
        failures: consumer.failures,
        failed_at: consumer.failed_at.map(utc),
        next_attempt_at: consumer.next_attempt_at.map(utc),
        disabled_since: consumer.disabled_at.map(utc),
        error: consumer.error.as_deref(),
        delivered_at: consumer.delivered_at.map(utc),
        created_at: utc(consumer.created_at),
    }
}

/// Removes a consumer after a question.
fn remove(
    mirror: &mut Mirror,
    consumer: &Consumer,
    yes: bool,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Consumer { name, behind, .. } = consumer;
    let waiting = match behind {
        0 => String::new(),
        waiting => format!(" It will not get the {waiting} changes that wait for it."),
    };
    confirm(&format!("Remove the consumer `{name}`?{waiting}"), yes)?;
    mirror.remove_consumer(name).map_err(|error| explained(&error))?;
    invocation.screen.note(&format!("removed the consumer `{name}`"));
    Ok(())
}

/// Returns the consumer with a name.
fn find<'a>(consumers: &'a [Consumer], name: &str) -> Result<&'a Consumer, Failure> {
    if let Some(consumer) = consumers.iter().find(|one| one.name == name) {
        return Ok(consumer);
    }
    let failure = Failure::usage(format!("the mirror has no consumer `{name}`"));
    let known: Vec<_> = consumers.iter().map(|one| &*one.name).collect();
    Err(if known.is_empty() {
        failure.hint("the mirror has no consumers yet; `watch` adds one for each --consumer name")
    } else {
        failure.hint(format!("its consumers are {}", known.join(", ")))
    })
}

const COLUMNS: &[&str] = &["name", "position", "waiting", "failures", "disabled_since", "error"];

const FIELDS: &[&str] = &[
    "name",
    "position",
    "waiting",
    "failures",
    "failed_at",
    "next_attempt_at",
    "disabled_since",
    "error",
    "delivered_at",
    "created_at",
];
