//! Prints output that is not records: a page, a script, one value.

use std::io::Write as _;

use crate::failure::Failure;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;

/// Writes text to the output file, or to standard output.
pub(crate) fn print(output: &OutputFlags, text: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::open(output.file())?;
    out.write_all(text)?;
    Ok(out.finish()?)
}
