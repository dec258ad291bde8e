//! JSON with everything the service sent, as one document or one object per line. On a terminal, it is indented and colored.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::failure::Failure;
use crate::output::format::{OutputSetup, RecordWriter};
use crate::output::jq::Jq;
use crate::output::record::string_end;
use crate::screen::{Tone, View, is_hostile, paint};

/// Creates the writer of one document.
pub(crate) fn document(setup: &OutputSetup) -> Result<Box<dyn RecordWriter>, Failure> {
    let &OutputSetup { single, view, .. } = setup;
    Ok(match &setup.jq {
        Some(code) => Box::new(Jq::new(code, single, view.is_terminal())?),
        None => Box::new(Json { single, view, has_bracket: false, held: String::new() }),
    })
}

/// Creates the writer of one record per line.
pub(crate) fn lines(setup: &OutputSetup) -> Box<dyn RecordWriter> {
    Box::new(Ndjson { terminal: setup.is_terminal() })
}

/// A list as a JSON array with one record per line, or one object.
#[derive(Debug)]
struct Json {
    single: bool,
    view: View,
    has_bracket: bool,
    /// On a terminal: the last record, until it is known whether a comma follows it. A message of the program that is
    /// written in between must not share a line with it.
    held: String,
}

impl RecordWriter for Json {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_bracket, true);
        let bracket: &[u8] = if self.single { b"" } else { b"[\n" };
        if !self.view.is_terminal() {
            out.write_all(if is_first { bracket } else { b",\n" })?;
            return out.write_all(record.as_bytes());
        }
        let (level, indentation) = if self.single { (0, "") } else { (1, "  ") };
        let text = pretty(&safe(record, true), level, self.view.color);
        let held = std::mem::replace(&mut self.held, format!("{indentation}{text}"));
        if is_first { out.write_all(bracket) } else { writeln!(out, "{held},") }
    }

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if self.has_bracket { writeln!(out, "{}", std::mem::take(&mut self.held)) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        let end = match (self.single, self.has_bracket) {
            (true, _) => "\n",
            (false, true) => "\n]\n",
            (false, false) => "[]\n",
        };
        write!(out, "{}{end}", std::mem::take(&mut self.held))?;
        Ok(Vec::new())
    }
}

/// A writer of one record per line, without brackets. The whitespace within a record stays as received.
#[derive(Debug)]
struct Ndjson {
    terminal: bool,
}

impl RecordWriter for Ndjson {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        out.write_all(safe(record, self.terminal).as_bytes())?;
        out.write_all(b"\n")
    }

    fn finish(&mut self, _out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
}

/// Replaces characters that would act on a terminal with `\u` escapes, if the output is a terminal. The JSON value stays
/// the same.
pub(crate) fn safe(json: &str, terminal: bool) -> Cow<'_, str> {
    if !terminal || !json.contains(is_hostile) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_hostile(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

/// Returns a JSON text on several lines. `level` is the indentation of its first line, which is not included.
///
/// The text must be valid JSON.
pub(crate) fn pretty(json: &str, mut level: usize, color: bool) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let end_line = |text: &mut String, level| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", level));
    };
    let mut rest = json.trim_ascii_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = rest.split_at_checked(token_end(rest, first)).unwrap_or((rest, ""));
        rest = after.trim_ascii_start();
        if matches!(first, '}' | ']') {
            level = level.saturating_sub(1);
            // An empty object or array stays on its line.
            if !text.ends_with(['{', '[']) {
                end_line(&mut text, level);
            }
        }
        match first {
            ':' => text.push_str(": "),
            '"' if rest.starts_with(':') => text.push_str(&paint(color, Tone::Name, token)),
            '"' => text.push_str(&paint(color, Tone::Text, token)),
            'n' => text.push_str(&paint(color, Tone::Dim, token)),
            _ => text.push_str(token),
        }
        level += usize::from(matches!(first, '{' | '['));
        if matches!(first, '{' | '[' | ',') && !rest.starts_with(['}', ']']) {
            end_line(&mut text, level);
        }
    }
    text
}

/// Returns the length of the token at the start of a text.
fn token_end(text: &str, first: char) -> usize {
    let end = match first {
        '"' => string_end(text),
        '{' | '}' | '[' | ']' | ',' | ':' => Some(1),
        _ => {
            let ends = |letter: char| ",:{}[]\"".contains(letter) || letter.is_ascii_whitespace();
            text.char_indices().skip(1).find(|(_, letter)| ends(*letter)).map(|(at, _)| at)
        }
    };
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod text_tests {
    use super::safe;

    #[test]
    fn escapes_keep_the_value() {
        let json = "{\"n\":\"a\u{9b}\u{202e}\u{7f}é\"}";
        let escaped = safe(json, true);
        assert_eq!(escaped, "{\"n\":\"a\\u009b\\u202e\\u007fé\"}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&escaped), read(json));
        assert_eq!(safe(json, false), json);
    }
}
#[cfg(test)]
mod pretty_tests {
    use proptest::prelude::*;

    use super::pretty;
    use crate::output::record::one_line;

    #[test]
    fn numbers_and_strings_keep_their_text() {
        let json =
            r#"{"a":1.10,"b":{},"c":[],"d":[1e400,-0,{"x":null}],"é\"":"\u0041,\\","t":true}"#;
        let expected = r#"{
  "a": 1.10,
  "b": {},
  "c": [],
  "d": [
    1e400,
    -0,
    {
      "x": null
    }
  ],
  "é\"": "\u0041,\\",
  "t": true
}"#;
        assert_eq!(pretty(json, 0, false), expected);
        assert_eq!(one_line(expected), json);
        assert_eq!(pretty("\"a\"", 0, false), "\"a\"");
    }

    proptest! {
        #[test]
        fn only_whitespace_is_added(text in r#"[ -~é"\\\[\]{},:]{0,40}"#) {
            let json = serde_json::json!({ "a": [text, 1.5, [[]], {}], "b": { "": text } }).to_string();
            prop_assert_eq!(one_line(&pretty(&json, 0, false)), json);
        }

        #[test]
        fn no_text_makes_it_fail(text in r#"[ a1"\\\[\]{},:]{0,20}"#) {
            prop_assert!(pretty(&text, 0, true).len() >= text.trim().len() / 2);
        }
    }
}
