//! What asks a program on Windows to end: Ctrl-C, Ctrl-Break, a closed window.

use crate::exit::Exit;

/// Calls `end` when the person has had enough.
pub(super) fn watch(end: impl Fn(Exit) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || end(Exit::Interrupted))
}
