//! The events that end a program on Windows: Ctrl-C, Ctrl-Break, a closed window.

use crate::exit::Exit;

/// Calls `end` on such an event.
pub(super) fn watch(end: impl Fn(Exit) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || end(Exit::Interrupted))
}
