//! Text of others, made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Shows control characters and those that reorder text as `\u{…}`, so that a name cannot move the cursor, change
/// colours or turn the line around.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_hostile(letter) {
            // Writing to a string cannot fail.
            _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Controls, line and paragraph separators, and the marks that set the direction of text.
pub(crate) fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_hostile, printable};

    #[test]
    fn shows_what_would_act() {
        assert_eq!(printable("Ada \u{1b}[2J\u{7}"), "Ada \\u{1b}[2J\\u{7}");
        assert_eq!(printable("a\nb\tc\r"), "a\\u{a}b\\u{9}c\\u{d}");
        assert_eq!(printable("\u{9b}31m\u{202e}gnp"), "\\u{9b}31m\\u{202e}gnp");
        assert_eq!(printable("Zoë 王 😀 עברית"), "Zoë 王 😀 עברית");
    }

    proptest! {
        #[test]
        fn nothing_hostile_is_left(text in any::<String>()) {
            prop_assert!(!printable(&text).contains(is_hostile));
        }
    }
}
