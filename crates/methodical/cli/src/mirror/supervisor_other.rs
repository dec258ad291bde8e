//! Supervisors exist only on Unix: nothing is sent.

use std::time::Duration;

/// A program that no supervisor watches.
#[derive(Debug)]
pub(crate) struct Supervised;

impl Supervised {
    /// Does nothing.
    pub(crate) fn start() -> Self {
        Self
    }

    /// Does nothing.
    #[expect(clippy::unused_self, reason = "a supervisor on Unix needs it")]
    pub(crate) fn status(&self, _text: &str, _wait: Duration) {}
}

/// Does nothing.
pub(crate) fn ready() {}

/// Does nothing.
pub(crate) fn stopping() {}
