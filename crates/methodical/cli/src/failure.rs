//! A failure of the program: what happened, why, what to do next, and the exit code.

use std::error::Error as StdError;
use std::{env, fmt, io, iter};

use methodical_client::{Error, ErrorKind};

use crate::commands::Invocation;
use crate::connect::{is_local, without_secrets};
use crate::screen::{BOLD, ERROR, HINT, Screen, closest};
use crate::settings::{Setting, Settings, TokenFrom, redacted};

/// The program's result. Its number is the exit code, which [`EXIT_CODES`] explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(not(unix), expect(dead_code, reason = "two of the signals exist only on Unix"))]
pub(crate) enum Exit {
    /// Success, even if the reader of the output closed it early.
    Done = 0,
    Unwritten = 1,
    Usage = 2,
    NotAuthorized = 3,
    Network = 4,
    Contract = 5,
    Rejected = 6,
    Guarded = 7,
    Alarm = 8,
    Busy = 9,
    Unjudged = 10,
    Unerased = 11,
    Interrupted = 130,
    Terminated = 143,
}

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the output could not be written, for example because the disk is full
  2    invalid usage or configuration, or no access token
  3    not authorized
  4    network or TLS error, timeout, or the service was overloaded or failing; retry later
  5    the service or an event receiver refused a request or failed, or its response is unusable
  6    success, but some records were skipped; standard error lists them
  7    the mirror refused a list because too many records are missing from it; nothing was changed
  8    an amount is below --below, or the mirror is older than --max-age
  9    another process is syncing the mirror, or delivering its changes
  10   a check is inconclusive: the mirror has too few samples of an amount
  11   a record was erased from a mirror, but its bytes remain in the log
  130  interrupted: Ctrl-C
  143  terminated: by `kill`, or by the system that runs the program";

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        #[expect(clippy::as_conversions, reason = "the numbers are the point of the enum")]
        let code = self as u8;
        code
    }
}

/// The failure of a command: a message with causes, a hint and an exit code.
///
/// The message says "cannot VERB OBJECT", each cause says why, and the hint says what to do next. None of them ends
/// with a full stop or contains a token.
///
/// # Examples
///
/// ```
/// use methodical_cli::Failure;
///
/// let failure = Failure::usage("cannot read album.toml")
///     .because("no such file")
///     .hint("run `photos albums list` to find an album");
/// ```
#[derive(Debug)]
#[must_use]
pub struct Failure {
    exit: Exit,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), causes: Vec::new(), hint: None }
    }

    /// Creates a failure about the command line or the configuration. The exit code is 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Creates a failure about an unknown name, such as a field name. The hint lists the known names, and first
    /// suggests a similar one.
    pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let all = known.join(", ");
        let hint = match closest(&name.to_lowercase(), known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? All {what}s: {all}"),
            None => format!("the {what}s are {all}"),
        };
        Self::usage(format!("unknown {what} `{name}`")).hint(hint)
    }

    /// Creates a failure for output that cannot be written. The exit code is 1.
    pub fn unwritten(message: impl Into<String>) -> Self {
        Self::new(Exit::Unwritten, message)
    }

    /// Creates a failure without a message, for a command that has nothing more to do. For example, it ends a dry run
    /// after the request is printed.
    pub(crate) fn ended(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// Sets the hint: what to do next. It replaces any earlier hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a cause after the existing ones.
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Puts this text and a colon before the message.
    pub(crate) fn within(self, whole: &str) -> Self {
        Self { message: format!("{whole}: {}", self.message), ..self }
    }

    /// Prints the message as a warning, without causes, because another failure ends the program.
    pub(crate) fn warn(&self, screen: Screen) {
        screen.warn(&self.message);
    }

    pub(crate) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Returns the message, the causes and the hint as one text, without the secrets that were sent.
    pub(crate) fn text(&self) -> String {
        let causes = self.causes.iter().map(|cause| format!(": {cause}"));
        let hint = self.hint.iter().map(|hint| format!("; {hint}"));
        let text: String = iter::once(self.message.clone()).chain(causes).chain(hint).collect();
        without_secrets(&text).into_owned()
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Writes the message, the causes and the hint to standard error. A failure without a message prints nothing.
    pub(crate) fn print(&self, screen: Screen) {
        if self.exit == Exit::Done || self.message.is_empty() {
            return;
        }
        screen.say(ERROR, "error", &self.message);
        for cause in &self.causes {
            screen.say(BOLD, "  cause", cause);
        }
        if let Some(hint) = &self.hint {
            screen.say(HINT, "  hint", hint);
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Unwritten,
        };
        Self::new(exit, "cannot write the output").because(error)
    }
}

/// Converts an error from the mirror. Each cause is named once, because some error texts already contain their causes.
impl From<methodical_mirror::Error> for Failure {
    fn from(error: methodical_mirror::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&methodical_mirror::Error> for Failure {
    fn from(error: &methodical_mirror::Error) -> Self {
        use methodical_mirror::ErrorKind;

        let exit = match error.kind() {
            ErrorKind::DeletionGuard => Exit::Guarded,
            ErrorKind::Busy => Exit::Busy,
            ErrorKind::Store | ErrorKind::Io => Exit::Unwritten,
            ErrorKind::Call | ErrorKind::Unreachable => Exit::Network,
            ErrorKind::Delivery | ErrorKind::Filter => Exit::Contract,
            _ => Exit::Usage,
        };
        let mut said = error.to_string();
        let mut failure = Self::new(exit, said.clone());
        for text in sources(error) {
            if !said.contains(&text) {
                said.push_str(&text);
                failure = failure.because(text);
            }
        }
        failure
    }
}

/// Converts an error to the failure that the program ends with.
pub(crate) fn explain(error: &Error, settings: &Settings, invocation: &Invocation) -> Failure {
    Failure { hint: hint(error, settings, invocation), ..failure(error, settings.token.as_ref()) }
}

/// Converts an error that occurred before a call, such as an invalid base URL.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(&error, None)
    }
}

/// Converts an error to a failure without a hint.
fn failure(error: &Error, token: Option<&TokenFrom>) -> Failure {
    let exit = exit(error);
    let mut message = match (error.kind(), token) {
        (ErrorKind::Token, Some(TokenFrom::File(_))) => "cannot use the token file".to_owned(),
        (ErrorKind::Token, Some(TokenFrom::Command(_))) => {
            "cannot use the token command".to_owned()
        }
        // The text after the semicolon names the library's setting; the hint names the program's.
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

fn exit(error: &Error) -> Exit {
    match error.kind() {
        ErrorKind::Config | ErrorKind::Query | ErrorKind::Token => Exit::Usage,
        ErrorKind::Unauthorized | ErrorKind::Forbidden => Exit::NotAuthorized,
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

fn hint(error: &Error, settings: &Settings, invocation: &Invocation) -> Option<String> {
    let base_url = settings.base_url();
    Some(match error.kind() {
        ErrorKind::Token | ErrorKind::Unauthorized => match settings.token.as_ref()? {
            from @ TokenFrom::Login { .. } => {
                let login = invocation.command("auth login");
                format!("the token comes from {from}; run {login} to replace it")
            }
            from => format!("the token comes from {from}; check that it is current"),
        },
        ErrorKind::Forbidden => "use a token whose account may make this call".to_owned(),
        ErrorKind::Connect => match base_url.and_then(|url| proxy_of(&url.value)) {
            Some(name) => format!(
                "check the base URL, and that the proxy in {name} runs and reaches the service; to bypass it, add the host to NO_PROXY"
            ),
            None => format!(
                "check the base URL, and that the service is running; {} shows where the URL comes from",
                invocation.command("config list")
            ),
        },
        ErrorKind::Tls => {
            "check the scheme and the port of the base URL, and the clock of this machine; if your network has its own certificate authority, set SSL_CERT_FILE to a file with its certificate".to_owned()
        }
        ErrorKind::Timeout => "use `--timeout SECONDS` to wait longer".to_owned(),
        ErrorKind::NotFound
        | ErrorKind::Redirected
        | ErrorKind::ContentType
        | ErrorKind::Protocol => {
            let Setting { value, origin } = base_url?;
            format!("the base URL may be wrong: {} ({origin})", redacted(value))
        }
        // A service that asks for more than a day must be mistaken.
        ErrorKind::RateLimited => match error.retry_after().filter(|wait| wait.as_secs() <= 86_400) {
            Some(wait) if wait.as_secs() == 0 => "retry now".to_owned(),
            Some(wait) => format!("retry in {} s", wait.as_secs()),
            None => "retry later".to_owned(),
        },
        ErrorKind::Server if error.is_transient() => {
            "the problem is on the service's side; retry later".to_owned()
        }
        ErrorKind::Server => {
            "the problem is on the service's side; if it persists, contact the operator of the service".to_owned()
        },
        ErrorKind::Status if error.is_transient() => "retry later".to_owned(),
        ErrorKind::Decode | ErrorKind::NotSuccess => {
            let api = invocation.command("api METHOD");
            format!("to see the unchanged response, run the same command with `-o raw`, or {api}")
        }
        ErrorKind::Paging => {
            "all pages before the error are complete; to stop before it, use --limit N".to_owned()
        }
        _ => return None,
    })
}

/// Returns the variable that names a proxy for a URL, if one is set. The transport evaluates `NO_PROXY`.
fn proxy_of(base_url: &str) -> Option<&'static str> {
    let own = if base_url.starts_with("https:") {
        ["https_proxy", "HTTPS_PROXY"]
    } else {
        ["http_proxy", "HTTP_PROXY"]
    };
    let mut names = own.into_iter().chain(["all_proxy", "ALL_PROXY"]);
    names.find(|name| !is_local(base_url) && env::var_os(name).is_some_and(|url| !url.is_empty()))
}

/// Returns the messages of an error's causes, outermost first.
fn sources(error: &dyn StdError) -> impl Iterator<Item = String> {
    iter::successors(error.source(), |&cause| cause.source()).map(ToString::to_string)
}

/// Returns an error's causes: its sources, and the service's explanation.
fn causes(error: &Error, exit: Exit) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for mut text in sources(error) {
        // The message already has the number of records.
        if let (Some(_), Some((what, _))) = (error.delivered(), text.rsplit_once(", after ")) {
            text.truncate(what.len());
        }
        if causes.last() != Some(&text) {
            causes.push(text);
        }
    }
    // The layers of libraries mean nothing to a user; the innermost error is the cause.
    if exit == Exit::Network || error.kind() == ErrorKind::Protocol {
        causes.drain(..causes.len().saturating_sub(1));
    }
    if let Some(problem) = error.problem() {
        causes.extend(problem.detail.or(problem.title));
    }
    causes
}
