//! File descriptors: how many the process may open, and how many connections that allows.

use methodical_serve::REFUSALS;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::ops::CONNECTIONS as OPS;

/// Raises the descriptor limit of the process as far as needed and allowed, and lowers settings that do not fit below
/// it. Returns a warning for the operator if fewer connections than configured are possible.
///
/// Without this, one connection too many could take the descriptor that the database needs to serve the others.
pub(super) fn fit(config: &mut Config) -> Result<Option<String>, Error> {
    let allowed = raise(needed(config).saturating_add(config.connections));
    let wanted = config.connections;
    config.connections = allowed.saturating_sub(needed(config)).min(wanted);
    if config.connections == 0 {
        let readers = config.readers;
        let help = format!(
            "the limit of {allowed} open files is too low for {readers} readers: raise it (ulimit -n)"
        );
        return Err(Error::new(ErrorKind::Config, help));
    }
    let connections = config.connections;
    Ok((connections < wanted).then(|| {
        format!(
            "serving at most {connections} connections, not {wanted}: the process may open {allowed} files; raise the limit (ulimit -n)"
        )
    }))
}

/// Returns how many descriptors are needed besides the connections.
fn needed(config: &Config) -> usize {
    PROCESS + OPS + REFUSALS + config.readers * PER_READER
}

/// Raises the limit to `wanted` descriptors if the system allows it. Returns how many of them may be used.
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

/// Descriptors for the standard streams, the runtime, two listeners, the file being written, and some spare.
const PROCESS: usize = 24;

/// Descriptors of a PostgreSQL connection with its runtime. A SQLite connection needs two.
const PER_READER: usize = 5;
