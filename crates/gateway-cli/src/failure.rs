//! What the person is told when something did not work: what, why, and what to do next.

use std::error::Error as StdError;
use std::io;

use gateway_client::ErrorKind;
use gateway_client::model::Operation as _;
use serde::Deserialize;

use crate::exit::Exit;
use crate::generated::commands::CheapestQuestion;
use crate::screen::{Screen, Tone};

/// What happened, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// Makes a failure with this exit code.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), causes: Vec::new(), hint: None }
    }

    /// Makes a failure of the person's own input or configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Makes the failure that says how many records are missing from the output.
    pub(crate) fn rejected(count: u64) -> Self {
        let records = if count == 1 { "1 record" } else { &format!("{count} records") };
        Self::new(Exit::Rejected, format!("{records} could not be read; everything else is there"))
    }

    /// Says in other words what happened.
    pub(crate) fn of(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds why it happened.
    pub(crate) fn because(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Writes the message to standard error.
    pub(crate) fn print(&self, screen: Screen) {
        if self.exit == Exit::Done {
            return;
        }
        screen.say(Tone::Error, "error", &self.message);
        for cause in &self.causes {
            screen.say(Tone::Bold, "  cause", cause);
        }
        if let Some(hint) = &self.hint {
            screen.say(Tone::Hint, "  hint", hint);
        }
    }
}

impl From<gateway_client::Error> for Failure {
    fn from(error: gateway_client::Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Config | ErrorKind::Query | ErrorKind::Token => Exit::Usage,
            ErrorKind::Unauthorized | ErrorKind::Forbidden => Exit::NotAuthorised,
            ErrorKind::Connect
            | ErrorKind::Tls
            | ErrorKind::Timeout
            | ErrorKind::Interrupted
            | ErrorKind::Transport => Exit::Network,
            _ => Exit::Contract,
        };
        let mut failure = Self::new(exit, error.to_string());
        let mut source = error.source();
        while let Some(cause) = source {
            let mut text = cause.to_string();
            // How many records came before is said once.
            if let (Some(_), Some((what, _))) = (error.delivered(), text.rsplit_once(", after ")) {
                text.truncate(what.len());
            }
            if failure.causes.last() != Some(&text) {
                failure.causes.push(text);
            }
            source = cause.source();
        }
        // How the libraries stand on each other says nothing to a person; the last one saw what happened.
        if exit == Exit::Network {
            let above = failure.causes.len().saturating_sub(1);
            failure.causes.drain(..above);
        }
        if let Some(problem) = error.problem() {
            failure.causes.extend(problem.detail.or(problem.title));
        }
        if error.attempts() > 1 {
            failure.message = format!("{}, after {} attempts", failure.message, error.attempts());
        }
        failure.hint = hint(&error);
        failure
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Unwritten,
        };
        Self::new(exit, "the output cannot be written").because(error.to_string())
    }
}

/// What to do next.
fn hint(error: &gateway_client::Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::Connect => "is the base URL right, and the service up? `gateway config list --origin` shows where the URL comes from".into(),
        ErrorKind::NotFound
        | ErrorKind::Redirected
        | ErrorKind::ContentType
        | ErrorKind::Protocol => {
            "the base URL may be wrong; `gateway config list --origin` shows where it comes from".into()
        }
        ErrorKind::Tls => "look at the certificate of the service, and at the clock of this machine".into(),
        ErrorKind::Timeout => "`--timeout SECONDS` waits longer".into(),
        ErrorKind::Forbidden => "the token is known but may not do this; ask for one that may".into(),
        ErrorKind::RateLimited => match error.retry_after() {
            Some(wait) => format!("come back in {} s", wait.as_secs()),
            None => "come back later".into(),
        },
        ErrorKind::Server => "the service has a problem of its own; try again later".into(),
        // Whoever asked something else says so.
        ErrorKind::Decode | ErrorKind::NotSuccess => {
            format!("`gateway api {} -o raw` shows what the service sends", CheapestQuestion::METHOD)
        }
        ErrorKind::Status => format!("the service knows the methods {}", methods(error)?.join(", ")),
        _ => return None,
    })
}

/// Returns the methods that the service names when it knows another one than was asked for.
fn methods(error: &gateway_client::Error) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Problem {
        methods: Vec<String>,
    }
    let problem: Problem = serde_json::from_slice(error.body()?).ok()?;
    Some(problem.methods).filter(|methods| !methods.is_empty())
}
