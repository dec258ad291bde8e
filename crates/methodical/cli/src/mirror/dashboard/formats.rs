//! The formats of downloads: those of the program.

use std::io::{self, Write};

use methodical_dashboard::{DownloadColumn, DownloadFormat, DownloadWriter};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::column::OutputColumn;
use crate::output::dialect::Dialect;
use crate::output::format::Format;
use crate::output::record_writer::{Ending, RecordWriter};
use crate::output::setup::OutputSetup;
use crate::screen::View;

/// A format of the program, for downloads.
pub(crate) struct Download {
    format: Format,
    name: &'static str,
    media_type: &'static str,
    dialect: Dialect,
}

impl Download {
    /// Returns the formats for spreadsheets that the program has.
    pub(crate) fn all(invocation: &Invocation) -> Vec<Self> {
        let known = [
            ("csv", "CSV", "text/csv; charset=utf-8"),
            ("xlsx", "XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ];
        let dialect = invocation.output.dialect();
        let found = known.into_iter().filter_map(|(format, name, media_type)| {
            let format = invocation.program.formats.named(format)?;
            Some(Self { format, name, media_type, dialect })
        });
        found.collect()
    }
}

impl DownloadFormat for Download {
    fn name(&self) -> &'static str {
        self.name
    }

    fn extension(&self) -> &'static str {
        self.format.name()
    }

    fn media_type(&self) -> &'static str {
        self.media_type
    }

    fn writer(&self, columns: &[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>> {
        let of =
            |column: &DownloadColumn| OutputColumn::new(column.path(), Some(column.field_type()));
        let columns: Vec<OutputColumn> = columns.iter().map(of).collect();
        let setup = OutputSetup {
            columns: &columns,
            single: false,
            view: View { width: None, color: false },
            noun: None,
            dialect: self.dialect,
            jq: None,
            wide: false,
            quiet: true,
            file: None,
        };
        let failed = |failure: Failure| io::Error::other(failure.text());
        Ok(Box::new(Writer(self.format.get().writer(&setup).map_err(failed)?)))
    }
}

/// A writer of the program.
struct Writer(Box<dyn RecordWriter>);

impl DownloadWriter for Writer {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.0.write(out, record)
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let Ending { left_out, .. } = self.0.finish(out)?;
        match left_out.into_iter().next() {
            None => Ok(()),
            Some(text) => Err(io::Error::other(text)),
        }
    }
}
