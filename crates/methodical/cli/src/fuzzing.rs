//! Functions for the fuzz targets; part of a build with `--cfg fuzzing` only.

#![expect(clippy::missing_errors_doc, reason = "not part of the library")]

use std::io;

use crate::output::column::OutputColumn;
use crate::output::dialect::Dialect;
use crate::output::format::Formats;
use crate::output::setup::OutputSetup;
use crate::screen::View;

/// How records are written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The columns of the terminal; `None` if the output is not a terminal.
    pub width: Option<u16>,
    pub color: bool,
    pub wide: bool,
    pub separator: char,
    pub escape_formulas: bool,
}

/// Writes records as the format of this name.
pub fn written(
    format: &str,
    style: Style,
    columns: &[OutputColumn],
    records: &[String],
) -> io::Result<Vec<u8>> {
    let Style { width, color, wide, separator, escape_formulas } = style;
    let setup = OutputSetup {
        columns,
        single: false,
        view: View { width, color },
        noun: None,
        dialect: Dialect { escape_formulas, separator },
        jq: None,
        wide,
        quiet: false,
        file: None,
    };
    let format = Formats::default().named(format).ok_or(io::ErrorKind::NotFound)?;
    let mut writer = format.get().writer(&setup).map_err(|_failure| io::ErrorKind::Other)?;
    let mut out = Vec::new();
    for record in records {
        writer.write(&mut out, record)?;
    }
    // Its notes go elsewhere.
    drop(writer.finish(&mut out)?);
    Ok(out)
}
