//! The nesting limit.

/// Maximum nesting of arrays and objects, in levels: the limit of `serde_json` for typed data.
pub(crate) const LIMIT: usize = 127;

/// The expectation of an error about nesting.
pub(crate) const EXPECTED: &str = "at most 127 levels";

/// The message of a serde error; our own errors have a kind for it.
pub(crate) const MESSAGE: &str = "nested too deeply";

/// Returns whether this JSON text is nested deeper than [`LIMIT`].
///
/// `serde_json` skips unread values without a limit, so we count ourselves.
pub(crate) fn exceeded(json: &str) -> bool {
    // Most values are neither arrays nor objects.
    if !json.starts_with(['[', '{']) {
        return false;
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                if depth > LIMIT {
                    return true;
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, exceeded};

    #[test]
    fn the_limit_itself_is_accepted() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(!exceeded(&nested(LIMIT)));
        assert!(exceeded(&nested(LIMIT + 1)));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(!exceeded(&alloc::format!("[\"\\\"{}\"]", "[".repeat(500))));
    }
}
