//! Everything that a client outputs during a call, with a check that it contains nothing secret or personal.

use std::error::Error as _;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_client::{Attempt, Error, Observer};
use tracing::Subscriber;

use crate::support::{Log, assert_no_repetition};

/// The output so far: of a subscriber, of an observer, and of printed values.
#[derive(Clone, Default)]
pub(crate) struct Outputs {
    log: Log,
    attempts: Arc<AtomicUsize>,
}

impl Outputs {
    /// Returns a subscriber for all levels.
    pub(crate) fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        self.log.subscriber()
    }

    /// Prints a value in both `Debug` forms.
    pub(crate) fn print(&self, value: &impl Debug) {
        self.add(&format!("{value:?} {value:#?}"));
    }

    /// Prints an error and its sources, in all forms.
    pub(crate) fn print_error(&self, error: &Error) {
        assert_no_repetition(error);
        let mut text = format!("{error} {error:?} {error:#?}");
        let mut source = error.source();
        while let Some(cause) = source {
            write!(text, " {cause} {cause:?} {cause:#?}").unwrap();
            source = cause.source();
        }
        self.add(&text);
    }

    pub(crate) fn add(&self, text: &str) {
        self.log.clone().write_all(text.as_bytes()).unwrap();
    }

    /// Returns the number of attempts that the observer received.
    pub(crate) fn attempts(&self) -> usize {
        self.attempts.load(Ordering::Relaxed)
    }

    /// Returns everything so far.
    pub(crate) fn text(&self) -> String {
        self.log.text()
    }

    /// Fails if any output contains the canary, or if the subscriber and the observer received different numbers of
    /// attempts.
    pub(crate) fn check(&self, name: &str) {
        let text = self.text();
        assert_eq!(text.matches("attempt finished").count(), self.attempts(), "{name}: {text}");
        assert_silent(&text, name);
    }
}

/// Fails if the text contains the canary, unchanged or in a form in which programs print bytes.
pub(crate) fn assert_silent(text: &str, name: &str) {
    let lower = text.to_ascii_lowercase();
    let hit = FORMS.iter().find(|form| text.contains(**form) || lower.contains(**form));
    let around = hit.and_then(|form| text.lines().find(|line| line.contains(form)));
    assert_eq!(hit, None, "{name}: {}", around.unwrap_or(text));
}

impl Observer for Outputs {
    fn attempt(&self, attempt: &Attempt<'_>) {
        self.print(attempt);
        self.attempts.fetch_add(1, Ordering::Relaxed);
    }
}

/// The canary: in upper or lower case, as hexadecimal and decimal bytes, and in base64 at each of its three offsets.
const FORMS: [&str; 6] =
    ["canary", "43414e415259", "67, 65, 78, 65, 82, 89", "Q0FOQVJZ", "NBTkFSW", "DQU5BUl"];
