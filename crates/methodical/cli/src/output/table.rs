//! A table for people: one line per record, in aligned columns.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::output::format::{Ending, OutputSetup, RecordWriter};
use crate::output::layout::{Column, GAP, Layout};
use crate::output::printer::with_separators;
use crate::output::record::{Cells, Path};
use crate::program::Noun;
use crate::screen::{Tone, View, paint, printable, wrap};

/// Creates the writer of the format.
pub(crate) fn writer(setup: &OutputSetup<'_>) -> Box<dyn RecordWriter> {
    let &OutputSetup { view, wide, quiet, noun, counts, has_total, .. } = setup;
    let style = Style { view, wide, quiet, noun, counts };
    Box::new(Table { has_total, ..Table::new(setup.paths(), style) })
}

/// A header, then one line per record. On a terminal, the number of records follows.
///
/// The first records set the widths of the columns: up to 1000 of them, or those of the first half second. Later records
/// are written immediately.
///
/// On a terminal a line never wraps, unless the table is wide: text that does not fit is cut and ends in `…`, and columns
/// that do not fit are hidden and named at the end.
#[derive(Debug)]
struct Table {
    paths: Vec<Path>,
    style: Style,
    /// Whether the last column is a total, which is hidden last.
    has_total: bool,
    /// The records held until the widths are set.
    held: Vec<Vec<String>>,
    /// The time of the first held record.
    held_since: Option<Instant>,
    layout: Option<Layout>,
    records: u64,
    /// The number of records that were received.
    received: u64,
}

/// The view of a table, and what is shown of it.
#[derive(Clone, Copy, Debug)]
struct Style {
    view: View,
    /// Whether nothing is shortened or hidden.
    wide: bool,
    /// Whether the lines below the table are left out.
    quiet: bool,
    /// The name of a record, if records are counted.
    noun: Option<Noun>,
    /// Whether each record is a count.
    counts: bool,
}

impl Table {
    /// Creates a writer with these columns.
    fn new(paths: Vec<Path>, style: Style) -> Self {
        Self {
            paths,
            style,
            has_total: false,
            held: Vec::new(),
            held_since: None,
            layout: None,
            records: 0,
            received: 0,
        }
    }

    /// Returns whether lines must fit into a terminal.
    fn cuts(&self) -> bool {
        self.style.view.is_terminal() && !self.style.wide
    }

    /// Sets the widths, and writes the header and the held records.
    fn start(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let titles: Vec<String> = self.paths.iter().map(title).collect();
        let cuts = self.cuts();
        let mut layout = Layout::of(&titles, &self.held);
        if let Some(width) = self.style.view.width.filter(|_| cuts) {
            layout.fit(width.into(), self.has_total);
        }
        let header = line(&layout.columns, &titles, cuts);
        writeln!(out, "{}", paint(self.style.view.color, Tone::Bold, &header))?;
        for row in std::mem::take(&mut self.held) {
            writeln!(out, "{}", line(&layout.columns, &row, cuts))?;
        }
        self.layout = Some(layout);
        Ok(())
    }

    /// Writes the number of records, and the hidden columns.
    fn end(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let Style { view, quiet, noun, counts, .. } = self.style;
        let Some(width) = view.width.filter(|_| !quiet) else { return Ok(()) };
        let count = noun.map(|noun| match self.received {
            total if counts => format!("total: {}", count(total, noun)),
            total if total > self.records => {
                let shown = with_separators(self.records);
                format!("showing {shown} of {}", count(total, noun))
            }
            _ => count(self.records, noun),
        });
        let hidden = self.layout.iter().flat_map(|layout| &layout.hidden);
        let hidden: Vec<_> = hidden
            .filter_map(|one| Some((self.paths.get(one.index)?, one.constant.as_deref())))
            .map(|(path, constant)| (printable(&path.to_string()).into_owned(), constant))
            .collect();
        let hidden = (!hidden.is_empty()).then(|| hidden_line(&hidden, width.into()));
        let lines: Vec<String> = count.into_iter().chain(hidden).collect();
        if !lines.is_empty() && self.layout.is_some() {
            writeln!(out)?;
        }
        for text in lines.iter().flat_map(|lines| lines.lines()) {
            writeln!(out, "{}", paint(view.color, Tone::Dim, text))?;
        }
        Ok(())
    }
}

impl RecordWriter for Table {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let mut cells = Cells::read(record);
        let row: Vec<String> =
            self.paths.iter().map(|path| printable(&cells.cell(path)).into_owned()).collect();
        self.records += 1;
        let cuts = self.cuts();
        if let Some(layout) = &mut self.layout {
            layout.compare(&row);
            return writeln!(out, "{}", line(&layout.columns, &row, cuts));
        }
        self.held_since.get_or_insert_with(Instant::now);
        self.held.push(row);
        if self.held.len() < MAX_HELD { Ok(()) } else { self.start(out) }
    }

    fn idle(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let held_since = self.held_since.filter(|_| self.layout.is_none());
        let due = held_since.is_some_and(|since| since.elapsed() >= MAX_HOLD);
        if due { self.start(out) } else { Ok(()) }
    }

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.start(out) }
    }

    fn received(&mut self, count: u64) {
        self.received = count;
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending> {
        let Style { view, quiet, noun, .. } = self.style;
        // A person reads `no photos` instead of a header.
        let says_none = self.records == 0 && noun.is_some() && view.is_terminal() && !quiet;
        if self.layout.is_none() && !says_none {
            self.start(out)?;
        }
        self.end(out)?;
        Ok(Ending::new())
    }
}

/// Returns the header of a column.
fn title(path: &Path) -> String {
    printable(&path.to_string().to_uppercase().replace(['_', '.'], " ")).into_owned()
}

/// Maximum number of records that set the widths.
const MAX_HELD: usize = 1000;

/// Maximum time that a record is held.
const MAX_HOLD: Duration = Duration::from_millis(500);

/// Returns the number of records, such as `24 photos` or `no photos`.
pub(crate) fn count(records: u64, noun: Noun) -> String {
    let number = if records == 0 { "no".to_owned() } else { with_separators(records) };
    format!("{number} {}", noun.of(records))
}

/// Returns the hidden columns, in lines of this width. The second part of each is the text of all its cells if they are equal.
pub(crate) fn hidden_line(columns: &[(String, Option<&str>)], width: usize) -> String {
    let hidden = columns.iter().map(|(name, constant)| match *constant {
        None => name.clone(),
        Some("") => format!("{name} (always empty)"),
        Some(text) if text.chars().count() <= MAX_CONSTANT => format!("{name} (always {text})"),
        Some(_) => format!("{name} (always the same)"),
    });
    let hidden = hidden.collect::<Vec<_>>().join(", ");
    wrap(&format!("hidden: {hidden}; --wide shows all columns"), width, 2)
}

/// Maximum length of a constant text in the list of hidden columns, in characters.
const MAX_CONSTANT: usize = 24;

/// Returns one line without trailing spaces.
///
/// An identifier in the first column is not cut if the other columns of the line can give up enough width. If `cuts` is
/// false, nothing is cut.
pub(crate) fn line(columns: &[Column], cells: &[String], cuts: bool) -> String {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthStr as _;

    use super::{Style, Table};
    use crate::output::format::{Ending, RecordWriter as _};
    use crate::output::record::Path;
    use crate::program::Noun;
    use crate::screen::View;

    fn style(width: Option<u16>) -> Style {
        let view = View { width, color: false };
        Style { view, wide: false, quiet: false, noun: Some(Noun::RECORD), counts: false }
    }

    const PATHS: [&str; 8] =
        ["id", "name", "email", "date", "studio.name", "phone", "phone_mobile", "type"];

    /// Returns the table of some hostile records.
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
        table(style(width), paths, &people)
    }

    fn table(style: Style, paths: &[&str], records: &[Value]) -> String {
        let paths = paths.iter().map(|path| Path::parse(path)).collect();
        let (mut writer, mut out) = (Table::new(paths, style), Vec::new());
        for record in records {
            writer.write(&mut out, &record.to_string()).unwrap();
        }
        assert_eq!(writer.finish(&mut out).unwrap(), Ending::new());
        let text = String::from_utf8(out).unwrap();
        if let Some(width) = style.view.width.filter(|_| !style.wide) {
            let mut table = text.lines().take_while(|line| !line.is_empty());
            assert!(table.all(|line| line.width() <= usize::from(width)), "{text}");
        }
        text
    }

    #[test]
    fn a_table_fits_its_terminal() {
        let tables = [40, 80, 100, 120, 200].map(|width| shown(Some(width), &PATHS));
        let unlimited = shown(None, &["id", "name", "studio.name"]);
        insta::assert_snapshot!([tables.join("\n"), unlimited].join("\n"));
    }

    #[test]
    fn a_late_record_keeps_its_first_cell_whole() {
        let columns = ["id", "name"].map(Path::parse).to_vec();
        let (mut writer, mut out) = (Table::new(columns, style(Some(30))), Vec::new());
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
    fn a_name_in_the_first_column_is_cut_like_others() {
        let records = [
            json!({"title": "Sunrise over the old harbour", "email": "zoe@example.org"}),
            json!({"title": "Dusk", "email": "miriam.the.photographer@example.org"}),
        ];
        assert_eq!(
            table(style(Some(40)), &["title", "email"], &records),
            "TITLE            EMAIL\nSunrise over t…  zoe@example.org\nDusk             miriam.the.photographe…\n\n2 records\n"
        );
    }

    #[test]
    fn records_are_counted_on_a_terminal_only() {
        let paths = &["id", "title"];
        let one = [json!({"id": 7, "title": "Sunrise"})];
        let terminal = style(Some(40));
        assert_eq!(table(terminal, paths, &one), "ID  TITLE\n7   Sunrise\n\n1 record\n");
        assert_eq!(table(terminal, paths, &[]), "no records\n");
        let quiet = Style { quiet: true, ..terminal };
        assert_eq!(table(quiet, paths, &one), "ID  TITLE\n7   Sunrise\n");
        assert_eq!(table(quiet, paths, &[]), "ID  TITLE\n");
        let object = Style { noun: None, ..terminal };
        assert_eq!(table(object, paths, &one), "ID  TITLE\n7   Sunrise\n");
        assert_eq!(table(style(None), paths, &[]), "ID  TITLE\n");
    }

    #[test]
    fn a_wide_table_is_never_shortened() {
        let wide = Style { wide: true, ..style(Some(20)) };
        let records = [
            json!({"id": 1, "title": "Sunrise over the harbour", "kind": "photo"}),
            json!({"id": 2, "title": "", "kind": "photo"}),
        ];
        assert_eq!(
            table(wide, &["id", "title", "kind"], &records),
            "ID  TITLE                     KIND\n1   Sunrise over the harbour  photo\n2                             photo\n\n2 records\n"
        );
    }

    #[test]
    fn a_hidden_column_is_constant_until_a_late_record_differs() {
        let of = |late: &str| {
            let mut records =
                vec![json!({"id": 7, "title": "x".repeat(40), "kind": "photo"}); 1000];
            records.push(json!({"id": 8, "title": "", "kind": late}));
            let shown = table(style(Some(30)), &["id", "title", "kind"], &records);
            let (_, hidden) = shown.split_once("hidden: ").unwrap();
            hidden.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("photo"), "kind (always photo); --wide shows all columns");
        assert_eq!(of("album"), "kind; --wide shows all columns");
    }

    #[test]
    fn every_width_of_a_terminal_is_enough() {
        for width in 1..60 {
            shown(Some(width), &PATHS);
        }
    }
}
#[cfg(test)]
mod footer_tests {
    use super::hidden_line;

    #[test]
    fn hidden_columns_are_named_with_their_constant_text() {
        let long = "x".repeat(25);
        let columns = [
            ("phone".to_owned(), None),
            ("fax".to_owned(), Some("")),
            ("kind".to_owned(), Some("person")),
            ("note".to_owned(), Some(long.as_str())),
        ];
        insta::assert_snapshot!(hidden_line(&columns, 40));
    }
}
