//! The service that a stored token belongs to. The token is never sent to another one.

use crate::config::file::ConfigFile;
use crate::config::origin::{Origin, TokenFrom};
use crate::config::settings::Settings;
use crate::config::tokens;
use crate::config::web_origin::origin;
use crate::failure::Failure;
use crate::name::{Name, Variable};

/// Refuses to send a stored token to another service than its own: `auth login` recorded the origin, else the token
/// belongs to the base URL of its profile. Tokens from flags and variables are given for the call, so they may go anywhere.
pub(crate) fn check(settings: &Settings, from: &TokenFrom) -> Result<(), Failure> {
    let Settings { program, profile, file, base_url, .. } = settings;
    let program = *program;
    let name = profile.value.as_str();
    let bound = match from {
        TokenFrom::Login { .. } | TokenFrom::Keyring { .. } => recorded(file, name),
        TokenFrom::Command(_) => of_profile(file, name),
        TokenFrom::File(path) if matches!(path.origin, Origin::Profile(_)) => {
            of_profile(file, name)
        }
        _ => return Ok(()),
    };
    // The client refuses a base URL that has no origin.
    let Some(target) = base_url.as_ref().and_then(|url| origin(&url.value)) else { return Ok(()) };
    let for_one_command = format!(
        "for one command, use --token-file, --token-stdin or {}",
        Variable::Token.of(program)
    );
    Err(match bound {
        Some(bound) if bound == target => return Ok(()),
        Some(bound) => Failure::usage(format!(
            "the token of profile {name} is for {bound}, and is not sent to {target}"
        ))
        .hint(format!(
            "log in to {target} with another profile: `{program} --profile NAME auth login --base-url {target}`; {for_one_command}"
        )),
        None => Failure::usage(format!(
            "the token of profile {name} is not bound to a service, so it was not sent to {target}"
        ))
        .hint(format!(
            "if it is for this service, run `{program} --profile {name} config set base-url {target}`; {for_one_command}"
        )),
    })
}

/// Records the service of a stored token before the base URL of its profile changes.
pub(crate) fn keep(program: Name, file: &mut ConfigFile, profile: &str) -> Result<(), Failure> {
    let stored = file.is_on(profile, "token-keyring") || tokens::hold(program, profile);
    match recorded(file, profile).filter(|_| stored) {
        Some(bound) => file.set(profile, KEY, &bound),
        None => Ok(()),
    }
}

/// Returns the origin that a stored token is for.
pub(crate) fn recorded(file: &ConfigFile, profile: &str) -> Option<String> {
    match file.get(profile, KEY) {
        Some(url) => origin(&url),
        None => of_profile(file, profile),
    }
}

fn of_profile(file: &ConfigFile, profile: &str) -> Option<String> {
    origin(&file.get(profile, "base-url")?)
}

/// The setting with the origin that the token of `auth login` is for.
pub(crate) const KEY: &str = "token-for";
