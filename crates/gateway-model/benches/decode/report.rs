//! The table of the results.

use std::fmt::Write as _;

use crate::measure::Table;

/// Returns the table as Markdown, with the variants side by side.
pub(crate) fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    // The table with the most rows has every subject, in order.
    let widest = tables.iter().max_by_key(|table| table.rows.len());
    let names = widest.iter().flat_map(|table| &table.rows).map(|row| row.name);
    let heads: String = tables.iter().map(|table| format!(" {} |", table.variant.name())).collect();
    writeln!(out, "| MB/s (× reference) |{heads}").expect("a string takes all");
    writeln!(out, "|---|{}", "--:|".repeat(tables.len())).expect("a string takes all");
    for name in names {
        let cells = tables.iter().map(|table| {
            table.rows.iter().find(|row| row.name == name).map_or_else(
                || " |".to_owned(),
                |row| format!(" {:.0} (×{:.2}) |", row.speed, row.ratio),
            )
        });
        writeln!(out, "| {name} |{}", cells.collect::<String>()).expect("a string takes all");
    }
    out
}
