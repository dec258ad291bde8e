//! Descriptors: how many files and sockets the process may have open, and how many connections that leaves.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::listen::REFUSALS;
use crate::ops::CONNECTIONS as OPS;

/// Raises the limit of the process as far as the configuration needs it and the system lets it, and lowers what does
/// not fit below it. Returns what the operator should know.
///
/// Without this the one connection too many would take the descriptor that the database needs for the others.
pub(super) fn fit(config: &mut Config) -> Result<Option<String>, Error> {
    let allowed = raise(needed(config).saturating_add(config.connections));
    let wanted = config.connections;
    // A list that is not kept is only slower.
    config.list_files = config.list_files.min(allowed / 8);
    config.connections = allowed.saturating_sub(needed(config)).min(wanted);
    if config.connections == 0 {
        let readers = config.readers;
        let help = format!(
            "{allowed} open files are too few for {readers} readers: raise the limit (ulimit -n) or lower readers"
        );
        return Err(Error::new(ErrorKind::Config, help));
    }
    let connections = config.connections;
    Ok((connections < wanted).then(|| {
        format!(
            "no more than {connections} connections at once: the process may open {allowed} files (ulimit -n)"
        )
    }))
}

/// What is open besides the connections.
fn needed(config: &Config) -> usize {
    PROCESS + OPS + REFUSALS + config.list_files + config.readers * PER_READER
}

/// Returns how many descriptors there may be, which are `wanted` if the system lets it be so many.
fn raise(wanted: usize) -> usize {
    let fits = |limit: Option<u64>| limit.is_none_or(|limit| limit >= wanted as u64);
    let limit = getrlimit(Resource::Nofile);
    if fits(limit.current) {
        return wanted;
    }
    let most = if fits(limit.maximum) { Some(wanted as u64) } else { limit.maximum };
    let raised = setrlimit(Resource::Nofile, Rlimit { current: most, maximum: limit.maximum });
    let allowed = if raised.is_ok() { most } else { limit.current };
    allowed.map_or(wanted, |limit| usize::try_from(limit).map_or(wanted, |limit| limit.min(wanted)))
}

/// The standard streams, the runtime, two listeners, the file that is written, and some to spare.
const PROCESS: usize = 24;

/// A connection to PostgreSQL with its runtime; one to SQLite has two.
const PER_READER: usize = 5;
