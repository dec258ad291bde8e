//! `airbyte`: a source of the Airbyte protocol 0.3, which writes the mirror as lines of JSON.

mod catalog;
mod messages;

use std::io::{BufWriter, Stdout, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use methodical_mirror::model::Mirrored;

use crate::connector::airbyte::catalog::{Configured, Mode, configured, discovered, states};
use crate::connector::airbyte::messages::{
    ConnectionStatus, Level, Message, Status, StreamStatus, Writer,
};
use crate::connector::bookmark::Bookmark;
use crate::connector::config::{Config, config_schema, read_json};
use crate::connector::open::{self, Source};
use crate::connector::schema::layout;
use crate::connector::stream::{Stream, streams};
use crate::connector::stream_reader::{Plan, read};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::unreadable;
use crate::mirror::sync::refuse_from;
use crate::operation_commands::OperationCommands;

/// A command of a source.
#[derive(Debug, Subcommand)]
pub(crate) enum AirbyteCommand {
    /// Print the specification of the configuration.
    Spec,
    /// Check that the configuration works: open the mirror, and call the service.
    Check(ConfigFlags),
    /// Print the catalog of all streams.
    Discover(ConfigFlags),
    /// Sync the mirror, and print the records of the streams in the catalog.
    Read(ReadFlags),
}

/// The flags of commands that have a configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigFlags {
    /// Read the configuration from a JSON file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

/// The flags of `read`.
#[derive(Debug, Args)]
pub(crate) struct ReadFlags {
    #[command(flatten)]
    config: ConfigFlags,

    /// Read the streams to print from a configured catalog.
    #[arg(long, value_name = "FILE")]
    catalog: PathBuf,

    /// Continue after the states in a JSON file.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

/// Runs a command of a source.
pub(crate) fn run<C: OperationCommands<Service: Mirrored>>(
    command: &AirbyteCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    refuse_from(invocation)?;
    invocation.output.refuse_selection("a catalog selects streams")?;
    let mut writer = Writer::new(BufWriter::new(stdout()));
    let done = match command {
        AirbyteCommand::Spec => writer.spec(&config_schema()),
        AirbyteCommand::Check(flags) => {
            let status = match check::<C>(flags, invocation) {
                Ok(()) => ConnectionStatus { status: Status::Succeeded, message: None },
                Err(failure) => {
                    ConnectionStatus { status: Status::Failed, message: Some(failure.text()) }
                }
            };
            return writer.write(&Message::ConnectionStatus { connection_status: status });
        }
        AirbyteCommand::Discover(flags) => Config::read::<C::Service>(Some(&flags.config))
            .and_then(|_valid| writer.write(&discovered(&streams::<C::Service>()))),
        AirbyteCommand::Read(flags) => read_all::<C>(flags, invocation, &mut writer),
    };
    if let Err(failure) = &done
        && failure.exit() != Exit::Done
    {
        writer.error(failure)?;
    }
    done
}

/// Opens the mirror, and calls the service unless the mirror is only read.
fn check<C: OperationCommands<Service: Mirrored>>(
    flags: &ConfigFlags,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let config = Config::read::<C::Service>(Some(&flags.config))?;
    if !config.sync {
        return open::open::<C::Client>(&config, invocation).map(drop);
    }
    let (session, _mirror) = open::check::<C::Client>(&config, invocation)?;
    session.client.send(&C::probe()).map(drop).map_err(|error| session.explain(&error))
}

fn read_all<C: OperationCommands<Service: Mirrored>>(
    flags: &ReadFlags,
    invocation: &Invocation,
    writer: &mut Writer<BufWriter<Stdout>>,
) -> Result<(), Failure> {
    let config = Config::read::<C::Service>(Some(&flags.config.config))?;
    let streams = streams::<C::Service>();
    let wanted = configured(&streams, &read_json(&flags.catalog, "catalog")?)?;
    let state = flags.state.as_ref().map(|path| read_json(path, "state")).transpose()?;
    let mut states = states(state)?;
    let source = open::open::<C::Client>(&config, invocation)?;
    let omits_personal = source.mirror.omits_personal().map_err(|error| unreadable(&error))?;
    for wanted in wanted {
        let after = states.remove(&wanted.stream.name);
        let after = after.map(|state| Bookmark::parse(&wanted.stream.name, &state)).transpose()?;
        read_one(&source, &wanted, after.flatten(), omits_personal, writer)?;
    }
    source.synced
}

/// Reads a stream, between the messages about its status.
fn read_one(
    source: &Source,
    wanted: &Configured<'_>,
    after: Option<Bookmark>,
    omits_personal: bool,
    writer: &mut Writer<BufWriter<Stdout>>,
) -> Result<(), Failure> {
    let stream = wanted.stream;
    let mut receiver = writer.begin(stream)?;
    if is_absent(source, stream) {
        let text = format!("the mirror does not have `{}` yet: it was never synced", stream.name);
        receiver.log(Level::Warn, &text)?;
        return receiver.status(StreamStatus::Incomplete);
    }
    let plan = Plan {
        after: after.filter(|after| wanted.accepts(after)),
        is_full: wanted.mode == Mode::FullRefresh,
        layout: layout(&stream.properties.iter().collect::<Vec<_>>(), omits_personal),
        version: wanted.generation_id,
    };
    let done = read(&source.mirror, stream, plan, &mut receiver);
    let is_complete = done.is_ok() && !source.outdated.contains(&stream.name);
    receiver.status(if is_complete { StreamStatus::Complete } else { StreamStatus::Incomplete })?;
    done
}

/// Returns whether the mirror never had the table of a stream.
fn is_absent(source: &Source, stream: &Stream) -> bool {
    stream.has_deletions() && !source.tables.contains(&stream.name)
}
