//! The table that people read.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::measure::Row;

/// Returns the table as Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut out = "| client | requests at a time | bare | our adapter | ratio |\n\
                   |---|--:|--:|--:|--:|\n"
        .to_owned();
    for Row { client, concurrency, bare, ours, ratio } in rows {
        writeln!(out, "| {client} | {concurrency} | {bare:.1} µs | {ours:.1} µs | ×{ratio:.3} |")
            .expect("a string takes all");
    }
    out
}

/// Writes the table into its place in `docs/benchmarks.md`.
pub(crate) fn write(text: &str) -> io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let old = fs::read_to_string(&path)?;
    let parts = old
        .split_once(BEGIN)
        .and_then(|(head, rest)| rest.split_once(END).map(|(_, tail)| (head, tail)));
    let Some((head, tail)) = parts else {
        return Err(io::Error::other(format!("no place between {BEGIN} and {END}")));
    };
    fs::write(&path, format!("{head}{BEGIN}\n\n{text}\n{END}{tail}"))
}

const BEGIN: &str = "<!-- begin: transports -->";
const END: &str = "<!-- end: transports -->";
