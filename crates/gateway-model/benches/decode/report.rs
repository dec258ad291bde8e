//! The table that people read.

use std::fmt::Write as _;

use crate::measure::Table;

/// Returns the tables as Markdown: one for each size, the variants side by side.
pub(crate) fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    let mut sizes: Vec<&str> = tables.iter().map(|table| table.size).collect();
    sizes.dedup();
    for size in sizes {
        let tables: Vec<&Table> = tables.iter().filter(|table| table.size == size).collect();
        let mut names: Vec<&str> = Vec::new();
        for row in tables.iter().flat_map(|table| &table.rows) {
            if !names.contains(&row.name) {
                names.push(row.name);
            }
        }
        // Every row is in the widest table, in the order of the subjects.
        if let Some(widest) = tables.iter().max_by_key(|table| table.rows.len()) {
            names = widest.rows.iter().map(|row| row.name).collect();
        }
        let heads: String =
            tables.iter().map(|table| format!(" {} |", table.variant.name())).collect();
        writeln!(out, "### {size}\n\n| MB/s (× reference) |{heads}").expect("a string takes all");
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
        out.push('\n');
    }
    out
}

/// Writes the tables into their place in `docs/benchmarks.md`.
pub(crate) fn write(text: &str) -> std::io::Result<()> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
    let old = std::fs::read_to_string(&path)?;
    let parts = old.split_once(BEGIN).and_then(|(head, rest)| {
        rest.split_once(END).map(|(_, tail)| (head.to_owned(), tail.to_owned()))
    });
    let Some((head, tail)) = parts else {
        return Err(std::io::Error::other(format!("no place between {BEGIN} and {END}")));
    };
    std::fs::write(
        &path,
        format!("{head}{BEGIN}\n\n{}\n{END}{tail}", text.trim_end().to_owned() + "\n"),
    )
}

const BEGIN: &str = "<!-- begin: decode -->";
const END: &str = "<!-- end: decode -->";
