//! Writing text that cannot be broken by what it says.
//!
//! Descriptions and wire names come from the spec and may hold anything. Whoever writes them to a
//! file goes through this module: [`string`] makes a Rust literal, [`markdown`] a run of Markdown,
//! and [`Rust`] a source file whose doc comments are escaped on the way in.

use std::fmt::Write as _;

pub use self::markdown::{fenced, inline, markdown};
pub use self::rust::Rust;

mod markdown;
mod rust;

/// A Rust string literal, quotes included.
pub fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            // Readable in source and harmless inside double quotes.
            '\'' => literal.push('\''),
            c if c.is_ascii() || is_hidden(c) => literal.extend(c.escape_default()),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// The text as one line: every run of white space becomes one space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value as it stands in a query: everything but the unreserved characters of RFC 3986 is
/// percent-encoded, a space as `%20`.
pub fn percent_encoded(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => _ = write!(encoded, "%{byte:02X}"),
        }
    }
    encoded
}

/// Whether a character does not show, or changes how its neighbours show: controls, line and
/// paragraph separators, byte-order marks, and the marks that turn the writing direction
/// (CVE-2021-42574).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn a_literal_cannot_be_left() {
        assert_eq!(string(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(string("x\r\n\u{2028}\u{202e}"), r#""x\r\n\u{2028}\u{202e}""#);
        assert_eq!(string("Björn's ☂"), "\"Björn's ☂\"");
    }
}
