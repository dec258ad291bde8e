//! The outcome of a command: its output and its exit code.

use crate::diag::closest;

/// What a command has to say, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code: 0 fine, 1 a check failed or a file could not be written, 2 the spec or the
    /// command line is wrong.
    pub code: u8,
}

impl Outcome {
    pub(super) fn fine(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    pub(super) fn failed(code: u8, stderr: impl Into<String>) -> Self {
        Self { stderr: stderr.into(), code, ..Self::default() }
    }
}

pub(super) fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\nRun `cargo xtask --help` for the commands.\n"))
}

pub(super) fn unknown(word: &str, known: &[&str]) -> Outcome {
    usage(&match closest(word, known) {
        Some(known) if known != word => format!("there is no `{word}`; did you mean `{known}`?"),
        _ => format!("`{word}` is not understood"),
    })
}
