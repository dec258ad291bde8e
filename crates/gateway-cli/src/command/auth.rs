//! `gateway auth`: the access token of a profile.

use std::io::{self, IsTerminal as _};

use clap::Subcommand;
use gateway_client::AccessToken;
use serde::Serialize;

use crate::config::file::ConfigFile;
use crate::config::{Settings, TokenFrom, tokens};
use crate::connect::from_stdin;
use crate::failure::Failure;
use crate::flags::{OutputFlags, ServiceFlags};
use crate::generated::commands::CheapestQuestion;
use crate::output::Shape;
use crate::output::printer::Printer;
use crate::screen::{Screen, variable};
use crate::session::Session;

/// What to do with the token.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Store a token for the profile, after the service has accepted it.
    #[command(after_help = "\
Examples:
  gateway auth login --base-url https://gateway.example.com
  pass show gateway | gateway --profile work auth login --token-stdin")]
    Login {
        /// Store it without asking the service.
        #[arg(long)]
        unchecked: bool,
    },
    /// Say where the token comes from, and whether the service accepts it.
    Status,
    /// Remove the stored token of the profile.
    Logout,
}

/// What is known of the token. Never the token.
#[derive(Serialize)]
struct Status {
    profile: String,
    base_url: Option<String>,
    token: Option<String>,
    accepted: bool,
}

/// Does what was asked for.
pub(crate) fn run(
    command: AuthCommand,
    service: &ServiceFlags,
    output: &OutputFlags,
    screen: Screen,
) -> Result<(), Failure> {
    match command {
        AuthCommand::Login { unchecked } => login(service, output, screen, unchecked),
        AuthCommand::Logout => {
            let profile = Settings::of(service)?.profile.value;
            let removed = tokens::remove(&profile)?;
            let outcome = if removed { "is removed" } else { "was not stored" };
            screen.note(&format!("the token of profile {profile} {outcome}"));
            Ok(())
        }
        AuthCommand::Status => {
            let session = Session::open(service, output, screen)?;
            let shape = Shape { columns: FIELDS, fields: FIELDS, single: true };
            let mut printer = Printer::open(output, screen, &shape)?;
            let answer = session.client.send(&CheapestQuestion::new());
            let settings = &session.settings;
            printer.record(&Status {
                profile: settings.profile.value.clone(),
                base_url: settings.base_url.as_ref().map(|url| url.value.clone()),
                token: settings.token.as_ref().map(ToString::to_string),
                accepted: answer.is_ok(),
            })?;
            printer.finish()?;
            answer.map(drop).map_err(|error| session.explain(error))
        }
    }
}

/// Reads a token, shows it to the service, and stores it.
fn login(
    service: &ServiceFlags,
    output: &OutputFlags,
    screen: Screen,
    unchecked: bool,
) -> Result<(), Failure> {
    let settings = Settings::of(service)?;
    let profile = settings.profile.value.clone();
    let text = match &settings.token {
        Some(TokenFrom::Stdin) => from_stdin()?,
        Some(TokenFrom::File(file)) => {
            crate::config::folder::check_private(&file.value)?;
            crate::config::folder::read(&file.value)?.unwrap_or_default()
        }
        Some(TokenFrom::Variable) => variable(crate::config::TOKEN).unwrap_or_default(),
        _ => prompt(&profile)?,
    };
    let text = text.trim();
    let token = AccessToken::new(text)?;
    if !unchecked {
        let url = settings.base_url.as_ref().ok_or_else(|| {
            Failure::usage("no base URL: set GATEWAY_BASE_URL or --base-url")
                .hint("--unchecked stores the token without asking the service")
        })?;
        let mut builder = gateway_client::blocking::Client::builder(&url.value).token(token);
        if settings.allow_insecure_http.value {
            builder = builder.allow_insecure_http();
        }
        builder.build()?.send(&CheapestQuestion::new())?;
    }
    tokens::store(&profile, text)?;
    if let Some(url) = &service.base_url {
        ConfigFile::read()?.set(&profile, "base-url", url)?;
    }
    let place = tokens::path()?;
    if !output.quiet {
        screen.note(&format!("the token of profile {profile} is stored in {}", place.display()));
    }
    Ok(())
}

fn prompt(profile: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("there is nobody to ask for the token")
            .hint("use --token-stdin or --token-file"));
    }
    rpassword::prompt_password(format!("Access token of profile {profile} (not shown): "))
        .map_err(|error| Failure::usage("the token cannot be read").because(error.to_string()))
}

const FIELDS: &[&str] = &["profile", "base_url", "token", "accepted"];
