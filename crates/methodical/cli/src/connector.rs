//! `tap`: a tap in the sense of Singer 0.3.0, which writes the mirror as lines of JSON.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use methodical_mirror::model::Service;
use methodical_mirror::model::tables::Mirrored;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::connect::parsed_token;
use crate::connector::reader::{START_OVER, Writer};
use crate::connector::stream::{Catalog, discovered, streams};
use crate::failure::{Exit, Failure};
use crate::files;
use crate::mirror::open::{refuse_from, unreadable, utc};
use crate::mirror::sync::{self, SyncFlags, Synced};
use crate::run::Invocation;
use crate::settings::TokenFrom;

mod reader;
mod stream;
#[cfg(test)]
mod tests;

/// The flags of `tap`.
#[derive(Debug, Args)]
pub(crate) struct TapFlags {
    /// Read the configuration from a JSON file [default: the profile and the environment].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Continue after the state in a JSON file: the last one that the target printed.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Read only the streams and fields that are selected in a catalog [default: all].
    #[arg(long, value_name = "FILE")]
    catalog: Option<PathBuf>,

    /// Print the catalog of all streams. --state and --catalog have no effect on it; Meltano passes both.
    #[arg(long, short = 'd')]
    discover: bool,
}

pub(crate) fn run<S: Mirrored>(flags: &TapFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_from(invocation)?;
    invocation.output.refuse_selection("a catalog selects streams and fields")?;
    let config = flags.config.as_ref().map(|path| read_json(path, "configuration")).transpose()?;
    let streams = streams::<S>();
    if flags.discover {
        let mut out = stdout().lock();
        serde_json::to_writer_pretty(&mut out, &discovered(&streams)).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let catalog = flags.catalog.as_ref().map(|path| read_json::<Catalog>(path, "catalog"));
    let streams = match catalog.transpose()? {
        Some(catalog) => catalog.select(&streams)?,
        None => streams,
    };
    let state = flags.state.as_ref().map(|path| read_json(path, "state")).transpose();
    let state: Option<Option<TapState>> = state.map_err(|failure| failure.hint(START_OVER))?;
    let state = state.flatten().unwrap_or_default();
    let (invocation, flags) = Config::apply::<S>(config.unwrap_or_default(), invocation)?;
    if invocation.is_dry_run("would sync the mirror, and write its streams") {
        return Ok(());
    }
    let Some((session, mut mirror)) = sync::open::<S>(&flags, &invocation)? else { return Ok(()) };
    let Synced { report, done, .. } = sync::sync(&session, &mut mirror, &flags)?;
    let is_useless = report.error.is_some() || report.tables.iter().all(|one| one.result.is_err());
    let done = match done {
        Err(failure) if is_useless => return Err(failure),
        // A scheduler would count a record that cannot be read as the failure of every run.
        Err(failure) if failure.exit() == Exit::Rejected => Ok(()),
        done => done,
    };
    let tables = mirror.tables().map_err(unreadable)?;
    let is_synced =
        |name: &str| tables.iter().any(|one| one.table == name && one.completed_at.is_some());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut writer = Writer {
        out: BufWriter::new(stdout()),
        mirror: &mirror,
        // Also those of streams that are not selected: a state replaces the one before.
        bookmarks: state.bookmarks,
        extracted: utc(i64::try_from(now.as_secs()).unwrap_or(i64::MAX)),
    };
    for stream in &streams {
        let name = stream.table.name();
        if is_synced(name) {
            writer.write_stream(stream)?;
        } else {
            let text = format!("the mirror does not have `{name}` yet: it was never synced");
            invocation.screen.warn(&text);
        }
    }
    done
}

/// The states of the streams, as the target printed them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TapState {
    bookmarks: BTreeMap<String, Value>,
}

/// The configuration of the tap. It has no `Debug`, because it may have a token.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    base_url: Option<String>,
    token: Option<String>,
    token_file: Option<PathBuf>,
    profile: Option<String>,
    mirror: Option<String>,
    values: Option<Vec<String>>,
}

impl Config {
    /// Returns the invocation and the flags of a sync with the settings of the configuration. Flags take precedence.
    fn apply<S: Service>(
        self,
        invocation: &Invocation,
    ) -> Result<(Invocation, SyncFlags), Failure> {
        if self.token.is_some() && self.token_file.is_some() {
            let text = "cannot use the configuration: it has both `token` and `token_file`";
            return Err(Failure::usage(text));
        }
        let from = TokenFrom::Configured.to_string();
        let token = self.token.map(|text| parsed_token::<S>(&text, &from)).transpose()?;
        let mut invocation = invocation.clone();
        let service = &mut invocation.service;
        service.profile = service.profile.take().or(self.profile);
        service.base_url = service.base_url.take().or(self.base_url);
        if service.token_file.is_none() && !service.token_stdin {
            service.token_file = self.token_file;
            service.configured_token = token;
        }
        let values = self.values.unwrap_or_default();
        Ok((invocation, SyncFlags { to: self.mirror, values, ..SyncFlags::default() }))
    }
}

/// Reads a JSON file. `what` names its contents in errors, which never repeat a value of them.
fn read_json<T: DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let refused = |text| Failure::usage(format!("cannot read the {what}: {text}"));
    let shown = path.display();
    let text = files::read(path)?.ok_or_else(|| refused(format!("{shown} does not exist")))?;
    serde_json::from_str(&text).map_err(|error| {
        let text = error.to_string();
        // Before `expected` is the value.
        let expected = text.rfind("expected ").filter(|_| text.starts_with("invalid"));
        refused(text.get(expected.unwrap_or(0)..).unwrap_or_default().to_owned())
            .because(format!("in {shown}"))
    })
}
