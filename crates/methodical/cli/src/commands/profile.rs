//! `config`, `profile` and `auth`: the profiles' settings and access tokens, and the profile that commands use.

use std::io::{self, IsTerminal as _};
use std::iter;

use clap::Subcommand;
use methodical_client::AccessToken;
use methodical_client::model::{Auth, Service};
use serde_json::{Value, json};

use crate::commands::Invocation;
use crate::connect::{ask_for, build, no_base_url, parsed_token, read_token};
use crate::failure::{Exit, Failure};
use crate::files::{
    ConfigFile, Lock, StoredToken, has_token, profile_names, set_token, tokens_path,
};
use crate::output::destination::print;
use crate::output::printer::Schema;
use crate::program::{Noun, OperationCommands};
use crate::session::Session;
use crate::settings::{
    DEFAULT_PROFILE, KEYS, Key, ServiceFlags, Setting, Settings, TokenFrom, check_name, of_profile,
    origin, redacted, setting, token_of_profile, unknown_profile, unknown_setting,
};

/// A command about settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// List the active settings, and where each value comes from. A password in a URL is shown as `***`.
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
pub(crate) fn config<S: Service>(
    command: ConfigCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if matches!(command, ConfigCommand::Set { .. } | ConfigCommand::Unset { .. }) {
        invocation
            .refuse_demo("cannot change settings with --demo: the sample service has none")?;
        invocation.refuse_dry_run()?;
    }
    match command {
        ConfigCommand::Path => {
            let path = ConfigFile::empty(&invocation.program).path()?;
            print(invocation, format!("{}\n", path.display()).as_bytes())
        }
        ConfigCommand::Set { key, value } => change::<S>(&key, Some(&value), invocation),
        ConfigCommand::Unset { key } => change::<S>(&key, None, invocation),
        ConfigCommand::Get { key } => {
            let all = listed(invocation)?;
            let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
            match all.into_iter().find(|(name, _)| *name == key) {
                Some((_, Some(one))) => print(invocation, format!("{}\n", one.value).as_bytes()),
                Some((_, None)) => Err(Failure::usage(format!("`{key}` is not set"))),
                None => Err(unknown_setting(&key, &names)),
            }
        }
        ConfigCommand::List => {
            let rows = listed(invocation)?.into_iter().map(|(name, setting)| {
                let (value, origin) = setting.map(|one| (one.value, one.origin)).unzip();
                [json!(name), json!(value), json!(origin)]
            });
            Schema::of_program(&["setting", "value", "origin"], false).print(invocation, rows)
        }
    }
}

/// Sets or removes a setting of the profile.
fn change<S: Service>(
    key: &str,
    value: Option<&str>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    Key::find(key)?;
    let lock = Lock::take(&invocation.program)?;
    let mut settings = match value {
        Some(_) => Settings::of(invocation)?,
        None => Settings::of_known(invocation)?,
    };
    if let Some(url) = value.filter(|_| key == "base-url") {
        // The user has just typed the URL. Another setting decides whether unencrypted http is allowed.
        settings.set("base-url", url, "");
        settings.set("allow-insecure-http", "true", "");
        drop(build::<S>(invocation, &settings, Some(AccessToken::new("unused")?))?);
    }
    let (profile, mut file) = (settings.profile.value, settings.file);
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

/// A setting's name, and its value and origin if it is set.
type Listed = (&'static str, Option<Setting<String>>);

fn listed(invocation: &Invocation) -> Result<Vec<Listed>, Failure> {
    let settings = Settings::of_known(invocation)?;
    let shown = |one: &Setting<String>| Setting { value: redacted(&one.value), ..one.clone() };
    let token = settings.token.as_ref().map(|from| {
        let origin = format!("see {}", invocation.command("auth status"));
        Setting { value: format!("from {from}"), origin }
    });
    let keys = KEYS.iter().map(|key| (key.name, settings.get(key.name).map(shown)));
    let profile = iter::once(("profile", Some(shown(&settings.profile))));
    Ok(profile.chain(keys).chain([("token", token)]).collect())
}

/// Runs a command about profiles.
pub(crate) fn profiles(command: ProfileCommand, invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation { ref program, screen, .. } = invocation;
    invocation.refuse_demo("cannot use profiles with --demo: the sample service has none")?;
    if !matches!(command, ProfileCommand::List) {
        invocation.refuse_dry_run()?;
    }
    let settings = Settings::of(invocation)?;
    let check_known = |name: &str| {
        check_name(name)?;
        let names = profile_names(&settings.file)?;
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        if names.contains(&name) { Ok(()) } else { Err(unknown_profile(program, name, &names)) }
    };
    match command {
        ProfileCommand::List => {
            let noun = Some(Noun("profile", "profiles"));
            let schema = Schema { noun, ..Schema::of_program(FIELDS, false) };
            let names = profile_names(&settings.file)?;
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

/// Returns a profile as the values of [`FIELDS`], with the kind of the token's source instead of the token.
fn shown(settings: &Settings, profile: &str) -> [Value; 4] {
    let file = &settings.file;
    let token = token_of_profile(file, profile).map(|from| match from {
        TokenFrom::Command(_) => "command",
        TokenFrom::File(_) => "file",
        _ => "stored",
    });
    let (is_active, base_url) = (profile == settings.profile.value, file.get(profile, "base-url"));
    [json!(profile), json!(is_active), json!(base_url), json!(token)]
}

const FIELDS: &[&str] = &["profile", "active", "base_url", "token"];

/// A command about the token.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Store a token for the profile, after the service has accepted it.
    ///
    /// The token is typed in without being shown, or read from --token-stdin, --token-file or `{PROGRAM}_TOKEN`. It is
    /// stored in a file that only you can read. The profile also remembers --base-url and --allow-insecure-http. A
    /// stored token is only sent to the service that it was stored for.
    #[command(after_help = "\
Examples:
  {program} auth login --base-url https://{program}.example.com
  pass show {program} | {program} --profile work auth login --token-stdin")]
    Login {
        /// Store the token without checking it with the service.
        #[arg(long)]
        unchecked: bool,
    },
    /// Show where the token comes from, and whether the service accepts it. Never shows the token.
    Status,
    /// Remove the stored token of the profile.
    Logout,
}

/// Runs a command about the token.
pub(crate) fn auth<C: OperationCommands>(
    command: AuthCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if !matches!(command, AuthCommand::Status) {
        invocation.refuse_demo("cannot log in or out with --demo: each run creates a new token")?;
        invocation.refuse_dry_run()?;
    }
    match command {
        AuthCommand::Login { unchecked } => login::<C>(unchecked, invocation),
        AuthCommand::Status => status::<C>(invocation),
        AuthCommand::Logout => logout(invocation),
    }
}

fn login<C: OperationCommands>(unchecked: bool, invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation { ref program, service: ref flags_of_service, screen, .. } = invocation;
    if C::Service::AUTH == Auth::None {
        return Err(Failure::usage("cannot log in: the service has no authentication"));
    }
    let settings = Settings::of(invocation)?;
    let profile = settings.profile.value.as_str();
    // If the token cannot be stored, fail before asking for it.
    settings.file.path()?;
    let url = settings.base_url().ok_or_else(|| no_base_url(invocation))?;
    // Checked before the prompt, so that an invalid URL is reported before a secret is typed.
    drop(build::<C::Service>(invocation, &settings, Some(AccessToken::new("unused")?))?);
    let service = origin(&url.value).unwrap_or_default();
    let (text, from) = given(invocation, &settings)?;
    let token = parsed_token::<C::Service>(&text, &from)?;
    if !unchecked {
        let client = build::<C::Service>(invocation, &settings, Some(token))?;
        client.send(&C::probe()).map_err(|error| refused(error, &from))?;
    }
    let lock = Lock::take(program)?;
    let mut file = ConfigFile::read(program)?;
    let stored = StoredToken { token: text.trim().to_owned(), service };
    let former = set_token(&lock, program, profile, Some(&stored))?;
    // The next command needs the settings that the token was checked with.
    if let Some(url) = &flags_of_service.base_url {
        file.set(profile, "base-url", url)?;
    }
    if flags_of_service.allow_insecure_http {
        file.set(profile, "allow-insecure-http", "true")?;
    }
    file.save(&lock)?;
    drop(lock);
    let done = if unchecked { "stored" } else { "checked and stored" };
    let place = tokens_path(program)?;
    screen.note(&format!("{done} the token of profile {profile} in {}", place.display()));
    if let Some(former) = former.filter(|former| *former != stored) {
        let own = "another token; if it belongs to another account, use --profile NAME".to_owned();
        let is_own = former.service == stored.service;
        let other = if is_own { own } else { format!("the token of {}", former.service) };
        screen.note(&format!("it replaced {other}"));
    }
    // A source with precedence over the stored token would surprise the user in the next command.
    match Settings::of(&without_token(invocation))?.token {
        Some(TokenFrom::Login { .. }) | None => {}
        Some(other) => screen.warn(&format!("commands still use another token, from {other}")),
    }
    Ok(())
}

/// Reads the token to store. Also returns where it comes from.
fn given(invocation: &Invocation, settings: &Settings) -> Result<(String, String), Failure> {
    let from = settings.token.as_ref().filter(|from| match from {
        TokenFrom::Stdin | TokenFrom::Variable(_) => true,
        // The token file of the profile is active without a login.
        TokenFrom::File(file) => file.origin != of_profile(&settings.profile.value),
        TokenFrom::Login { .. } | TokenFrom::Command(_) | TokenFrom::Demo => false,
    });
    if let Some(from) = from {
        return Ok((read_token(invocation, from)?.unwrap_or_default(), from.to_string()));
    }
    if io::stdin().is_terminal() {
        let whose = format!("Access token of profile {}", settings.profile.value);
        return Ok((ask_for("token", &whose)?, "the keyboard".to_owned()));
    }
    let variable = invocation.program.variable("TOKEN");
    Err(Failure::usage("cannot ask for the token: standard input is not a terminal")
        .hint(format!("use --token-stdin, --token-file or {variable}")))
}

/// Explains why the token was not accepted, and that nothing was stored.
fn refused(error: methodical_client::Error, from: &str) -> Failure {
    let failure = Failure::from(error);
    let hint = match failure.exit() {
        Exit::NotAuthorized => format!("nothing was stored; the token comes from {from}"),
        _ => "nothing was stored; --unchecked stores the token without checking it".to_owned(),
    };
    failure.hint(hint)
}

/// Prints where the token comes from, and whether the service accepts it.
fn status<C: OperationCommands>(invocation: &Invocation) -> Result<(), Failure> {
    let (session, probe) = (Session::<C::Service>::open(invocation)?, C::probe());
    session.end_dry_run(&[&probe])?;
    let checked = session.client()?.send(&probe).map_err(|error| session.explain(&error));
    let accepted = match &checked {
        Ok(_) => Some(true),
        Err(failure) if failure.exit() == Exit::NotAuthorized => Some(false),
        Err(_) => None,
    };
    let Settings { profile, token, .. } = &session.settings;
    let base_url = session.settings.base_url().map(|url| &url.value);
    // Never the token itself. `accepted` is `None` if the check failed for a reason other than the token.
    let token = token.as_ref().map(ToString::to_string);
    let values = [json!(profile.value), json!(base_url), json!(token), json!(accepted)];
    let schema = Schema::of_program(&["profile", "base_url", "token", "accepted"], true);
    schema.print(invocation, [values])?;
    checked.map(drop)
}

/// Removes the stored token of the profile.
fn logout(invocation: &Invocation) -> Result<(), Failure> {
    let &Invocation { ref program, screen, .. } = invocation;
    let lock = Lock::take(program)?;
    let profile = Settings::of_known(invocation)?.profile.value;
    let had_token = has_token(program, &profile);
    set_token(&lock, program, &profile, None)?;
    drop(lock);
    screen.note(&if had_token {
        format!("removed the token of profile {profile} from {}", tokens_path(program)?.display())
    } else {
        format!("profile {profile} has no stored token: nothing was removed")
    });
    if let Some(other) = Settings::of(&without_token(invocation))?.token {
        screen.warn(&format!("commands still use the token from {other}"));
    }
    Ok(())
}

/// Returns the invocation as the next command will see it: without the flags that pass a token.
fn without_token(invocation: &Invocation) -> Invocation {
    let service =
        ServiceFlags { token_file: None, token_stdin: false, ..invocation.service.clone() };
    Invocation { service, ..invocation.clone() }
}
