//! JSON with everything the service sent. On a terminal, it is indented and coloured.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::failure::Failure;
use crate::output::jq::Jq;
use crate::output::json_text::safe;
use crate::output::output_format::{FormatColumns, OutputFormat};
use crate::output::pretty::pretty;
use crate::output::record_writer::{Ending, RecordWriter};
use crate::output::setup::OutputSetup;
use crate::screen::View;

/// `json`.
#[derive(Debug)]
pub(crate) struct JsonFormat;

impl OutputFormat for JsonFormat {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document with all fields as received; the default elsewhere"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn columns(&self) -> FormatColumns {
        FormatColumns::Whole
    }

    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        let &OutputSetup { single, view, .. } = setup;
        Ok(match setup.jq {
            Some(code) => Box::new(Jq::new(code, single, view.is_terminal())?),
            None => Box::new(Json::new(single, view)),
        })
    }
}

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
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
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

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        match self.held.take() {
            Some(held) => writeln!(out, "{held}"),
            None if self.has_bracket => out.write_all(b"\n"),
            None => Ok(()),
        }
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending> {
        if let Some(held) = self.held.take() {
            out.write_all(held.as_bytes())?;
        }
        out.write_all(match (self.single, self.has_bracket) {
            (true, _) => b"\n",
            (false, true) => b"\n]\n",
            (false, false) => b"[]\n",
        })?;
        Ok(Ending::new())
    }
}
