//! `config`: the settings of profiles.

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
use crate::settings::{Setting, Settings, check_known, keep_binding, keys, profile, redacted};

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
  base-url             base URL of the service
  token-file           file with the access token, which only you can read
  token-command        program that prints the access token, with its arguments
  token-keyring        true if the access token is in the keyring of the operating system
  token-for            service that the token of `{program} auth login` is for; login sets it
  timeout              time limit for each call, in seconds
  mirror               where the mirror is: a file
  statuses             order and groups of statuses, for `board` and `report`
  allow-insecure-http  true to allow unencrypted http to remote hosts (exposes the token)

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

/// Runs the command.
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
            check_known(&key, &keys())?;
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
            check_known(&key, &names)?;
            match all.into_iter().find(|(name, ..)| *name == key).and_then(|(_, value, _)| value) {
                Some(value) => print(invocation, format!("{value}\n").as_bytes()),
                None => Err(Failure::usage(format!("`{key}` is not set"))),
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

/// Returns all settings.
fn listed(invocation: &Invocation, settings: &Settings) -> Vec<Listed> {
    fn part<T>(
        setting: Option<&Setting<T>>,
        text: impl Fn(&T) -> String,
    ) -> (Option<String>, Option<String>) {
        (setting.map(|one| text(&one.value)), setting.map(|one| one.origin.to_string()))
    }
    let profile = &settings.profile;
    let all = ["profile"].into_iter().chain(keys()).chain(["token"]);
    let listed = all.map(|key| {
        let (value, origin) = match key {
            "profile" => part(Some(profile), String::clone),
            "base-url" => part(settings.base_url.as_ref(), |url| redacted(url)),
            "timeout" => part(settings.timeout.as_ref(), u64::to_string),
            "mirror" => part(settings.mirror.as_ref(), |place| redacted(place)),
            "allow-insecure-http" => part(Some(&settings.allow_insecure_http), bool::to_string),
            "token" => {
                let token = settings.token.as_ref().map(|from| format!("from {from}"));
                let see =
                    token.as_ref().map(|_| format!("see {}", invocation.command("auth status")));
                (token, see)
            }
            other => {
                let value = settings.file.get(&profile.value, other);
                let origin = value.as_ref().map(|_| format!("profile {}", profile.value));
                (value, origin)
            }
        };
        (key, value, origin)
    });
    listed.collect()
}
