//! Turns an error of the client into what a person reads: message, causes, hint and exit code.

use std::error::Error as _;
use std::time::Duration;

use methodical_client::{Error, ErrorKind};
use serde::Deserialize;

use crate::config::origin::{Setting, TokenFrom};
use crate::config::redact::redacted;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::proxy;

/// The facts about a failed call that its error does not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The invocation, whose flags commands in hints repeat.
    pub(crate) invocation: &'a Invocation,
    /// The source of the access token.
    pub(crate) token: Option<&'a TokenFrom>,
    /// The base URL of the service.
    pub(crate) base_url: Option<&'a Setting<String>>,
    /// The command with which a person can see the unchanged response.
    pub(crate) raw: &'a str,
}

/// Returns the failure with which the program ends because of an error.
pub(crate) fn explain(error: &Error, context: Context<'_>) -> Failure {
    let failure = failure(error, context.token);
    match hint(error, context) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// For an error from before a call, such as an invalid base URL.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(&error, None)
    }
}

/// Returns the failure without a hint.
fn failure(error: &Error, token: Option<&TokenFrom>) -> Failure {
    let exit = exit(error);
    let mut message = match (error.kind(), token) {
        (ErrorKind::Token, Some(TokenFrom::File(_))) => "cannot use the token file".to_owned(),
        (ErrorKind::Token, Some(TokenFrom::Command(_))) => {
            "cannot use the token command".to_owned()
        }
        // After the semicolon is the setting of the library; the hint names that of the program.
        (ErrorKind::Timeout | ErrorKind::TooLarge, _) => {
            let text = error.to_string();
            text.split_once("; ").map_or(text.as_str(), |(what, _)| what).to_owned()
        }
        _ => error.to_string(),
    };
    if error.attempts() > 1 {
        message = format!("{message}, after {} attempts", error.attempts());
    }
    causes(error, exit).into_iter().fold(Failure::new(exit, message), Failure::because)
}

/// Returns the exit code of an error.
fn exit(error: &Error) -> Exit {
    match error.kind() {
        ErrorKind::Config | ErrorKind::Query | ErrorKind::Token => Exit::Usage,
        ErrorKind::Unauthorized | ErrorKind::Forbidden => Exit::NotAuthorised,
        ErrorKind::Connect
        | ErrorKind::Tls
        | ErrorKind::Timeout
        | ErrorKind::Interrupted
        | ErrorKind::Transport
        | ErrorKind::RateLimited => Exit::Network,
        ErrorKind::Server | ErrorKind::Status if error.is_transient() => Exit::Network,
        _ => Exit::Contract,
    }
}

/// Returns a hint on what to do next.
fn hint(error: &Error, context: Context<'_>) -> Option<String> {
    let Context { invocation, token, base_url, raw } = context;
    let origins = || invocation.command("config list --origin");
    Some(match error.kind() {
        ErrorKind::Token | ErrorKind::Unauthorized => origin(invocation, token?),
        ErrorKind::Forbidden => {
            "the token is valid but does not allow this call; use a token that does".to_owned()
        }
        ErrorKind::Connect => match base_url.and_then(|url| proxy::variable_for(&url.value)) {
            Some(name) => format!(
                "check that the proxy in {name} is running and reaches the service; NO_PROXY names hosts to call directly"
            ),
            None => format!(
                "check the base URL, and that the service is running; {} shows where the URL comes from",
                origins()
            ),
        },
        ErrorKind::Tls => {
            let causes = causes(error, Exit::Network);
            let names = |what| causes.iter().any(|text| text.contains(what));
            if names(NOT_TLS) {
                "the service does not speak TLS on this port; check the port and the scheme of the base URL".to_owned()
            } else if names(UNKNOWN_ISSUER) {
                "if your network has its own certificate authority, name a file with its certificate in SSL_CERT_FILE, or add it to the certificates of this machine".to_owned()
            } else {
                "check the certificate of the service and the clock of this machine".to_owned()
            }
        }
        ErrorKind::Timeout => "use `--timeout SECONDS` to wait longer".to_owned(),
        ErrorKind::NotFound
        | ErrorKind::Redirected
        | ErrorKind::ContentType
        | ErrorKind::Protocol => {
            let Setting { value, origin } = base_url?;
            format!("the base URL may be wrong: {} ({origin})", redacted(value))
        }
        ErrorKind::RateLimited => match error.retry_after() {
            Some(wait) if wait <= LONGEST_WAIT => format!("retry in {} s", wait.as_secs()),
            _ => "retry later".to_owned(),
        },
        ErrorKind::Server if error.is_transient() => {
            "the service has an internal problem; retry later".to_owned()
        }
        ErrorKind::Server => "the service has an internal problem".to_owned(),
        ErrorKind::Status if error.is_transient() => "retry later".to_owned(),
        ErrorKind::Status => {
            format!("the methods of the service are {}", methods(error)?.join(", "))
        }
        ErrorKind::Decode | ErrorKind::NotSuccess => {
            format!("{raw} prints the response unchanged")
        }
        ErrorKind::Paging => {
            "the records before are complete; --one-page prints one page only".to_owned()
        }
        _ => return None,
    })
}

/// Returns a hint on where the token comes from, and how to replace a stored token.
fn origin(invocation: &Invocation, token: &TokenFrom) -> String {
    let replaces = |login| format!("; {} replaces it", invocation.command(login));
    let next = match token {
        TokenFrom::Login { .. } => replaces("auth login"),
        TokenFrom::Keyring { .. } => replaces("auth login --keyring"),
        _ => String::new(),
    };
    format!("the token comes from {token}{next}")
}

/// Returns the causes of an error: its sources, and the explanation of the service.
fn causes(error: &Error, exit: Exit) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        let mut text = cause.to_string();
        // The message already has the number of records.
        if let (Some(_), Some((what, _))) = (error.delivered(), text.rsplit_once(", after ")) {
            text.truncate(what.len());
        }
        if causes.last() != Some(&text) {
            causes.push(text);
        }
        source = cause.source();
    }
    // The layers of the libraries mean nothing to a person; the innermost error is the cause.
    if exit == Exit::Network || error.kind() == ErrorKind::Protocol {
        causes.drain(..causes.len().saturating_sub(1));
    }
    if let Some(problem) = error.problem() {
        causes.extend(problem.detail.or(problem.title));
    }
    causes
}

/// Returns the methods that the service lists when it does not know the one in the request.
fn methods(error: &Error) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Problem {
        methods: Vec<String>,
    }
    let problem: Problem = serde_json::from_slice(error.body()?).ok()?;
    Some(problem.methods).filter(|methods| !methods.is_empty())
}

/// The text of rustls about bytes that are not TLS, such as an http response.
const NOT_TLS: &str = "InvalidContentType";

/// The text of rustls about a certificate that no trusted authority has signed.
const UNKNOWN_ISSUER: &str = "UnknownIssuer";

/// Longest wait that a hint names. A service that asks for more is mistaken.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The hint for commands that take `-o raw` themselves.
pub(crate) const SAME_COMMAND: &str = "the same command with `-o raw`";
