//! `profile`: the profiles, and which of them commands use.

use clap::Subcommand;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::files::Lock;
use crate::output::printer::Schema;
use crate::program::{Name, Noun};
use crate::run::Invocation;
use crate::settings::file::{ConfigFile, profile_names, remove_token, stored_token};
use crate::settings::keyring::Keyring;
use crate::settings::{DEFAULT_PROFILE, Settings, check_name, setting, unknown_profile};

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

pub(crate) fn run(command: ProfileCommand, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.demo {
        return Err(Failure::usage("cannot use profiles with --demo: the sample service has none"));
    }
    let changes = !matches!(command, ProfileCommand::List);
    let locks = changes && !invocation.call.dry_run;
    let lock = if locks { Some(Lock::take(invocation.program.name)?) } else { None };
    let settings = Settings::of(invocation)?;
    let lock = lock.as_ref();
    match command {
        ProfileCommand::List => {
            let noun = Some(Noun::new("profile", "profiles"));
            let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
            let names = profile_names(settings.program, &settings.file)?;
            let rows = names.iter().map(|name| shown(&settings, name));
            schema.print_rows(invocation, rows.collect::<Result<Vec<_>, _>>()?)
        }
        ProfileCommand::Use { name } => select(invocation, lock, settings.file, &name),
        ProfileCommand::Remove { name } => remove(invocation, lock, settings.file, &name),
    }
}

/// Returns a profile as the values of [`FIELDS`]: never the token, but the kind of its source.
fn shown(settings: &Settings, profile: &str) -> Result<[Value; 7], Failure> {
    let file = &settings.file;
    let get = |key| file.get(profile, key);
    let token = if file.words(profile, "token-command").is_some() {
        Some("command")
    } else if get("token-file").is_some() {
        Some("file")
    } else if file.is_on(profile, "token-keyring") {
        Some("keyring")
    } else {
        stored_token(settings.program, profile)?.map(|_token| "stored")
    };
    let timeout: Option<u64> = get("timeout").and_then(|seconds| seconds.parse().ok());
    Ok([
        json!(profile),
        json!(profile == settings.profile.value),
        json!(get("base-url")),
        json!(token),
        json!(get("token-for")),
        json!(file.is_on(profile, "allow-insecure-http")),
        json!(timeout),
    ])
}

/// Sets the default profile. Without the lock, this is a dry run.
fn select(
    invocation: &Invocation,
    lock: Option<&Lock>,
    mut file: ConfigFile,
    name: &str,
) -> Result<(), Failure> {
    let Invocation { program, screen, .. } = invocation;
    let program = program.name;
    if name != DEFAULT_PROFILE {
        check_known(program, &file, name)?;
    }
    file.set_default_profile(Some(name).filter(|name| *name != DEFAULT_PROFILE));
    let done = if lock.is_some() { "is now" } else { "would be" };
    if let Some(lock) = lock {
        file.save(lock)?;
    }
    screen.note(&format!("the default profile {done} {name}"));
    let variable = program.variable("PROFILE");
    if let Some(other) = setting(&variable)?.filter(|other| other != name) {
        screen.warn(&format!("{variable} still selects profile {other}"));
    }
    Ok(())
}

fn remove(
    invocation: &Invocation,
    lock: Option<&Lock>,
    mut file: ConfigFile,
    name: &str,
) -> Result<(), Failure> {
    let Invocation { program, screen, .. } = invocation;
    let program = program.name;
    check_known(program, &file, name)?;
    let is_default = file.default_profile() == Some(name);
    let Some(lock) = lock else {
        screen.note(&format!("would remove profile {name}"));
        return Ok(());
    };
    // First the token: if this fails, the profile still shows where it is.
    if file.is_on(name, "token-keyring") {
        Keyring::open(invocation)?.remove(name)?;
    }
    remove_token(lock, program, name)?;
    file.remove_profile(name);
    file.save(lock)?;
    screen.note(&format!("removed profile {name}"));
    if is_default {
        screen.note(&format!("the default profile is now {DEFAULT_PROFILE}"));
    }
    Ok(())
}

fn check_known(program: Name, file: &ConfigFile, name: &str) -> Result<(), Failure> {
    check_name(name)?;
    let names = profile_names(program, file)?;
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Err(unknown_profile(program, name, &names))
}

const COLUMNS: &[&str] = &["profile", "active", "base_url", "token"];

const FIELDS: &[&str] =
    &["profile", "active", "base_url", "token", "token_for", "allow_insecure_http", "timeout"];
