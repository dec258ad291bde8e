//! JSON and NDJSON, with everything the service sent. On a terminal, JSON is indented and coloured.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::escape::is_hostile;
use crate::output::pretty::pretty;
use crate::output::record_writer::RecordWriter;
use crate::screen::View;

/// A list as a JSON array with one record per line, or one object.
#[derive(Debug)]
pub(crate) struct Json {
    single: bool,
    view: View,
    has_bracket: bool,
    /// On a terminal: the last record, until it is known whether a comma follows it. A message of the program that is
    /// written in between must not share a line with it.
    held: Option<String>,
}

impl Json {
    /// Creates a writer of a list, or of one object.
    pub(crate) fn new(single: bool, view: View) -> Self {
        Self { single, view, has_bracket: false, held: None }
    }

    /// Returns the text of a record: unchanged, or indented on a terminal.
    fn text<'a>(&self, record: &'a str) -> Cow<'a, str> {
        if !self.view.is_terminal() {
            return Cow::Borrowed(record);
        }
        let level = usize::from(!self.single);
        let indentation = if self.single { "" } else { "  " };
        let text = pretty(&safe(record, true), level, self.view.color);
        Cow::Owned(format!("{indentation}{text}"))
    }
}

impl RecordWriter for Json {
    fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        if self.single {
            return out.write_all(self.text(record).as_bytes());
        }
        if !self.view.is_terminal() {
            out.write_all(if self.has_bracket { b",\n" } else { b"[\n" })?;
            self.has_bracket = true;
            return out.write_all(record.as_bytes());
        }
        if !self.has_bracket {
            self.has_bracket = true;
            out.write_all(b"[\n")?;
        }
        let text = self.text(record).into_owned();
        match self.held.replace(text) {
            Some(held) => writeln!(out, "{held},"),
            None => Ok(()),
        }
    }

    fn abort(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.held.take() {
            Some(held) => writeln!(out, "{held}"),
            None if self.has_bracket => out.write_all(b"\n"),
            None => Ok(()),
        }
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        if let Some(held) = self.held.take() {
            out.write_all(held.as_bytes())?;
        }
        out.write_all(match (self.single, self.has_bracket) {
            (true, _) => b"\n",
            (false, true) => b"\n]\n",
            (false, false) => b"[]\n",
        })?;
        Ok(None)
    }
}

/// One record per line, without brackets. The whitespace within a record stays as received.
#[derive(Debug)]
pub(crate) struct Ndjson {
    pub(crate) terminal: bool,
}

impl RecordWriter for Ndjson {
    fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        out.write_all(safe(record, self.terminal).as_bytes())?;
        out.write_all(b"\n")
    }

    fn finish(&mut self, _out: &mut dyn Write) -> io::Result<Option<String>> {
        Ok(None)
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

#[cfg(test)]
mod tests {
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
