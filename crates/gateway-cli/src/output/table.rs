//! A table for a person: one line for each record, columns side by side.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Row, Table, presets};
use serde::Serialize;
use serde_json::Value;

use crate::output::escape::printable;

/// Writes records as a table with these columns; `portal.name` is a member of a member.
///
/// With a width, every record stays on one line of it, and text that has no room ends in `…`.
pub(crate) fn records<T: Serialize>(
    out: &mut impl Write,
    width: Option<u16>,
    columns: &[&str],
    records: &[T],
) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(line(columns.iter().map(|column| column.to_uppercase())));
    for record in records {
        let record = serde_json::to_value(record)?;
        table.add_row(line(columns.iter().map(|path| cell(&record, path))));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Makes a row that never takes a second line.
fn line(cells: impl Iterator<Item = String>) -> Row {
    let mut row = Row::from(cells);
    row.max_height(1);
    row
}

/// Returns the text of one cell: empty for what is absent or null.
fn cell(record: &Value, path: &str) -> String {
    let value = path.split('.').try_fold(record, |value, name| value.get(name));
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => printable(text).into_owned(),
        Some(other) => printable(&other.to_string()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::records;

    fn shown(width: Option<u16>) -> String {
        let people = [
            json!({"id": "7", "name": "Zoë 王", "portal": {"name": "Northwind Jobs"}}),
            json!({"id": "12", "name": "\u{1b}[31mAda\nExample 😀", "portal": null}),
            json!({"id": "13", "name": "עברית", "portal": {"name": ""}}),
        ];
        let mut out = Vec::new();
        records(&mut out, width, &["id", "name", "portal.name"], &people).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_side_by_side() {
        insta::assert_snapshot!(shown(None));
    }

    #[test]
    fn a_narrow_terminal_gets_one_line_for_each_record() {
        insta::assert_snapshot!(shown(Some(24)));
    }
}
