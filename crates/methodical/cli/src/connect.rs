//! Creates a client from the settings.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use methodical_client::model::{Auth, Service};
use methodical_client::transport::gzip::Gzip;
use methodical_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use methodical_client::transport::{BlockingTransport, Options};
use methodical_client::{
    AccessToken, CommandToken, EnvironmentToken, FileToken, TokenSource, blocking,
};

use crate::failure::Failure;
use crate::files::{self, with_unread};
use crate::interrupt::ask_for_secret;
use crate::program::Program;
use crate::run::Invocation;
use crate::settings::file::stored_token;
use crate::settings::{Setting, Settings, TokenFrom, check_binding, setting};
use crate::transport::{Trace, Watched};

pub(crate) fn connect_to_service<S: Service>(
    invocation: &Invocation,
    settings: &Settings,
) -> Result<blocking::Client<S>, Failure> {
    if settings.base_url().is_none() {
        return Err(no_base_url(invocation));
    }
    if S::AUTH == Auth::None {
        return build::<S>(invocation, settings, None::<AccessToken>);
    }
    if invocation.service.dry_run {
        // A dry run prints a variable in place of the token.
        return build::<S>(invocation, settings, Some(AccessToken::new("unused")?));
    }
    let missing = || {
        let program = &invocation.program;
        let text = format!(
            "no access token: set {}, use --token-file, or run {}{}",
            program.name().variable("TOKEN"),
            invocation.command("auth login"),
            or_demo(program)
        );
        with_unread(Failure::usage(text), program.name())
    };
    let token = settings.token.clone().ok_or_else(missing)?;
    check_binding(settings, &token)?;
    match token {
        TokenFrom::File(file) => {
            check_token_file(&file)?;
            build::<S>(invocation, settings, Some(FileToken::new(file.value)))
        }
        TokenFrom::Command(command) => {
            let mut words = command.value.into_iter();
            let program = CommandToken::new(words.next().unwrap_or_default());
            build::<S>(invocation, settings, Some(words.fold(program, CommandToken::arg)))
        }
        fixed => {
            let text = read_token(invocation, &fixed)?.ok_or_else(missing)?;
            build::<S>(invocation, settings, Some(parsed_token::<S>(&text, &fixed.to_string())?))
        }
    }
}

/// Creates the token of a service from its text: a bearer token, or a secret.
pub(crate) fn parsed_token<S: Service>(text: &str, from: &str) -> Result<AccessToken, Failure> {
    let token = match S::AUTH {
        Auth::Bearer => AccessToken::new(text.trim()),
        _ => AccessToken::secret(text.trim()),
    };
    token.map_err(|error| Failure::from(error).hint(format!("the token comes from {from}")))
}

pub(crate) fn no_base_url(invocation: &Invocation) -> Failure {
    let program = &invocation.program;
    let variable = program.name().variable("BASE_URL");
    let text = format!(
        "no base URL: run {}, set {variable} or --base-url{}",
        invocation.command("auth login --base-url URL"),
        or_demo(program)
    );
    with_unread(Failure::usage(text), program.name())
}

fn or_demo(program: &Program) -> &'static str {
    if program.demo.is_some() { ", or try --demo" } else { "" }
}

/// Refuses an invalid base URL. Unencrypted http is accepted: another setting decides whether it is allowed.
pub(crate) fn check_base_url<S: Service>(text: &str) -> Result<(), Failure> {
    check_path::<S>(text)?;
    let token = AccessToken::new("unused")?;
    let mut builder =
        blocking::Client::<S>::builder(text).allow_insecure_http().token(token.clone());
    for secret in S::AUTH.secrets().iter().skip(1) {
        builder = builder.secret(secret.name(), token.clone());
    }
    builder.build()?;
    Ok(())
}

/// Refuses a base URL that ends in the path of the service, which the client adds to it.
fn check_path<S: Service>(base_url: &str) -> Result<(), Failure> {
    match base_url.trim_end_matches('/').strip_suffix(S::PATH) {
        Some(base) => {
            Err(Failure::usage(format!("cannot use the base URL: it ends in {}", S::PATH))
                .hint(format!("the program adds this path itself; use {base}")))
        }
        None => Ok(()),
    }
}

/// Refuses a token file that does not exist, or that others can read. The error names the setting that the path comes
/// from.
fn check_token_file(file: &Setting<PathBuf>) -> Result<(), Failure> {
    let Setting { value: path, origin } = file;
    if matches!(path.try_exists(), Ok(false)) {
        return Err(Failure::usage(format!("token file {} does not exist", path.display()))
            .hint(format!("the path comes from {origin}")));
    }
    let asked = |failure: Failure| failure.because(format!("the path comes from {origin}"));
    files::check_private(path, "token").map_err(asked)
}

/// Reads the token from a source; `None` if the source has no token, or if reading it takes a command.
pub(crate) fn read_token(
    invocation: &Invocation,
    from: &TokenFrom,
) -> Result<Option<String>, Failure> {
    match from {
        TokenFrom::Stdin => ask_for("token", "Access token").map(Some),
        TokenFrom::Variable(name) => setting(name),
        TokenFrom::File(file) => {
            check_token_file(file)?;
            files::read(&file.value)
        }
        TokenFrom::Login { profile, .. } => {
            Ok(stored_token(invocation.program.name(), profile)?.map(|stored| stored.token))
        }
        TokenFrom::Demo | TokenFrom::Command(_) => Ok(None),
    }
}

/// Returns the token in force, if reading it has no effect: it does not run a command or read standard input.
/// Without the token or on an error, this returns `None`.
pub(crate) fn token_text(settings: &Settings, invocation: &Invocation) -> Option<String> {
    let from = settings.token.as_ref()?;
    let has_no_effect = match from {
        TokenFrom::Variable(_) | TokenFrom::Login { .. } => true,
        // A pipe could be read only once.
        TokenFrom::File(file) => file.value.is_file(),
        _ => false,
    };
    let text = if has_no_effect { read_token(invocation, from).ok()? } else { None };
    text.map(|text| text.trim().to_owned())
}

/// Reads a secret, such as a token: on a terminal without showing it, and otherwise from standard input.
pub(crate) fn ask_for(what: &str, whose: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if io::stdin().is_terminal() {
        ask_for_secret(&format!("{whose} (not shown): ")).map(|secret| text = secret)
    } else {
        io::stdin().take(MAX_SECRET).read_to_string(&mut text).map(drop)
    };
    read.map_err(|error| {
        Failure::usage(format!("cannot read the {what}")).because(error.to_string())
    })?;
    Ok(text)
}

/// Maximum size of a secret on standard input, in bytes: more than any server accepts in a header.
const MAX_SECRET: u64 = 64 * 1024;

/// Creates a client with this token in place of the one in the settings.
pub(crate) fn build<S: Service>(
    invocation: &Invocation,
    settings: &Settings,
    token: Option<impl TokenSource>,
) -> Result<blocking::Client<S>, Failure> {
    let base_url = settings.base_url().map_or("", |url| url.value.as_str());
    check_path::<S>(base_url)?;
    let mut builder = blocking::Client::<S>::builder(base_url);
    if let Some(token) = token {
        builder = builder.token(token);
    }
    // All secrets but the first one have only a variable. The sample service ignores them.
    for secret in S::AUTH.secrets().iter().skip(1) {
        builder = if invocation.service.dry_run || invocation.service.demo {
            builder.secret(secret.name(), AccessToken::new("unused")?)
        } else {
            let variable = invocation.program.name().secret_variable(secret.name());
            builder.secret(secret.name(), EnvironmentToken::new(variable))
        };
    }
    if settings.allows_insecure_http() {
        builder = builder.allow_insecure_http();
    }
    if let Some(seconds) = settings.timeout() {
        let limit = Duration::from_secs(seconds);
        builder = builder.call_timeout(limit).attempt_timeout(limit).stream_timeout(limit);
    }
    if let Some(trace) = Trace::of(invocation) {
        builder = builder.observer(trace);
    }
    let transport = transport(invocation, settings, true)?;
    // On one machine, compression takes longer than it saves.
    builder = if is_local(base_url) {
        builder.transport(transport)
    } else {
        builder.transport(Gzip::new(transport))
    };
    builder.build().map_err(|error| {
        // The client names its own setting.
        if error.to_string().contains("allow_insecure_http") {
            return Failure::usage(
                "cannot use the base URL: it is unencrypted http, which exposes the token",
            )
            .hint("use https, or allow it with --allow-insecure-http");
        }
        let failure = Failure::from(error);
        match settings.base_url() {
            Some(url) => failure.hint(format!("the base URL comes from {}", url.origin)),
            None => failure,
        }
    })
}

/// Creates a transport that passes on what arrives. It logs with `-v`, and shows notices if they are those of the service.
pub(crate) fn transport(
    invocation: &Invocation,
    settings: &Settings,
    shows_notices: bool,
) -> Result<Arc<dyn BlockingTransport>, Failure> {
    let options = options(settings.timeout());
    let inner = ReqwestBlockingTransport::new(&options).map_err(methodical_client::Error::from)?;
    Ok(Arc::new(Watched::new(inner, invocation, shows_notices)))
}

/// Returns the options of the transport. Without a change, its idle timeout would end a call before a longer
/// `--timeout`.
fn options(timeout: Option<u64>) -> Options {
    let options = Options::default();
    match timeout {
        // The HTTP client panics if the timeout overflows its clock.
        Some(limit) => options.idle_timeout(Duration::from_secs(limit.min(u32::MAX.into()))),
        None => options,
    }
}

/// Returns whether this is the URL of a service on this machine.
pub(crate) fn is_local(base_url: &str) -> bool {
    let url = base_url.parse::<Uri>().ok();
    let Some(host) = url.as_ref().and_then(Uri::host) else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{is_local, options};

    #[test]
    fn the_limit_on_silence_follows_the_timeout() {
        assert_eq!(options(None).idle_timeout, Duration::from_secs(20));
        assert_eq!(options(Some(90)).idle_timeout, Duration::from_secs(90));
        assert_eq!(options(Some(5)).idle_timeout, Duration::from_secs(5));
        assert!(options(Some(u64::MAX)).idle_timeout < Duration::from_secs(u64::MAX / 2));
    }

    #[test]
    fn compression_is_for_other_machines() {
        for local in ["127.9.9.9", "[::1]", "a.localhost"] {
            assert!(is_local(&format!("http://{local}:8080/")), "{local}");
        }
        assert!(!is_local("https://h.example"));
    }
}
