//! `tap`: a tap in the sense of Singer 0.3.0, which writes the mirror as lines of JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use methodical_client::{AccessToken, Error};
use methodical_mirror::Mirror;
use methodical_mirror::model::Service;
use methodical_mirror::model::tables::Mirrored;
use serde_json::{Map, Value};

use crate::connect::parsed_token;
use crate::connector::reader::{START_OVER, Writer};
use crate::connector::stream::{discovered, selected, streams};
use crate::failure::{Exit, Failure};
use crate::files;
use crate::mirror::open::{Reader, refuse_from, unreadable, utc};
use crate::mirror::sync::{self, SyncFlags, Synced};
use crate::mirror::watch::RepeatFlags;
use crate::operations::OperationCommands;
use crate::run::Invocation;
use crate::screen::closest;
use crate::settings::Settings;

mod reader;
mod stream;
#[cfg(test)]
mod tests;

/// The parts of the connectors that depend on the service.
#[derive(Clone, Copy)]
pub(crate) struct Connecting {
    pub(crate) tap: fn(&TapFlags, &Invocation) -> Result<(), Failure>,
}

impl fmt::Debug for Connecting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}

impl Connecting {
    /// Creates the hooks of the service of these commands.
    pub(crate) fn new<C: OperationCommands<Service: Mirrored>>() -> Self {
        Self { tap: run::<C::Service> }
    }
}

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
    #[arg(long, alias = "properties", value_name = "FILE")]
    catalog: Option<PathBuf>,

    /// Print the catalog of all streams. --state and --catalog have no effect on it; Meltano passes both.
    #[arg(long, short = 'd')]
    discover: bool,
}

/// Runs `tap`.
fn run<S: Mirrored>(flags: &TapFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_from(invocation)?;
    invocation.output.refuse_selection("a catalog selects streams and fields")?;
    let config = Config::read::<S>(flags.config.as_deref())?;
    let streams = streams::<S>();
    if flags.discover {
        let mut out = stdout().lock();
        serde_json::to_writer_pretty(&mut out, &discovered(&streams)).map_err(io::Error::from)?;
        return Ok(writeln!(out)?);
    }
    let catalog = flags.catalog.as_ref().map(|path| read_json(path, "catalog")).transpose()?;
    let selected = selected(&streams, catalog.as_ref())?;
    let state = flags.state.as_ref().map(|path| read_json(path, "state")).transpose()?;
    // Also those of streams that are not selected: a state replaces the one before.
    let bookmarks = bookmarks(state)?;
    if invocation.is_dry_run("would sync the mirror, and write its streams") {
        return Ok(());
    }
    let (mirror, synced) = open::<S>(&config, invocation)?;
    let tables = mirror.tables().map_err(unreadable)?;
    let is_synced =
        |name: &str| tables.iter().any(|one| one.table == name && one.completed_at.is_some());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let mut writer = Writer {
        out: BufWriter::new(stdout()),
        mirror: &mirror,
        bookmarks,
        extracted: utc(now / 1000),
        version: config.switch("emit_activate_version").unwrap_or_default().then_some(now),
    };
    for one in &selected {
        if one.stream.table().is_some() && !is_synced(&one.stream.name) {
            let name = &one.stream.name;
            let text = format!("the mirror does not have `{name}` yet: it was never synced");
            invocation.screen.warn(&text);
            continue;
        }
        writer.write_stream(one)?;
    }
    synced
}

/// Returns the states of the streams.
fn bookmarks(state: Option<Value>) -> Result<BTreeMap<String, Value>, Failure> {
    let foreign =
        || Failure::usage("cannot read the state: it is not of this program").hint(START_OVER);
    let Some(state) = state.filter(|state| !state.is_null()) else { return Ok(BTreeMap::new()) };
    let mut state: Map<String, Value> =
        serde_json::from_value(state).map_err(|_quotes| foreign())?;
    match state.remove("bookmarks") {
        Some(Value::Object(bookmarks)) => Ok(bookmarks.into_iter().collect()),
        None if state.is_empty() => Ok(BTreeMap::new()),
        _ => Err(foreign()),
    }
}

/// The configuration of the tap, a JSON object. It has no `Debug`, because it may have a token.
struct Config {
    members: Map<String, Value>,
    token: Option<AccessToken>,
}

impl Config {
    /// Reads the configuration from a file. Without a file, the profile and the environment configure everything.
    fn read<S: Service>(path: Option<&Path>) -> Result<Self, Failure> {
        let value = match path {
            Some(path) => read_json(path, "configuration")?,
            None => Value::Object(Map::new()),
        };
        Self::parse(value, parsed_token::<S>)
    }

    /// Reads the configuration. Never repeats a value, which may be a secret.
    fn parse(
        value: Value,
        token: impl FnOnce(&str) -> Result<AccessToken, Error>,
    ) -> Result<Self, Failure> {
        let wrong = |text: &str| Failure::usage(format!("cannot read the configuration: {text}"));
        let Value::Object(members) = value else { return Err(wrong("expected a JSON object")) };
        for (name, value) in &members {
            let Some((_, (expected, fits))) = KEYS.iter().find(|(key, _)| key == name) else {
                let all = KEYS.map(|(name, _)| name);
                let failure = wrong(&format!("unknown key `{name}`"));
                return Err(match closest(name, all.iter().copied()) {
                    Some(near) => failure.hint(format!("did you mean `{near}`?")),
                    None => failure.hint(format!("the keys are {}", all.join(", "))),
                });
            };
            if !fits(value) && !value.is_null() {
                return Err(wrong(&format!("`{name}` must be {expected}")));
            }
        }
        let mut config = Self { members, token: None };
        config.token = config.text("token").map(|text| token(text.trim())).transpose()?;
        if config.token.is_some() && config.text("token_file").is_some() {
            let text = "cannot use the configuration: it has both `token` and `token_file`";
            return Err(Failure::usage(text));
        }
        Ok(config)
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.members.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.members.get(name).and_then(Value::as_u64)
    }

    fn switch(&self, name: &str) -> Option<bool> {
        self.members.get(name).and_then(Value::as_bool)
    }

    /// Returns the invocation with the settings of the configuration. Flags take precedence.
    fn apply(&self, invocation: &Invocation) -> Invocation {
        let mut invocation = invocation.clone();
        let service = &mut invocation.service;
        service.profile = service.profile.take().or_else(|| self.text("profile"));
        service.base_url = service.base_url.take().or_else(|| self.text("base_url"));
        service.timeout = service.timeout.or_else(|| self.number("timeout"));
        service.allow_insecure_http |= self.switch("allow_insecure_http").unwrap_or_default();
        if service.token_file.is_none() && !service.token_stdin {
            service.token_file = self.text("token_file").map(PathBuf::from);
            service.configured_token.clone_from(&self.token);
        }
        invocation
    }

    /// Returns the flags of a sync as the configuration says.
    fn flags(&self) -> Result<SyncFlags, Failure> {
        let calls = self.number("calls_per_second").map(u32::try_from).transpose();
        let calls_per_second = calls.map_err(|_too_large| {
            Failure::usage("cannot use the configuration: `calls_per_second` is too large")
        })?;
        let values = self.members.get("values").and_then(Value::as_array).into_iter().flatten();
        Ok(SyncFlags {
            to: self.text("mirror"),
            account: self.text("account"),
            values: values.filter_map(Value::as_str).map(str::to_owned).collect(),
            calls_per_second,
            ..SyncFlags::default()
        })
    }
}

/// Reads a JSON file. `what` names its contents in errors, which never repeat them.
fn read_json(path: &Path, what: &str) -> Result<Value, Failure> {
    let shown = path.display();
    let text = files::read(path)?
        .ok_or_else(|| Failure::usage(format!("cannot read the {what}: {shown} does not exist")))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("cannot read the {what}: {shown} is not JSON")).because(format!(
            "line {}, column {}",
            error.line(),
            error.column()
        ))
    })
}

/// The name of a kind of values, and the test of a value.
type Kind = (&'static str, fn(&Value) -> bool);

const TEXT: Kind = ("text", Value::is_string);
const SWITCH: Kind = ("true or false", Value::is_boolean);
const NUMBER: Kind =
    ("a whole number above 0", |value| value.as_u64().is_some_and(|number| number > 0));
const TEXTS: Kind = ("a list of texts that are not empty", |value| {
    let is_text = |one: &Value| one.as_str().is_some_and(|text| !text.is_empty());
    value.as_array().is_some_and(|texts| texts.iter().all(is_text))
});

/// The keys, and the kinds of their values.
const KEYS: [(&str, Kind); 12] = [
    ("base_url", TEXT),
    ("token", TEXT),
    ("token_file", TEXT),
    ("profile", TEXT),
    ("mirror", TEXT),
    ("sync", SWITCH),
    ("account", TEXT),
    ("values", TEXTS),
    ("calls_per_second", NUMBER),
    ("timeout", NUMBER),
    ("allow_insecure_http", SWITCH),
    ("emit_activate_version", SWITCH),
];

/// Opens the mirror of a configuration, after a sync. Returns the failure too if a part of the sync failed.
fn open<S: Mirrored>(
    config: &Config,
    invocation: &Invocation,
) -> Result<(Mirror, Result<(), Failure>), Failure> {
    let invocation = config.apply(invocation);
    if config.switch("sync").unwrap_or(true) {
        let flags = config.flags()?;
        let opened = sync::open::<S>(&flags, &invocation)?;
        let (session, mut mirror) =
            opened.ok_or_else(|| Failure::new(Exit::Done, "nothing is synced in a dry run"))?;
        let Synced { report, done, .. } =
            sync::sync(&session, &mut mirror, &flags, &RepeatFlags::default())?;
        let is_useless =
            report.error.is_some() || report.tables.iter().all(|one| one.result.is_err());
        return match done {
            Err(failure) if is_useless => Err(failure),
            // A scheduler would count a record that cannot be read as the failure of every run.
            Err(failure) if failure.exit() == Exit::Rejected => Ok((mirror, Ok(()))),
            done => Ok((mirror, done)),
        };
    }
    let settings = Settings::of_known(&invocation)?;
    let (from, account) = (config.text("mirror"), config.text("account"));
    let (from, account) = (from.as_deref(), account.as_deref());
    let reader = Reader { from, account, settings: &settings, invocation: &invocation };
    let place = reader.place()?;
    if matches!(place.0.try_exists(), Ok(false)) {
        // A command could not repeat the token of the configuration.
        return Err(Failure::usage(format!("the mirror {place} does not exist"))
            .hint("set `sync` to true in the configuration, or sync it with another program"));
    }
    Ok((place.open_existing(reader)?, Ok(())))
}

#[cfg(test)]
mod config_tests {
    use serde_json::json;

    use super::Config;
    use crate::connect::parsed_token;
    use crate::tests::Photos;

    fn refusal(config: &serde_json::Value) -> String {
        let failure = Config::parse(config.clone(), parsed_token::<Photos>).err().unwrap();
        failure.text()
    }

    #[test]
    fn an_empty_configuration_syncs_the_mirror_of_the_profile() {
        let config = Config::parse(json!({"token": null}), parsed_token::<Photos>)
            .unwrap_or_else(|_| panic!());
        assert!(config.members.len() == 1 && config.token.is_none());
    }

    #[test]
    fn an_invalid_configuration_is_refused_without_its_values() {
        for (config, said) in [
            (json!([]), "expected a JSON object"),
            (json!({"base-url": "x"}), "unknown key `base-url`; did you mean `base_url`?"),
            (json!({"colour": 1}), "unknown key `colour`; the keys are base_url, token,"),
            (json!({"token": 4711}), "`token` must be text"),
            (json!({"sync": "4711"}), "`sync` must be true or false"),
            (json!({"timeout": 0}), "`timeout` must be a whole number above 0"),
            (json!({"values": "4711"}), "`values` must be a list of texts"),
            (json!({"token": "4711", "token_file": "t"}), "it has both `token` and `token_file`"),
            (json!({"token": "47 11"}), "token"),
        ] {
            let text = refusal(&config);
            assert!(text.contains(said) && !text.contains("47"), "{text}");
        }
    }
}
