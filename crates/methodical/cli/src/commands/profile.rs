//! `profile`: the profiles, and which of them commands use.

use clap::Subcommand;
use serde::Serialize;

use crate::failure::Failure;
use crate::files::Lock;
use crate::output::printer::{Printer, Schema};
use crate::program::{Name, Noun};
use crate::run::Invocation;
use crate::settings::file::{ConfigFile, profile_names, remove_token, store_token, stored_token};
use crate::settings::keyring::Keyring;
use crate::settings::{DEFAULT_PROFILE, Settings, check_name, setting, unknown_profile};

/// A command about profiles.
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles. Never shows a token.
    List,
    /// Show one profile. Never shows a token.
    Show {
        /// Name of the profile [default: the active one].
        name: Option<String>,
    },
    /// Set the default profile, for commands without --profile and `{PROGRAM}_PROFILE`.
    #[command(after_help = "\
Examples:
  {program} profile use work
  {program} profile use default")]
    Use {
        /// Name of the profile.
        name: String,
    },
    /// Rename a profile. Its settings and its stored token move with it.
    Rename {
        /// Current name of the profile.
        name: String,
        /// New name of the profile.
        new_name: String,
    },
    /// Remove a profile with its settings and its stored token.
    Remove {
        /// Name of the profile.
        name: String,
    },
}

/// A profile, as a record of the output.
#[derive(Serialize)]
struct Shown {
    profile: String,
    active: bool,
    base_url: Option<String>,
    /// The kind of source of the token in the profile, never the token.
    token: Option<&'static str>,
    token_for: Option<String>,
    allow_insecure_http: bool,
    timeout: Option<u64>,
}

/// Runs the command.
pub(crate) fn run(command: ProfileCommand, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.demo {
        return Err(Failure::usage("cannot use profiles with --demo: the sample service has none"));
    }
    let changes = !matches!(command, ProfileCommand::List | ProfileCommand::Show { .. });
    let locks = changes && !invocation.call.dry_run;
    let lock = if locks { Some(Lock::take(invocation.program.name)?) } else { None };
    let settings = Settings::of(invocation)?;
    let lock = lock.as_ref();
    match command {
        ProfileCommand::List => {
            let noun = Some(Noun::new("profile", "profiles"));
            let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
            let mut printer = Printer::open(invocation, &schema)?;
            for name in profile_names(settings.program, &settings.file)? {
                printer.print(&shown(&settings, name)?)?;
            }
            printer.finish()
        }
        ProfileCommand::Show { name } => {
            let name = name.unwrap_or_else(|| settings.profile.value.clone());
            check_known(settings.program, &settings.file, &name)?;
            let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, true))?;
            printer.print(&shown(&settings, name)?)?;
            printer.finish()
        }
        ProfileCommand::Use { name } => select(invocation, lock, settings.file, &name),
        ProfileCommand::Rename { name, new_name } => {
            rename(invocation, lock, settings.file, &name, &new_name)
        }
        ProfileCommand::Remove { name } => remove(invocation, lock, settings.file, &name),
    }
}

fn shown(settings: &Settings, profile: String) -> Result<Shown, Failure> {
    let file = &settings.file;
    let get = |key| file.get(&profile, key);
    let token = if file.words(&profile, "token-command").is_some() {
        Some("command")
    } else if get("token-file").is_some() {
        Some("file")
    } else if file.is_on(&profile, "token-keyring") {
        Some("keyring")
    } else {
        stored_token(settings.program, &profile)?.map(|_token| "stored")
    };
    Ok(Shown {
        active: profile == settings.profile.value,
        base_url: get("base-url"),
        token,
        token_for: get("token-for"),
        allow_insecure_http: file.is_on(&profile, "allow-insecure-http"),
        timeout: get("timeout").and_then(|seconds| seconds.parse().ok()),
        profile,
    })
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

/// Renames a profile. The token exists under one of the names at any time, even if a step fails.
fn rename(
    invocation: &Invocation,
    lock: Option<&Lock>,
    mut file: ConfigFile,
    name: &str,
    new: &str,
) -> Result<(), Failure> {
    let Invocation { program, screen, .. } = invocation;
    let program = program.name;
    check_known(program, &file, name)?;
    check_name(new)?;
    if profile_names(program, &file)?.iter().any(|known| known == new) {
        return Err(Failure::usage(format!("cannot rename profile {name}: profile {new} exists")));
    }
    let Some(lock) = lock else {
        screen.note(&format!("would rename profile {name} to {new}"));
        return Ok(());
    };
    let keyring = keyring(invocation, &file, name)?;
    let stored = stored_token(program, name)?;
    let kept = keyring.as_ref().map(|keyring| keyring.read(name)).transpose()?.flatten();
    // A token without its profile is never sent, because it belongs to no service.
    if let (Some(keyring), Some(token)) = (&keyring, &kept) {
        keyring.store(new, token)?;
    }
    let copied = stored.as_ref().map_or(Ok(()), |token| store_token(lock, program, new, token));
    file.rename_profile(name, new);
    if let Err(failure) = copied.and_then(|()| file.save(lock)) {
        // The failure that is about to be reported matters more than an error here.
        drop(forget(lock, program, keyring.as_ref(), new));
        return Err(failure);
    }
    forget(lock, program, keyring.as_ref(), name)?;
    screen.note(&format!("renamed profile {name} to {new}"));
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
    forget(lock, program, keyring(invocation, &file, name)?.as_ref(), name)?;
    file.remove_profile(name);
    file.save(lock)?;
    screen.note(&format!("removed profile {name}"));
    if is_default {
        screen.note(&format!("the default profile is now {DEFAULT_PROFILE}"));
    }
    Ok(())
}

/// Returns the keyring if it has the token of the profile.
fn keyring(
    invocation: &Invocation,
    file: &ConfigFile,
    profile: &str,
) -> Result<Option<Keyring>, Failure> {
    file.is_on(profile, "token-keyring").then(|| Keyring::open(invocation)).transpose()
}

/// Removes the stored token of a profile.
fn forget(
    lock: &Lock,
    program: Name,
    keyring: Option<&Keyring>,
    profile: &str,
) -> Result<(), Failure> {
    if let Some(keyring) = keyring {
        keyring.remove(profile)?;
    }
    remove_token(lock, program, profile)?;
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
