//! A table for people: one line per record, in aligned columns.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::escape::printable;
use crate::output::record::{Cells, Path};
use crate::output::record_writer::RecordWriter;
use crate::screen::{Tone, View, paint};

/// A header, then one line per record.
///
/// The first records set the widths of the columns: up to 1000 of them, or those of the first half second. Later records
/// are written immediately.
///
/// On a terminal a line never wraps: text that does not fit is cut and ends in `…`, and columns that do not fit are left
/// out from the right, with a note at the end.
#[derive(Debug)]
pub(crate) struct Table {
    paths: Vec<Path>,
    width: Option<usize>,
    color: bool,
    /// The records held until the widths are set.
    held: Vec<Vec<String>>,
    /// The time of the first held record.
    held_since: Option<Instant>,
    columns: Option<Vec<Column>>,
    hidden: Vec<String>,
}

/// The position and width of a column.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// The index of its cells in a row.
    index: usize,
    width: usize,
    /// Whether its text is useless if cut, such as a phone number.
    exact: bool,
}

impl Column {
    /// Returns the minimum width that keeps the column readable.
    fn min_width(self) -> usize {
        if self.exact { self.width } else { self.width.min(MIN_WIDTH) }
    }

    /// Returns the width that the column can give to the first column in a single line.
    fn spare(self) -> usize {
        if self.exact { 0 } else { self.width.saturating_sub(MIN_SHARED_WIDTH) }
    }
}

impl Table {
    /// Creates a writer with these columns.
    pub(crate) fn new(paths: Vec<Path>, View { width, color }: View) -> Self {
        let width = width.map(usize::from);
        Self {
            paths,
            width,
            color,
            held: Vec::new(),
            held_since: None,
            columns: None,
            hidden: Vec::new(),
        }
    }

    /// Sets the widths, and writes the header and the held records.
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let titles: Vec<String> = self.paths.iter().map(title).collect();
        let mut columns: Vec<Column> = titles
            .iter()
            .enumerate()
            .map(|(index, title)| {
                let cells = || self.held.iter().filter_map(move |row| row.get(index));
                let width = cells().map(|cell| cell.width()).max().unwrap_or(0).max(title.width());
                Column { index, width, exact: cells().all(|cell| is_exact(cell)) }
            })
            .collect();
        if let Some(width) = self.width {
            fit(&mut columns, width);
        }
        let hidden = self.paths.iter().skip(columns.len());
        self.hidden = hidden.map(ToString::to_string).collect();
        let header = line(&columns, &titles, true);
        writeln!(out, "{}", paint(self.color, Tone::Bold, &header))?;
        for row in std::mem::take(&mut self.held) {
            writeln!(out, "{}", line(&columns, &row, true))?;
        }
        self.columns = Some(columns);
        Ok(())
    }
}

impl RecordWriter for Table {
    fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        let mut cells = Cells::read(record);
        let row: Vec<String> =
            self.paths.iter().map(|path| printable(&cells.cell(path)).into_owned()).collect();
        if let Some(columns) = &self.columns {
            return writeln!(out, "{}", line(columns, &row, self.width.is_some()));
        }
        self.held_since.get_or_insert_with(Instant::now);
        self.held.push(row);
        if self.held.len() < MAX_HELD { Ok(()) } else { self.start(out) }
    }

    fn idle(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let held_since = self.held_since.filter(|_| self.columns.is_none());
        let due = held_since.is_some_and(|since| since.elapsed() >= MAX_HOLD);
        if due { self.start(out) } else { Ok(()) }
    }

    fn abort(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.start(out) }
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        if self.columns.is_none() {
            self.start(out)?;
        }
        if self.hidden.is_empty() {
            return Ok(None);
        }
        let hidden = self.hidden.join(", ");
        Ok(Some(format!("hidden columns: {hidden}; choose columns with --fields, or use -o json")))
    }
}

/// Returns the header of a column.
fn title(path: &Path) -> String {
    printable(&path.to_string().to_uppercase().replace(['_', '.'], " ")).into_owned()
}

/// Returns whether a text is a number, a phone number or a date, which is useless if cut.
fn is_exact(cell: &str) -> bool {
    cell.len() <= MAX_EXACT
        && cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,:/() TZ".contains(&byte))
}

/// Fits the columns into a line: removes the last ones until the rest are readable, then narrows the widest text.
fn fit(columns: &mut Vec<Column>, room: usize) {
    let gaps = |columns: &[Column]| GAP.len() * columns.len().saturating_sub(1);
    while columns.len() > 1
        && columns.iter().map(|column| column.min_width()).sum::<usize>() + gaps(columns) > room
    {
        columns.pop();
    }
    let room = room.saturating_sub(gaps(columns));
    if let [only] = columns.as_mut_slice() {
        only.width = only.width.min(room.max(1));
    }
    let mut excess = columns.iter().map(|column| column.width).sum::<usize>().saturating_sub(room);
    while excess > 0 {
        let text = columns.iter_mut().filter(|column| column.width > column.min_width());
        let Some(widest) = text.max_by_key(|column| column.width) else { return };
        widest.width -= 1;
        excess -= 1;
    }
}

/// Returns one line without trailing spaces.
///
/// The first column identifies the record. If its cell is too wide, the other columns of the line give up width, and the
/// cell is cut only if they cannot give enough. Without a terminal (`cuts` is false) nothing is cut.
fn line(columns: &[Column], cells: &[String], cuts: bool) -> String {
    let mut line = String::new();
    // The width by which earlier cells exceed their columns.
    let mut excess = 0;
    let spare: usize = columns.iter().skip(1).map(|column| column.spare()).sum();
    for (position, column) in columns.iter().enumerate() {
        if position > 0 {
            line.push_str(GAP);
        }
        let cell = cells.get(column.index).map_or("", String::as_str);
        let width = cell.width();
        let room = column.width - excess.min(if position == 0 { 0 } else { column.spare() });
        excess -= column.width - room;
        if width <= room {
            // Writing to a string cannot fail.
            _ = write!(line, "{cell}{:1$}", "", room - width);
        } else if !cuts || (position == 0 && width - room <= spare) {
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

/// The space between two columns.
const GAP: &str = "  ";

/// Minimum width of a column with long text; below it, the last column is left out.
const MIN_WIDTH: usize = 10;

/// Maximum length of text that is never cut. A date with its time and zone is shorter.
const MAX_EXACT: usize = 30;

/// Minimum width of a column that gives width to the first one.
const MIN_SHARED_WIDTH: usize = 6;

/// Maximum number of records that set the widths.
const MAX_HELD: usize = 1000;

/// Maximum time that a record is held.
const MAX_HOLD: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use serde_json::json;
    use unicode_width::UnicodeWidthStr as _;

    use super::Table;
    use crate::output::record::Path;
    use crate::output::record_writer::RecordWriter as _;
    use crate::screen::View;

    fn view(width: Option<u16>) -> View {
        View { width, color: false }
    }

    const PATHS: [&str; 8] =
        ["id", "name", "email", "phone", "phone_mobile", "date", "studio.name", "type"];

    fn shown(width: Option<u16>, paths: &[&str]) -> String {
        let person = |id: &str, name: &str, email: &str, studio: &str| {
            json!({"id": id, "name": name, "email": email, "phone": "+40 21 000 0001", "phone_mobile": "",
                "date": "2024-03-31 02:30:00", "studio": {"id": "3", "name": studio}, "type": "person"})
        };
        let people = [
            person("7", "Zoë 王小明", "zoe@example.org", "Northwind Pics"),
            person("12", "\u{1b}[31mAda\u{202e}\nExample", "a@b", ""),
            person("13", "מרים כהן", "miriam@example.org", "Gallery wall"),
            person(
                "14",
                "👩‍👩‍👧‍👦 Family 😀😀😀😀😀😀😀😀😀😀😀",
                "family@example.org",
                "王王王王王王王王王王王",
            ),
            person("4711", &"Wolfeschlegelsteinhausen".repeat(5), &"x".repeat(90), "Aperto"),
        ];
        let (mut writer, mut out) = (
            Table::new(paths.iter().map(|path| Path::parse(path)).collect(), view(width)),
            Vec::new(),
        );
        for record in people {
            writer.write(&mut out, &record.to_string()).unwrap();
        }
        let note = writer.finish(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        if let Some(width) = width {
            assert!(text.lines().all(|line| line.width() <= usize::from(width)), "{text}");
        }
        format!("{text}{}", note.map(|note| format!("note: {note}\n")).unwrap_or_default())
    }

    #[test]
    fn forty_columns() {
        insta::assert_snapshot!(shown(Some(40), &PATHS));
    }

    #[test]
    fn eighty_columns() {
        insta::assert_snapshot!(shown(Some(80), &PATHS));
    }

    #[test]
    fn a_hundred_columns() {
        insta::assert_snapshot!(shown(Some(100), &PATHS));
    }

    #[test]
    fn a_hundred_and_twenty_columns() {
        insta::assert_snapshot!(shown(Some(120), &PATHS));
    }

    #[test]
    fn two_hundred_columns() {
        insta::assert_snapshot!(shown(Some(200), &PATHS));
    }

    #[test]
    fn unlimited_columns() {
        insta::assert_snapshot!(shown(None, &["id", "name", "studio.name"]));
    }

    #[test]
    fn a_late_record_keeps_its_first_cell_whole() {
        let columns = ["id", "name"].map(Path::parse).to_vec();
        let (mut writer, mut out) = (Table::new(columns, view(Some(30))), Vec::new());
        for id in 0..1002 {
            let id = if id < 1001 { 7 } else { 1_234_567 };
            let record = json!({"id": id, "name": "Wolfeschlegelsteinhausenbergerdorff"});
            writer.write(&mut out, &record.to_string()).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let last: Vec<&str> = text.lines().rev().take(2).collect();
        assert_eq!(last, ["1234567  Wolfeschlegelsteinha…", "7   Wolfeschlegelsteinhausenb…"]);
    }

    #[test]
    fn every_width_of_a_terminal_is_enough() {
        for width in 1..60 {
            shown(Some(width), &PATHS);
        }
    }
}
