//! Writes text so that its content cannot break the output.
//!
//! Descriptions and wire names come from the spec and may contain anything. All code that writes them to a file uses
//! this module: [`string`] returns a Rust literal, [`markdown()`] Markdown, and [`comment()`] a doc comment.

use regex_lite::{Captures, Regex};

pub use self::markdown::{code, comment, fenced, inline, markdown};

mod markdown;

/// Returns the text as a Rust string literal, quotes included.
pub fn string(text: &str) -> String {
    format!("{text:?}")
}

/// Returns strings as Rust literals, separated by commas.
pub fn strings(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    texts.into_iter().map(|text| string(text.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Joins a list with commas, and a word before the last item.
pub fn list(texts: &[String], before_last: &str) -> String {
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{}{before_last}{last}", first.join(", ")),
        None => String::new(),
    }
}

/// Capitalizes the first letter.
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
}

/// Returns JSON text as a Rust string literal. It is a raw literal if that avoids escapes and the
/// text cannot end or break it.
pub fn raw_string(text: &str) -> String {
    if !text.contains('"') || text.contains("\"#") || text.chars().any(is_hidden) {
        string(text)
    } else {
        format!("r#\"{text}\"#")
    }
}

/// Returns the text as a JSON string, quotes included.
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the text on one line: each run of whitespace becomes one space.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Percent-encodes a value for a query: everything except the unreserved characters of RFC 3986, with a space as `%20`.
pub fn percent_encoded(value: &str) -> String {
    let encoded = value.bytes().map(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// Returns whether a character is invisible or changes how its neighbors are displayed: controls,
/// line and paragraph separators, byte-order marks, and the marks that change the writing direction
/// (CVE-2021-42574).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the path of a file relative to a folder. Both are given relative to the same root, with `/`.
///
/// ```
/// use methodical_codegen::text::relative;
/// assert_eq!(relative("docs/generated/operations", "docs/service.md"), "../../service.md");
/// assert_eq!(relative("docs", "docs/generated/types.md"), "generated/types.md");
/// ```
pub fn relative(folder: &str, file: &str) -> String {
    let parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let common = parts.iter().zip(file.split('/')).take_while(|(one, other)| *one == other).count();
    let up = parts.iter().skip(common).map(|_| "..");
    up.chain(file.split('/').skip(common)).collect::<Vec<_>>().join("/")
}

/// Wraps words to lines of at most this many characters.
pub(crate) fn wrapped(
    words: impl IntoIterator<Item = impl AsRef<str>>,
    width: usize,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = word.as_ref();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Replaces each pair of escaped surrogates in JSON text with its character, and keeps all other escapes.
pub(crate) fn without_surrogates(json: &str) -> String {
    // Escaped backslashes are matched as well, because they do not begin the escape that follows.
    let escape = Regex::new(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..");
    let replaced = |found: &Captures<'_>| {
        let escape = found.get(0).map_or("", |found| found.as_str());
        let character = serde_json::from_str(&format!("\"{escape}\""));
        character.ok().filter(|_| escape.len() > 2).unwrap_or_else(|| escape.to_owned())
    };
    escape
        .map_or_else(|_| json.to_owned(), |escape| escape.replace_all(json, replaced).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{string, without_surrogates};

    #[test]
    fn a_text_cannot_end_its_literal() {
        assert_eq!(string(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(string("x\r\n\u{2028}\u{202e}"), r#""x\r\n\u{2028}\u{202e}""#);
        assert_eq!(string("Björn's ☂"), "\"Björn's ☂\"");
    }

    #[test]
    fn surrogates_become_characters() {
        let json = r#"{"a": "\ud83d\ude00 \u0041\u0042 \\ud83d\\ude00 \n\"", "b": "\ud83d é"}"#;
        let expected = r#"{"a": "😀 \u0041\u0042 \\ud83d\\ude00 \n\"", "b": "\ud83d é"}"#;
        assert_eq!(without_surrogates(json), expected);
    }
}
