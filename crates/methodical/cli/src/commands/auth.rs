//! `auth`: the access token of a profile.

use std::io::{self, IsTerminal as _};

use clap::Subcommand;
use methodical_client::AccessToken;
use methodical_client::model::{Auth, Service as _};
use serde_json::json;

use crate::connect::{ask_for, build, no_base_url, parsed_token, read_token};
use crate::failure::{Exit, Failure};
use crate::files::Lock;
use crate::output::printer::Schema;
use crate::program::OperationCommands;
use crate::run::Invocation;
use crate::session::Session;
use crate::settings::file::{ConfigFile, StoredToken, has_token, set_token, tokens_path};
use crate::settings::{ServiceFlags, Settings, TokenFrom, of_profile, origin};

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

pub(crate) fn run<C: OperationCommands>(
    command: AuthCommand,
    invocation: &Invocation,
) -> Result<(), Failure> {
    if !matches!(command, AuthCommand::Status) {
        if invocation.service.demo {
            return Err(Failure::usage(
                "cannot log in or out with --demo: the sample service creates a token for each command",
            ));
        }
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
    let name = program.name();
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
    let lock = Lock::take(name)?;
    let mut file = ConfigFile::read(name)?;
    let stored = StoredToken { token: text.trim().to_owned(), service };
    let former = set_token(&lock, name, profile, Some(&stored))?;
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
    let place = tokens_path(name)?;
    screen.note(&format!("{done} the token of profile {profile} in {}", place.display()));
    if let Some(former) = former.filter(|former| former.service != stored.service) {
        screen.note(&format!(
            "it replaced the token of {}; to keep both accounts, use --profile NAME",
            former.service
        ));
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
        // The token file of the profile is in force without a login.
        TokenFrom::File(file) => file.origin != of_profile(&settings.profile.value),
        _ => false,
    });
    if let Some(from) = from {
        return Ok((read_token(invocation, from)?.unwrap_or_default(), from.to_string()));
    }
    if io::stdin().is_terminal() {
        let whose = format!("Access token of profile {}", settings.profile.value);
        return Ok((ask_for("token", &whose)?, "the keyboard".to_owned()));
    }
    let variable = invocation.program.name().variable("TOKEN");
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
    let checked = session.client.send(&probe).map_err(|error| session.explain(&error));
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
    let name = program.name();
    let lock = Lock::take(name)?;
    let profile = Settings::of_known(invocation)?.profile.value;
    let had_token = has_token(name, &profile);
    set_token(&lock, name, &profile, None)?;
    drop(lock);
    screen.note(&if had_token {
        format!("removed the token of profile {profile} from {}", tokens_path(name)?.display())
    } else {
        format!("profile {profile} has no stored token: nothing was removed")
    });
    if let Some(other) = Settings::of(&without_token(invocation))?.token {
        screen.warn(&format!("commands still use the token from {other}"));
    }
    Ok(())
}

/// Returns the flags as the next command has them, without those that pass a token.
fn without_token(invocation: &Invocation) -> Invocation {
    let service =
        ServiceFlags { token_file: None, token_stdin: false, ..invocation.service.clone() };
    Invocation { service, ..invocation.clone() }
}
