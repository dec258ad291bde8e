//! The table of results.

use std::fmt::Write as _;

use crate::measure::Row;

/// Returns the table as Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut out = "| client | requests at a time | bare | our adapter | ratio |\n\
                   |---|--:|--:|--:|--:|\n"
        .to_owned();
    for Row { client, concurrency, bare, ours, ratio } in rows {
        writeln!(out, "| {client} | {concurrency} | {bare:.1} µs | {ours:.1} µs | ×{ratio:.3} |")
            .expect("writing to a string cannot fail");
    }
    out
}
