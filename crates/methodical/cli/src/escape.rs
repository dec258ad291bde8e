//! Escapes untrusted text for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes control characters, direction marks and most invisible characters as `\u{…}`, so that a name cannot move the cursor, change colours or
/// reverse a line.
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

/// Returns whether a terminal acts on a character or hides it: a control, a line or paragraph separator, a direction mark,
/// or an invisible character, which makes two different names look equal. Joiners are not among them: emoji and several
/// scripts need them.
pub(crate) fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
        || matches!(
            letter,
            '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{3164}'
                | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_hostile, printable};

    #[test]
    fn characters_that_a_terminal_acts_on_are_escaped() {
        assert_eq!(printable("Ada \u{1b}[2J\u{7}"), "Ada \\u{1b}[2J\\u{7}");
        assert_eq!(printable("a\nb\tc\r"), "a\\u{a}b\\u{9}c\\u{d}");
        assert_eq!(printable("\u{9b}31m\u{202e}gnp"), "\\u{9b}31m\\u{202e}gnp");
        assert_eq!(
            printable("a\u{200b}\u{feff}\u{ad}\u{3164}\u{e0041}"),
            "a\\u{200b}\\u{feff}\\u{ad}\\u{3164}\\u{e0041}"
        );
        assert_eq!(printable("Zoë 王 😀 עברית"), "Zoë 王 😀 עברית");
    }

    proptest! {
        #[test]
        fn escaped_text_contains_no_such_character(text in any::<String>()) {
            prop_assert!(!printable(&text).contains(is_hostile));
        }
    }
}
