//! `config`: the settings of profiles.

use std::iter;

use clap::Subcommand;
use methodical_client::model::Service;
use serde_json::json;

use crate::connect::check_base_url;
use crate::failure::Failure;
use crate::files::Lock;
use crate::output::print;
use crate::output::printer::Schema;
use crate::run::Invocation;
use crate::settings::file::{ConfigFile, config_path};
use crate::settings::{
    KEYS, Key, Setting, Settings, keep_binding, profile, redacted, unknown_setting,
};

/// A command about settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the settings in force. A password in a URL is shown as `***`.
    List {
        /// Show where each value comes from.
        #[arg(long)]
        origin: bool,
    },
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

/// A setting with its value, which is `None` if it is not set, and the origin of the value.
type Listed = (&'static str, Option<String>, Option<String>);

pub(crate) fn run<S: Service>(
    command: ConfigCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let &Invocation { ref program, call, screen, .. } = invocation;
    let name = program.name;
    let changes = matches!(command, ConfigCommand::Set { .. } | ConfigCommand::Unset { .. });
    if changes && call.demo {
        return Err(Failure::usage(
            "cannot change settings with --demo: the sample service has none",
        ));
    }
    let lock = if changes && !call.dry_run { Some(Lock::take(name)?) } else { None };
    let lock = lock.as_ref();
    match command {
        ConfigCommand::Path => {
            print(invocation, format!("{}\n", config_path(name)?.display()).as_bytes())
        }
        ConfigCommand::Set { key, value } => {
            let mut file = ConfigFile::read(name)?;
            let profile = profile(invocation, &file)?.value;
            if key == "base-url" {
                check_base_url::<S>(&value)?;
                keep_binding(name, &mut file, &profile)?;
            }
            file.set(&profile, &key, &value)?;
            let done = if call.dry_run { "would set" } else { "set" };
            save(&file, lock, invocation, &format!("{done} {key} of profile {profile}"))
        }
        ConfigCommand::Unset { key } => {
            Key::find(&key)?;
            let Settings { profile, mut file, .. } = Settings::of_known(invocation)?;
            let profile = profile.value;
            if key == "base-url" {
                keep_binding(name, &mut file, &profile)?;
            }
            if !file.unset(&profile, &key) {
                let path = file.path()?;
                screen
                    .note(&format!("{key} of profile {profile} is not set in {}", path.display()));
                return Ok(());
            }
            let done = if call.dry_run { "would unset" } else { "unset" };
            save(&file, lock, invocation, &format!("{done} {key} of profile {profile}"))
        }
        ConfigCommand::Get { key } => {
            let all = listed(invocation, &Settings::of_known(invocation)?);
            let names: Vec<_> = all.iter().map(|(name, ..)| *name).collect();
            match all.into_iter().find(|(name, ..)| *name == key) {
                Some((_, Some(value), _)) => print(invocation, format!("{value}\n").as_bytes()),
                Some((_, None, _)) => Err(Failure::usage(format!("`{key}` is not set"))),
                None => Err(unknown_setting(&key, &names)),
            }
        }
        ConfigCommand::List { origin } => {
            let settings = Settings::of_known(invocation)?;
            let rows = listed(invocation, &settings).into_iter();
            if origin {
                let rows = rows.map(|(name, value, from)| [json!(name), json!(value), json!(from)]);
                let fields = &["setting", "value", "origin"];
                return Schema::of_program(fields, false).print_rows(invocation, rows);
            }
            let rows = rows.map(|(name, value, _)| [json!(name), json!(value)]);
            Schema::of_program(&["setting", "value"], false).print_rows(invocation, rows)
        }
    }
}

/// Saves the change, unless this is a dry run without the lock, and says what it is.
fn save(
    file: &ConfigFile,
    lock: Option<&Lock>,
    invocation: &Invocation,
    what: &str,
) -> Result<(), Failure> {
    if let Some(lock) = lock {
        file.save(lock)?;
    }
    invocation.screen.note(&format!("{what} in {}", file.path()?.display()));
    Ok(())
}

fn listed(invocation: &Invocation, settings: &Settings) -> Vec<Listed> {
    let row = |name, setting: Option<&Setting<String>>| {
        let value = setting.map(|one| redacted(&one.value));
        (name, value, setting.map(|one| one.origin.to_string()))
    };
    let token = settings.token.as_ref().map(|from| format!("from {from}"));
    let see = token.as_ref().map(|_| format!("see {}", invocation.command("auth status")));
    iter::once(row("profile", Some(&settings.profile)))
        .chain(KEYS.iter().map(|key| row(key.name, settings.get(key.name))))
        .chain([("token", token, see)])
        .collect()
}
