//! How deep a value may be nested.

/// Arrays and objects within each other: as many as `serde_json` follows in data it reads.
pub(crate) const LIMIT: usize = 127;

/// What a serde error says; the library's own errors have a kind for it.
pub(crate) const MESSAGE: &str = "nested too deep";

/// Says whether this JSON text is nested deeper than [`LIMIT`].
///
/// `serde_json` skips what it does not read without any limit, so we count ourselves.
pub(crate) fn exceeded(json: &str) -> bool {
    // Texts, numbers and the like are by far the most usual values.
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
    fn the_limit_is_the_last_that_passes() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(!exceeded(&nested(LIMIT)));
        assert!(exceeded(&nested(LIMIT + 1)));
    }

    #[test]
    fn brackets_in_text_do_not_count() {
        assert!(!exceeded(&alloc::format!("[\"\\\"{}\"]", "[".repeat(500))));
    }
}
