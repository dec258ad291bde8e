//! Opens the mirror that a connector reads, and syncs it first.

use clap::Parser;
use methodical_mirror::Mirror;
use methodical_mirror::model::Mirrored;

use crate::config::settings::Settings;
use crate::connector::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::failure::unreadable;
use crate::mirror::place::Place;
use crate::mirror::repeat::RepeatFlags;
use crate::mirror::sync::{self, Opened, SyncFlags, Synced};

/// The flags of the sync before a connector reads.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    sync: SyncFlags,
    #[command(flatten)]
    repeat: RepeatFlags,
}

/// A mirror that a connector reads.
pub(crate) struct Source {
    pub(crate) mirror: Mirror,
    /// The tables that were synced at least once.
    pub(crate) tables: Vec<String>,
    /// The failure if a part of the sync failed.
    pub(crate) synced: Result<(), Failure>,
}

/// Opens the mirror of a configuration, after a sync.
pub(crate) fn open<S: Mirrored>(
    config: &Config,
    invocation: &Invocation,
) -> Result<Source, Failure> {
    let (mirror, synced) = if config.sync {
        let flags = flags(config, invocation)?;
        let (session, mut mirror) = open_to_sync::<S>(&flags, config, invocation)?;
        let Synced { report, done, .. } =
            sync::sync(&session, &mut mirror, &flags.sync, &flags.repeat)?;
        let is_useless =
            report.error.is_some() || report.tables.iter().all(|one| one.result.is_err());
        let synced = match done {
            Err(failure) if is_useless => return Err(failure),
            // A scheduler would count a record that cannot be read as the failure of every run.
            Err(failure) if failure.exit() == Exit::Rejected => Ok(()),
            done => done,
        };
        (mirror, synced)
    } else {
        let invocation = configured(config, invocation);
        let settings = Settings::of_known(&invocation)?;
        let (from, account) = (config.mirror.as_deref(), config.account.as_deref());
        let reader = Reader { from, account, settings: &settings, invocation: &invocation };
        let place = Place::of_reader(reader)?;
        if matches!(place.0.try_exists(), Ok(false)) {
            // A command could not repeat the token of the configuration.
            return Err(Failure::usage(format!("the mirror {place} does not exist"))
                .hint("set `sync` to true in the configuration, or sync it with another program"));
        }
        (place.open_existing(reader)?, Ok(()))
    };
    let tables = mirror.tables().map_err(|error| unreadable(&error))?;
    let tables = tables.into_iter().filter(|one| one.completed_at.is_some());
    let tables = tables.map(|one| one.table).collect();
    Ok(Source { mirror, tables, synced })
}

fn open_to_sync<S: Mirrored>(
    flags: &Flags,
    config: &Config,
    invocation: &Invocation,
) -> Result<Opened<S>, Failure> {
    let opened = sync::open::<S>(&flags.sync, &configured(config, invocation))?;
    opened.ok_or_else(|| Failure::new(Exit::Done, "nothing is synced in a dry run"))
}

/// Returns the invocation with the settings of the configuration. Flags take precedence.
fn configured(config: &Config, invocation: &Invocation) -> Invocation {
    let mut invocation = invocation.clone();
    let service = &mut invocation.service;
    service.profile = service.profile.take().or_else(|| config.profile.clone());
    service.base_url = service.base_url.take().or_else(|| config.base_url.clone());
    service.timeout = service.timeout.or(config.timeout);
    service.allow_insecure_http |= config.allow_insecure_http;
    if service.token_file.is_none() && !service.token_stdin {
        service.token_file.clone_from(&config.token_file);
        service.configured_token.clone_from(&config.token);
    }
    invocation
}

/// Returns the flags of a sync as the configuration says.
fn flags(config: &Config, invocation: &Invocation) -> Result<Flags, Failure> {
    let mut line = vec![invocation.program.name.to_string()];
    let texts = [("to", &config.mirror), ("account", &config.account)];
    line.extend(
        texts.iter().filter_map(|(name, text)| Some(format!("--{name}={}", text.as_ref()?))),
    );
    line.extend(config.values.iter().map(|value| format!("--values={value}")));
    line.extend(config.calls_per_second.map(|calls| format!("--calls-per-second={calls}")));
    Flags::try_parse_from(line).map_err(|_quotes| {
        Failure::usage("cannot use the configuration: a value of `values` is empty, or `calls_per_second` is too large")
    })
}
