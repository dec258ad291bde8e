//! The format of unchanged responses. Commands that print one write it with `Raw`; it has no records.

use crate::failure::Failure;
use crate::output::output_format::{FormatColumns, OutputFormat};
use crate::output::record_writer::RecordWriter;
use crate::output::setup::OutputSetup;

/// `raw`.
#[derive(Debug)]
pub(crate) struct Unchanged;

impl OutputFormat for Unchanged {
    fn name(&self) -> &'static str {
        "raw"
    }

    fn about(&self) -> &'static str {
        "The unchanged bytes of the response"
    }

    fn columns(&self) -> FormatColumns {
        FormatColumns::Whole
    }

    fn writer(&self, _setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        Err(Failure::usage(
            "cannot use -o raw: this command does not print a response from the service",
        ))
    }
}
