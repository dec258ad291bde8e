//! The outcome of a command: its output and its exit code.

use crate::diag::suggestion;

/// The output and the exit code of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
    /// The exit code: 0 for success, 1 if a check failed or a file could not be read or written, 2 if
    /// the spec or the command line is invalid.
    pub code: u8,
}

impl Outcome {
    /// Creates the outcome of a command that succeeded.
    pub fn fine(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Creates the outcome of a command that failed.
    pub fn failed(code: u8, stderr: impl Into<String>) -> Self {
        Self { stderr: stderr.into(), code, ..Self::default() }
    }
}

/// Returns the outcome of an invalid command line.
pub fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\n`--help` lists the commands.\n"))
}

/// Returns the outcome of an unknown command, with a suggestion.
pub fn unknown(word: &str, known: &[&str]) -> Outcome {
    usage(&match suggestion(word, known) {
        _ if known.contains(&word) => format!("too many arguments for `{word}`"),
        Some(hint) => format!("unknown command `{word}`; {hint}"),
        None => format!("unknown command `{word}`"),
    })
}
