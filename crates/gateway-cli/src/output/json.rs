//! JSON: everything that the service sent, as one document.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a list as an array, one record on each line.
pub(crate) fn array<T: Serialize>(out: &mut impl Write, records: &[T]) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, record) in records.iter().enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, record)?;
    }
    out.write_all(if records.is_empty() { b"]\n" } else { b"\n]\n" })
}

/// Writes one object on one line.
pub(crate) fn object<T: Serialize>(out: &mut impl Write, object: &T) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")
}
