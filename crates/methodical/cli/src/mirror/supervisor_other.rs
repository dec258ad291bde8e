//! Supervisors exist only on Unix: nothing is sent.

/// Does nothing.
pub(crate) fn status(_text: &str) {}

/// Does nothing.
pub(crate) fn ready() {}

/// Does nothing.
pub(crate) fn stopping() {}
