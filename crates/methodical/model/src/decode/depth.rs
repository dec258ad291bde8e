//! The nesting limit.

use crate::decode::members::Splitter;

/// Maximum nesting of arrays and objects, in levels. It is `serde_json`'s limit for typed data.
pub(crate) const LIMIT: usize = 127;

/// The expectation in an error about nesting.
pub(crate) const EXPECTED: &str = "at most 127 levels";

/// The message of a serde error about nesting. Our own errors have a kind for it.
pub(crate) const MESSAGE: &str = "nested too deeply";

/// Returns whether this JSON text is nested deeper than [`LIMIT`].
///
/// `serde_json` skips unread values without a limit, so we count ourselves.
pub(crate) fn exceeded(json: &str) -> bool {
    // Most values are neither arrays nor objects.
    if !json.starts_with(['[', '{']) {
        return false;
    }
    let mut splitter = Splitter::default();
    json.bytes().any(|byte| {
        splitter.ends_with(byte);
        splitter.depth() > LIMIT
    })
}
