//! Prints output that is not records: a page, a script, one value.

use std::io::Write as _;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::destination::Destination;

/// Writes text to the output file, or to standard output.
pub(crate) fn print(invocation: &Invocation, text: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::open(invocation.output.file(), &invocation.program)?;
    out.write_all(text)?;
    Ok(out.finish()?)
}
