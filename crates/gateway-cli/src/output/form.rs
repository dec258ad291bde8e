//! What every output format does: it takes records one by one, and writes.

use std::io::{self, Write};

/// One output format. A new one is a type with these two functions and a line in [`Format`](crate::output::Format).
pub(crate) trait Form {
    /// Takes one record, as JSON text on one line.
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()>;

    /// Writes what is left, and returns what the person should know about the output.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<Option<String>>;
}
