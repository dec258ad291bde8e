//! Output: formats, destinations, and the selection of records and fields.

use std::io::Write as _;

use crate::failure::Failure;
use crate::output::destination::Destination;
use crate::run::Invocation;

pub(crate) mod csv;
pub(crate) mod destination;
pub(crate) mod flags;
pub(crate) mod format;
pub(crate) mod jq;
pub(crate) mod json;
pub(crate) mod printer;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod table;
mod xlsx;

/// Prints output that is not records, such as a page, a script or one value, to the output file or to standard output.
pub(crate) fn print(invocation: &Invocation, text: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::open(invocation.output.file(), &invocation.program)?;
    out.write_all(text)?;
    Ok(out.finish()?)
}
