//! The lines of a table.

use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::output::table::layout::{Column, GAP};

/// Returns one line without trailing spaces.
///
/// An identifier in the first column is not cut if the other columns of the line can give up enough width. If `cuts` is
/// false, nothing is cut.
pub(super) fn line(columns: &[Column], cells: &[String], cuts: bool) -> String {
    let mut line = String::new();
    // The width by which earlier cells exceed their columns.
    let mut excess = 0;
    let spare: usize = columns.iter().skip(1).map(Column::spare).sum();
    for (position, column) in columns.iter().enumerate() {
        if position > 0 {
            line.push_str(GAP);
        }
        let cell = cells.get(column.index).map_or("", String::as_str);
        let room = column.width - excess.min(if position == 0 { 0 } else { column.spare() });
        excess -= column.width - room;
        let short = || column.shortened(cell).filter(|_| cuts);
        let cell = if cell.width() > room { short().unwrap_or(cell) } else { cell };
        let width = cell.width();
        if width <= room {
            // Writing to a string cannot fail.
            _ = write!(line, "{cell}{:1$}", "", room - width);
        } else if !cuts || (position == 0 && column.identifies() && width - room <= spare) {
            line.push_str(cell);
            excess += width - room;
        } else {
            cut(cell, room, &mut line);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Appends the start of a text and `…`, padded to exactly `width` columns. Grapheme clusters are not split.
fn cut(text: &str, width: usize, line: &mut String) {
    let mut used = 0;
    for cluster in text.graphemes(true) {
        if used + cluster.width() >= width {
            break;
        }
        used += cluster.width();
        line.push_str(cluster);
    }
    _ = write!(line, "…{:1$}", "", width.saturating_sub(used + 1));
}
