//! JSON with everything the service sent, as one document or one object per line. On a terminal, it is indented and colored.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use jaq_json::read;
use jaq_json::write::{Pp, Styles, write};

use crate::failure::Failure;
use crate::output::format::{OutputSetup, RecordWriter};
use crate::output::jq::Jq;
use crate::screen::{View, is_hostile};

/// Creates the writer of one document.
pub(crate) fn document(setup: &OutputSetup) -> Result<Box<dyn RecordWriter>, Failure> {
    let &OutputSetup { single, view, .. } = setup;
    Ok(match &setup.flags.jq {
        Some(code) => Box::new(Jq::new(code, single, view.is_terminal())?),
        None => Box::new(Json { single, view, has_bracket: false }),
    })
}

/// A list as a JSON array with one record per line, or one object.
#[derive(Debug)]
struct Json {
    single: bool,
    view: View,
    has_bracket: bool,
}

impl RecordWriter for Json {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_bracket, true);
        let bracket: &[u8] = if self.single { b"" } else { b"[\n" };
        out.write_all(if is_first { bracket } else { b",\n" })?;
        if !self.view.is_terminal() {
            return out.write_all(record.as_bytes());
        }
        let (level, indentation) = if self.single { (0, "") } else { (1, "  ") };
        write!(out, "{indentation}{}", pretty(record, level, self.view.color))
    }

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if self.has_bracket { writeln!(out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        let end = match (self.single, self.has_bracket) {
            (true, _) => "\n",
            (false, true) => "\n]\n",
            (false, false) => "[]\n",
        };
        out.write_all(end.as_bytes())?;
        Ok(Vec::new())
    }
}

/// A writer of one record per line, without brackets. The whitespace within a record stays as received.
#[derive(Debug)]
pub(crate) struct Ndjson {
    pub(crate) terminal: bool,
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
    Cow::Owned(escaped(json, |_| true))
}

fn escaped(json: &str, is_data: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_hostile(letter) && is_data(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Returns a JSON text on several lines, in which no character acts on a terminal. `level` is the indentation of its
/// first line, which is not included. Text that is not valid JSON is returned unchanged.
fn pretty(json: &str, level: usize, color: bool) -> String {
    let styles = if color { Styles::ansi().parse("2::::32:::1;34") } else { Styles::default() };
    let pp = Pp { indent: Some("  ".to_owned()), styles, sep_space: true, ..Pp::default() };
    let mut text = Vec::new();
    let written = read::parse_single(json.as_bytes())
        .map_err(|_syntax| io::ErrorKind::InvalidData.into())
        .and_then(|value| write(&mut text, &pp, level, &value));
    match written {
        // Strings contain control characters only as escapes. The ones left are line breaks, and the start of colors.
        Ok(()) => escaped(&String::from_utf8_lossy(&text), |letter| !"\n\u{1b}".contains(letter)),
        Err(_) => safe(json, true).into_owned(),
    }
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
    fn numbers_keep_their_text_and_strings_their_value() {
        let json = r#"{"a":1.10,"b":{},"c":[],"d":[1e400,12345678901234567890.0,{"x":null}],"é\"":"\u0041,\\","t":true}"#;
        let expected = r#"{
  "a": 1.10,
  "b": {},
  "c": [],
  "d": [
    1e400,
    12345678901234567890.0,
    {
      "x": null
    }
  ],
  "é\"": "A,\\",
  "t": true
}"#;
        assert_eq!(pretty(json, 0, false), expected);
        assert_eq!(pretty("\"a\"", 0, false), "\"a\"");
        let hostile = r#"["\u001b[2J\u009b"]"#;
        assert_eq!(pretty(hostile, 0, false), "[\n  \"\\u001b[2J\\u009b\"\n]");
        let colored = "[\n  \u{1b}[32m\"\\u001b[2J\\u009b\"\u{1b}[0m\n]";
        assert_eq!(pretty(hostile, 0, true), colored);
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
