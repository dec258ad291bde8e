//! NDJSON: one JSON object per line, with everything the service sent.

use std::io::{self, Write};

use crate::failure::Failure;
use crate::output::json_text::safe;
use crate::output::output_format::{FormatColumns, OutputFormat};
use crate::output::record_writer::{Ending, RecordWriter};
use crate::output::setup::OutputSetup;

/// `ndjson`.
#[derive(Debug)]
pub(crate) struct NdjsonFormat;

impl OutputFormat for NdjsonFormat {
    fn name(&self) -> &'static str {
        "ndjson"
    }

    fn about(&self) -> &'static str {
        "One JSON object per line"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ndjson", "jsonl"]
    }

    fn other_words(&self) -> &'static [&'static str] {
        &["jsonl"]
    }

    fn columns(&self) -> FormatColumns {
        FormatColumns::Whole
    }

    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        Ok(Box::new(Ndjson { terminal: setup.is_terminal() }))
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

    fn finish(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<Ending> {
        Ok(Ending::new())
    }
}
