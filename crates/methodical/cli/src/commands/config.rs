//! `config` and `profile`: the settings of profiles, and which of the profiles commands use.

use std::iter;

use clap::Subcommand;
use methodical_client::model::Service;
use serde_json::{Value, json};

use crate::connect::check_base_url;
use crate::failure::Failure;
use crate::files::Lock;
use crate::output::destination::print;
use crate::output::printer::Schema;
use crate::program::Noun;
use crate::run::Invocation;
use crate::settings::file::{ConfigFile, config_path, profile_names, set_token};
use crate::settings::{
    DEFAULT_PROFILE, KEYS, Key, Setting, Settings, TokenFrom, check_name, redacted, setting,
    token_of_profile, unknown_profile, unknown_setting,
};

/// A command about settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the settings in force, and where each value comes from. A password in a URL is shown as `***`.
    List,
    /// Print one setting. A password in a URL is shown as `***`.
    Get {
        /// Name of the setting, such as `base-url`.
        key: String,
    },
    /// Change a setting of the profile.
    #[command(after_help = "\
Settings:
{settings}

Examples:
  {program} config set base-url https://{program}.example.com
  {program} --profile work config set token-command 'pass show {program}'
  {program} config set timeout 120
  {program} config set statuses 'New, Shortlist; Hired: Accepted; Closed: Rejected'")]
    Set {
        /// Name of the setting, such as `base-url`.
        key: String,
        /// New value.
        value: String,
    },
    /// Remove a setting from the profile.
    Unset {
        /// Name of the setting, such as `base-url`.
        key: String,
    },
    /// Print the path of the settings file.
    Path,
}

/// A command about profiles.
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles. Never shows a token.
    List,
    /// Set the default profile, for commands without --profile and `{PROGRAM}_PROFILE`.
    #[command(after_help = "\
Examples:
  {program} profile use work
  {program} profile use default")]
    Use {
        /// Name of the profile.
        name: String,
    },
    /// Remove a profile with its settings and its stored token.
    Remove {
        /// Name of the profile.
        name: String,
    },
}

/// Runs a command about settings.
pub(crate) fn run<S: Service>(
    command: ConfigCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Invocation { program, service, .. } = invocation;
    let changes = matches!(command, ConfigCommand::Set { .. } | ConfigCommand::Unset { .. });
    if changes && service.demo {
        return Err(Failure::usage(
            "cannot change settings with --demo: the sample service has none",
        ));
    }
    if changes {
        invocation.refuse_dry_run()?;
    }
    match command {
        ConfigCommand::Path => {
            print(invocation, format!("{}\n", config_path(program.name())?.display()).as_bytes())
        }
        ConfigCommand::Set { key, value } => change::<S>(&key, Some(&value), invocation),
        ConfigCommand::Unset { key } => change::<S>(&key, None, invocation),
        ConfigCommand::Get { key } => {
            let all = listed(invocation, &Settings::of_known(invocation)?);
            let names: Vec<_> = all.iter().map(|(name, ..)| *name).collect();
            match all.into_iter().find(|(name, ..)| *name == key) {
                Some((_, Some(value), _)) => print(invocation, format!("{value}\n").as_bytes()),
                Some((_, None, _)) => Err(Failure::usage(format!("`{key}` is not set"))),
                None => Err(unknown_setting(&key, &names)),
            }
        }
        ConfigCommand::List => {
            let rows = listed(invocation, &Settings::of_known(invocation)?).into_iter();
            let rows = rows.map(|(name, value, from)| [json!(name), json!(value), json!(from)]);
            let fields = &["setting", "value", "origin"];
            Schema::of_program(fields, false).print(invocation, rows)
        }
    }
}

/// Sets or removes a setting of the profile.
fn change<S: Service>(
    key: &str,
    value: Option<&str>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let name = invocation.program.name();
    Key::find(key)?;
    let lock = Lock::take(name)?;
    let Settings { profile, mut file, .. } = match value {
        Some(_) => Settings::of(invocation)?,
        None => Settings::of_known(invocation)?,
    };
    let profile = profile.value;
    if key == "base-url" {
        value.map_or(Ok(()), check_base_url::<S>)?;
    }
    let done = match value {
        Some(value) => {
            file.set(&profile, key, value)?;
            format!("set {key} of profile {profile} in")
        }
        None if file.unset(&profile, key) => format!("unset {key} of profile {profile} in"),
        None => {
            let path = file.path()?;
            let text = format!("{key} of profile {profile} is not set in {}", path.display());
            invocation.screen.note(&text);
            return Ok(());
        }
    };
    file.save(&lock)?;
    invocation.screen.note(&format!("{done} {}", file.path()?.display()));
    Ok(())
}

/// A setting with its value, which is `None` if it is not set, and the origin of the value.
type Listed = (&'static str, Option<String>, Option<String>);

fn listed(invocation: &Invocation, settings: &Settings) -> Vec<Listed> {
    let row = |name, setting: Option<&Setting<String>>| {
        let value = setting.map(|one| redacted(&one.value));
        (name, value, setting.map(|one| one.origin.clone()))
    };
    let token = settings.token.as_ref().map(|from| format!("from {from}"));
    let see = token.as_ref().map(|_| format!("see {}", invocation.command("auth status")));
    iter::once(row("profile", Some(&settings.profile)))
        .chain(KEYS.iter().map(|key| row(key.name, settings.get(key.name))))
        .chain([("token", token, see)])
        .collect()
}

/// Runs a command about profiles.
pub(crate) fn profiles(command: ProfileCommand, invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation { ref program, ref service, screen, .. } = invocation;
    let program = program.name();
    if service.demo {
        return Err(Failure::usage("cannot use profiles with --demo: the sample service has none"));
    }
    if !matches!(command, ProfileCommand::List) {
        invocation.refuse_dry_run()?;
    }
    let settings = Settings::of(invocation)?;
    let check_known = |name: &str| {
        check_name(name)?;
        let names = profile_names(program, &settings.file)?;
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        if names.contains(&name) { Ok(()) } else { Err(unknown_profile(program, name, &names)) }
    };
    match command {
        ProfileCommand::List => {
            let noun = Some(Noun::new("profile", "profiles"));
            let schema = Schema { noun, ..Schema::of_program(FIELDS, false) };
            let names = profile_names(program, &settings.file)?;
            schema.print(invocation, names.iter().map(|name| shown(&settings, name)))
        }
        ProfileCommand::Use { name } => {
            if name != DEFAULT_PROFILE {
                check_known(&name)?;
            }
            let lock = Lock::take(program)?;
            let mut file = ConfigFile::read(program)?;
            file.set_default_profile(Some(&*name).filter(|name| *name != DEFAULT_PROFILE));
            file.save(&lock)?;
            screen.note(&format!("the default profile is now {name}"));
            let variable = program.variable("PROFILE");
            if let Some(other) = setting(&variable)?.filter(|other| *other != name) {
                screen.warn(&format!("{variable} still selects profile {other}"));
            }
            Ok(())
        }
        ProfileCommand::Remove { name } => {
            check_known(&name)?;
            let lock = Lock::take(program)?;
            let mut file = ConfigFile::read(program)?;
            let is_default = file.default_profile() == Some(&name);
            // Remove the token first: if that fails, the profile still shows where it is.
            set_token(&lock, program, &name, None)?;
            file.remove_profile(&name);
            file.save(&lock)?;
            screen.note(&format!("removed profile {name}"));
            if is_default {
                screen.note(&format!("the default profile is now {DEFAULT_PROFILE}"));
            }
            Ok(())
        }
    }
}

/// Returns a profile as the values of [`FIELDS`]: never the token, but the kind of its source.
fn shown(settings: &Settings, profile: &str) -> [Value; 4] {
    let file = &settings.file;
    let token = token_of_profile(settings.program, file, profile).map(|from| match from {
        TokenFrom::Command(_) => "command",
        TokenFrom::File(_) => "file",
        _ => "stored",
    });
    [
        json!(profile),
        json!(profile == settings.profile.value),
        json!(file.get(profile, "base-url")),
        json!(token),
    ]
}

const FIELDS: &[&str] = &["profile", "active", "base_url", "token"];
