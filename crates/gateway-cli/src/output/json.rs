//! JSON: everything that the service sent, as one document or as one line for each record.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::escape::is_hostile;
use crate::output::form::Form;

/// A list as an array, one record on each line; one object as itself.
#[derive(Debug)]
pub(crate) struct Json {
    single: bool,
    terminal: bool,
    begun: bool,
    /// On a terminal, the record whose line cannot be ended yet: there may be a comma in it. What the program says
    /// meanwhile would stand beside half a line, or in its place.
    held: Option<String>,
}

impl Json {
    /// Makes the form of a list, or of one object.
    pub(crate) fn new(single: bool, terminal: bool) -> Self {
        Self { single, terminal, begun: false, held: None }
    }
}

impl Form for Json {
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        if self.single {
            return out.write_all(shown(record, self.terminal).as_bytes());
        }
        if !self.terminal {
            out.write_all(if self.begun { b",\n" } else { b"[\n" })?;
            self.begun = true;
            return out.write_all(record.as_bytes());
        }
        if !self.begun {
            self.begun = true;
            out.write_all(b"[\n")?;
        }
        match self.held.replace(shown(record, true).into_owned()) {
            Some(held) => writeln!(out, "{held},"),
            None => Ok(()),
        }
    }

    fn cut(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.held.take() {
            Some(held) => writeln!(out, "{held}"),
            None if self.begun => out.write_all(b"\n"),
            None => Ok(()),
        }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        if let Some(held) = self.held.take() {
            out.write_all(held.as_bytes())?;
        }
        out.write_all(match (self.single, self.begun) {
            (true, _) => b"\n",
            (false, true) => b"\n]\n",
            (false, false) => b"[]\n",
        })?;
        Ok(None)
    }
}

/// One record on each line, without brackets. Blanks within a line are the service's own: a record passes as it came.
#[derive(Debug)]
pub(crate) struct Ndjson {
    pub(crate) terminal: bool,
}

impl Form for Ndjson {
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        out.write_all(shown(record, self.terminal).as_bytes())?;
        out.write_all(b"\n")
    }

    fn end(&mut self, _out: &mut dyn Write) -> io::Result<Option<String>> {
        Ok(None)
    }
}

/// On a terminal, writes what would act on it as `\u` escapes: the same JSON value, seen and not executed.
fn shown(json: &str, terminal: bool) -> Cow<'_, str> {
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
    use super::shown;

    #[test]
    fn escapes_keep_the_value() {
        let json = "{\"n\":\"a\u{9b}\u{202e}\u{7f}é\"}";
        let safe = shown(json, true);
        assert_eq!(safe, "{\"n\":\"a\\u009b\\u202e\\u007fé\"}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&safe), read(json));
        assert_eq!(shown(json, false), json);
    }
}
