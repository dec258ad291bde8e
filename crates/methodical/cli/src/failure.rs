//! A failure of the program: what happened, why, and what to do next.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use methodical_client::model;

use crate::exit::Exit;
use crate::output::jq_error::JqError;
use crate::screen::{Screen, Tone};
#[cfg(feature = "mirror")]
use crate::secrets::without_secrets;

/// The failure of a command: a message with causes, a hint and an exit code.
///
/// The message says "cannot VERB OBJECT", each cause says why, and the hint says what to do next. None of them ends in a
/// full stop, and none of them contains a token.
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
    /// The exit code that a filter of `--jq` sets.
    halted: Option<u8>,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// Creates a failure with this exit code.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, halted: None, message: message.into(), causes: Vec::new(), hint: None }
    }

    /// Creates a failure about the command line or the configuration. The exit code is 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Creates a failure of an output that cannot be written. The exit code is 1.
    pub fn unwritten(message: impl Into<String>) -> Self {
        Self::new(Exit::Unwritten, message)
    }

    /// Creates a failure because of another process that writes the same. The exit code is 9.
    #[cfg(feature = "mirror")]
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Exit::Busy, message)
    }

    /// Sets the hint: what to do next. It replaces the hint set before.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a cause, after those that the failure has.
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Puts what failed as a whole before the message.
    #[cfg(feature = "mirror")]
    pub(crate) fn within(self, whole: &str) -> Self {
        Self { message: format!("{whole}: {}", self.message), ..self }
    }

    /// Sets the exit code.
    #[cfg(feature = "mirror")]
    pub(crate) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Returns the message, the causes and the hint as one text, without the secrets that were sent.
    #[cfg(feature = "mirror")]
    pub(crate) fn text(&self) -> String {
        let mut text = self.message.clone();
        for cause in &self.causes {
            text.push_str(": ");
            text.push_str(cause);
        }
        if let Some(hint) = &self.hint {
            text.push_str("; ");
            text.push_str(hint);
        }
        without_secrets(&text).into_owned()
    }

    /// Returns the kind of the exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> ExitCode {
        self.halted.map_or_else(|| self.exit.into(), ExitCode::from)
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

impl From<model::Error> for Failure {
    /// Creates the failure for a query that cannot be sent.
    fn from(error: model::Error) -> Self {
        Self::usage("cannot send the query").because(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(<dyn Error + Send + Sync>::downcast_ref) {
            Some(JqError::Failed(cause)) => {
                return Self::usage("cannot apply the filter of --jq").because(cause).hint(
                    "the input is the array of all records, and `.[]` is each of them; or it is one object",
                );
            }
            Some(JqError::Halted(code)) => {
                let failure =
                    Self::new(Exit::Contract, "the filter of --jq ended with `halt_error`");
                return Self { halted: Some(*code), ..failure };
            }
            None => {}
        }
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Unwritten,
        };
        Self::new(exit, "cannot write the output").because(error.to_string())
    }
}
