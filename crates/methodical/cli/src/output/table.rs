//! A human-readable table: one line per record, in aligned columns that fit the terminal.

use std::fmt::Write as _;
use std::io::{self, Write};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;
use crate::output::record::{Cells, date_time};
use crate::output::{OutputColumn, OutputSetup, RecordWriter};
use crate::program::Noun;
use crate::screen::{BOLD, DIM, paint, printable};

/// A header, then one line per record. On a terminal, the number of records follows.
///
/// The first 1000 records set the column widths. Later records are written immediately.
///
/// On a terminal, a line never wraps, unless the table is wide: text that does not fit is shortened and ends in `…`,
/// and columns that do not fit are hidden and named at the end.
#[derive(Debug)]
pub(crate) struct Table {
    setup: OutputSetup,
    /// The records held until the widths are set.
    held: Vec<Vec<String>>,
    layout: Option<Layout>,
    records: u64,
    /// The number of records that were received.
    received: u64,
}

impl Table {
    /// Creates the table writer.
    pub(crate) fn new(setup: &OutputSetup) -> Self {
        Self { setup: setup.clone(), held: Vec::new(), layout: None, records: 0, received: 0 }
    }

    /// Sets the widths and writes the header and the held records.
    fn start(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let OutputSetup { columns, view, flags, .. } = &self.setup;
        let title = |one: &OutputColumn| {
            printable(&one.name().to_uppercase().replace(['_', '.'], " ")).into_owned()
        };
        let titles: Vec<String> = columns.iter().map(title).collect();
        let room = view.width.filter(|_| !flags.wide).map(usize::from);
        let layout = Layout::of(&titles, &self.held, room);
        writeln!(out, "{}", paint(view.color, BOLD, &layout.line(&titles)))?;
        for row in std::mem::take(&mut self.held) {
            writeln!(out, "{}", layout.line(&row))?;
        }
        self.layout = Some(layout);
        Ok(())
    }
}

impl RecordWriter for Table {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let mut cells = Cells::read(record);
        let columns = self.setup.columns.iter();
        let row: Vec<String> =
            columns.map(|one| printable(&cells.cell(&one.path)).into_owned()).collect();
        self.records += 1;
        if let Some(layout) = &self.layout {
            return writeln!(out, "{}", layout.line(&row));
        }
        self.held.push(row);
        if self.held.len() < MAX_HELD { Ok(()) } else { self.start(out) }
    }

    fn abort(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        if self.held.is_empty() { Ok(()) } else { self.start(out) }
    }

    fn received(&mut self, count: u64) {
        self.received = count;
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        let says_count = self.setup.view.is_terminal() && !self.setup.flags.quiet;
        // A terminal shows `no photos` instead of a header.
        let says_none = self.records == 0 && self.setup.noun.is_some() && says_count;
        if self.layout.is_none() && !says_none {
            self.start(out)?;
        }
        if !says_count {
            return Ok(Vec::new());
        }
        let &OutputSetup { view, ref flags, noun, ref columns, .. } = &self.setup;
        let count = noun.map(|noun| match self.received {
            total if flags.count_by.is_some() => format!("total: {}", count(total, noun)),
            total if total > self.records => {
                format!("showing {} of {}", self.records, count(total, noun))
            }
            _ => count(self.records, noun),
        });
        let shown = self.layout.as_ref().map_or(columns.len(), |layout| layout.columns.len());
        let hidden: Vec<_> = columns.iter().skip(shown).map(OutputColumn::name).collect();
        let hidden = (!hidden.is_empty()).then(|| {
            format!("hidden: {}; --wide shows all columns", printable(&hidden.join(", ")))
        });
        if self.layout.is_some() && (count.is_some() || hidden.is_some()) {
            writeln!(out)?;
        }
        for text in count.iter().chain(&hidden) {
            writeln!(out, "{}", paint(view.color, DIM, text))?;
        }
        Ok(Vec::new())
    }
}

/// Maximum number of records that set the widths.
const MAX_HELD: usize = 1000;

/// Formats the number of records, such as `24 photos` or `no photos`.
fn count(records: u64, noun: Noun) -> String {
    let number = if records == 0 { "no".to_owned() } else { records.to_string() };
    format!("{number} {}", noun.of(records))
}

/// The columns that a table shows: all columns, or the first ones that fit.
#[derive(Debug)]
struct Layout {
    columns: Vec<Column>,
    /// The terminal's width. If `None`, nothing is shortened.
    room: Option<usize>,
}

/// A column with its width.
#[derive(Debug)]
struct Column {
    width: usize,
    /// The width below which the column is not shown.
    least: usize,
    /// The width without the time of day, if every filled cell is a date with a time and this width is smaller.
    day: Option<usize>,
}

impl Column {
    fn of(title: &str, cells: &[&str], is_first: bool) -> Self {
        let width = cells.iter().map(|cell| cell.width()).chain([title.width()]).max();
        let width = width.unwrap_or_default();
        let mut filled = cells.iter().filter(|cell| !cell.is_empty()).peekable();
        let has_times = filled.peek().is_some() && filled.all(|cell| date_time(cell).is_some());
        let day = has_times.then(|| DAY.max(title.width())).filter(|day| *day < width);
        let readable = if is_first { IDENTIFIER } else { READABLE };
        Self { width, least: day.unwrap_or(readable).min(width), day }
    }
}

impl Layout {
    /// Creates a layout of columns as wide as their titles and first rows. If they do not fit the terminal, the last
    /// ones are hidden until the others are readable, dates lose their time, and the widest text is narrowed.
    fn of(titles: &[String], rows: &[Vec<String>], room: Option<usize>) -> Self {
        let column = |(index, title): (usize, &String)| {
            let cells = rows.iter().filter_map(|row| row.get(index));
            Column::of(title, &cells.map(String::as_str).collect::<Vec<_>>(), index == 0)
        };
        let mut new = Self { columns: titles.iter().enumerate().map(column).collect(), room };
        let Some(room) = room else { return new };
        while new.columns.len() > 1 && new.needed(|column| column.least) > room {
            new.columns.pop();
        }
        if new.needed(|column| column.width) > room {
            for column in &mut new.columns {
                column.width = column.day.unwrap_or(column.width);
            }
        }
        while new.needed(|column| column.width) > room {
            let wide = new.columns.iter_mut().filter(|column| column.width > column.least);
            match wide.max_by_key(|column| column.width) {
                Some(widest) => widest.width -= 1,
                // A single column is cut together with its line.
                None => break,
            }
        }
        new
    }

    /// Returns the width of a line whose columns have these widths.
    fn needed(&self, width: impl Fn(&Column) -> usize) -> usize {
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        self.columns.iter().map(width).sum::<usize>() + gaps
    }

    /// Returns one line without trailing spaces. An identifier in the first column is not shortened.
    fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (position, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            if position > 0 {
                line.push_str(GAP);
            }
            let loses_time = self.room.is_some() && column.day == Some(column.width);
            let day = cell.get(..DAY).filter(|_| loses_time && date_time(cell).is_some());
            let cell = day.unwrap_or(cell);
            if self.room.is_none() || (position == 0 && cell.width() <= IDENTIFIER) {
                line.push_str(cell);
            } else {
                cut(cell, column.width, &mut line);
            }
            line.extend(std::iter::repeat_n(' ', column.width.saturating_sub(cell.width())));
        }
        if let Some(room) = self.room.filter(|room| line.trim_end().width() > *room) {
            let whole = std::mem::take(&mut line);
            cut(&whole, room, &mut line);
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Appends text, or its start and `…` if it is wider than `width` columns. Grapheme clusters are not split.
fn cut(text: &str, width: usize, line: &mut String) {
    if text.width() <= width {
        return line.push_str(text);
    }
    let mut used = 0;
    for cluster in text.graphemes(true) {
        if used + cluster.width() >= width {
            break;
        }
        used += cluster.width();
        line.push_str(cluster);
    }
    // Writing to a string cannot fail.
    _ = write!(line, "…{:1$}", "", width.saturating_sub(used + 1));
}

/// The space between two columns.
const GAP: &str = "  ";

/// Length of `2024-03-31`.
const DAY: usize = 10;

/// Width that keeps text readable: the width of a date with its time and zone.
const READABLE: usize = 25;

/// Width that keeps an identifier whole: the width of a UUID.
const IDENTIFIER: usize = 36;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthStr as _;

    use super::Table;
    use crate::output::record::Path;
    use crate::output::{OutputColumn, OutputFlags, OutputSetup, RecordWriter as _};
    use crate::program::Noun;
    use crate::screen::View;

    fn style(width: Option<u16>) -> OutputSetup {
        let view = View { width, color: false };
        OutputSetup { view, noun: Some(Noun::RECORD), ..OutputSetup::default() }
    }

    fn column(path: &str) -> OutputColumn {
        OutputColumn { path: Path::parse(path), field_type: None }
    }

    fn with(style: &OutputSetup, paths: &[&str]) -> Table {
        let columns = paths.iter().map(|path| column(path)).collect();
        Table::new(&OutputSetup { columns, ..style.clone() })
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
        table(&style(width), paths, &people)
    }

    fn table(style: &OutputSetup, paths: &[&str], records: &[Value]) -> String {
        let (mut writer, mut out) = (with(style, paths), Vec::new());
        for record in records {
            writer.write(&mut out, &record.to_string()).unwrap();
        }
        assert_eq!(writer.finish(&mut out).unwrap(), Vec::<String>::new());
        let text = String::from_utf8(out).unwrap();
        if let Some(width) = style.view.width.filter(|_| !style.flags.wide) {
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
        let (mut writer, mut out) = (with(&style(Some(30)), &["id", "name"]), Vec::new());
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
            table(&style(Some(40)), &["title", "email"], &records),
            "TITLE\nSunrise over the old harbour\nDusk\n\n2 records\nhidden: email; --wide shows all columns\n"
        );
    }

    #[test]
    fn a_date_in_the_first_column_loses_its_time() {
        let records = [json!({"date": "2024-03-31 02:30:00", "name": "Zoe",
            "email": "miriam.photographer@example.org"})];
        assert_eq!(
            table(&style(Some(50)), &["date", "name", "email"], &records),
            "DATE        NAME  EMAIL\n2024-03-31  Zoe   miriam.photographer@example.org\n\n1 record\n"
        );
    }

    #[test]
    fn a_date_under_a_long_title_keeps_its_time() {
        let records = [json!({"id": 1, "last_status_changed_at": "2024-03-31 02:30:00"})];
        assert_eq!(
            table(&style(Some(80)), &["id", "last_status_changed_at"], &records),
            "ID  LAST STATUS CHANGED AT\n1   2024-03-31 02:30:00\n\n1 record\n"
        );
    }

    #[test]
    fn a_long_address_in_the_first_column_leaves_room_for_others() {
        let email = format!("{}@example.org", "m".repeat(58));
        let records = [json!({"email": email, "name": "Miriam the photographer", "kind": "photo"})];
        let text = table(&style(Some(80)), &["email", "name", "kind"], &records);
        let row = text.lines().nth(1).unwrap();
        assert!(row.ends_with("m…  Miriam the photographer  photo"), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }

    #[test]
    fn records_are_counted_on_a_terminal_only() {
        let paths = &["id", "title"];
        let one = [json!({"id": 7, "title": "Sunrise"})];
        let terminal = style(Some(40));
        assert_eq!(table(&terminal, paths, &one), "ID  TITLE\n7   Sunrise\n\n1 record\n");
        assert_eq!(table(&terminal, paths, &[]), "no records\n");
        let flags = OutputFlags { quiet: true, ..OutputFlags::default() };
        let quiet = OutputSetup { flags, ..terminal.clone() };
        assert_eq!(table(&quiet, paths, &one), "ID  TITLE\n7   Sunrise\n");
        assert_eq!(table(&quiet, paths, &[]), "ID  TITLE\n");
        let object = OutputSetup { noun: None, ..terminal };
        assert_eq!(table(&object, paths, &one), "ID  TITLE\n7   Sunrise\n");
        assert_eq!(table(&style(None), paths, &[]), "ID  TITLE\n");
    }

    #[test]
    fn a_wide_table_is_never_shortened() {
        let flags = OutputFlags { wide: true, ..OutputFlags::default() };
        let wide = OutputSetup { flags, ..style(Some(20)) };
        let records = [
            json!({"id": 1, "title": "Sunrise over the harbour", "kind": "photo"}),
            json!({"id": 2, "title": "", "kind": "photo"}),
        ];
        assert_eq!(
            table(&wide, &["id", "title", "kind"], &records),
            "ID  TITLE                     KIND\n1   Sunrise over the harbour  photo\n2                             photo\n\n2 records\n"
        );
    }

    #[test]
    fn every_width_of_a_terminal_is_enough() {
        for width in 1..60 {
            shown(Some(width), &PATHS);
        }
    }
}
#[cfg(test)]
mod layout_tests {
    use super::Layout;

    /// Returns the widths of the columns that are shown.
    fn fitted(room: usize, rows: &[&[&str]]) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let titles: Vec<String> = rows.iter().flatten().map(|_| "X".to_owned()).collect();
        let titles = titles.get(..rows.first().map_or(0, Vec::len)).unwrap_or_default();
        let layout = Layout::of(titles, &rows, Some(room));
        let shown = layout.columns.iter().map(|one| one.width.to_string());
        shown.collect::<Vec<_>>().join(" ")
    }

    const MAIL: &str = "wolfeschlegelsteinhausen@example.org";
    const NAME: &str = "Hubert Wolfeschlegelsteinhausen";
    const DATE: &str = "2024-03-31 02:30:00";

    #[test]
    fn dates_lose_their_time_before_text_is_cut() {
        let rows: &[&[&str]] = &[&["1", NAME, DATE], &["2", "Ada E", "2025-01-01 00:00:00"]];
        assert_eq!(fitted(55, rows), "1 31 19");
        assert_eq!(fitted(54, rows), "1 31 10");
        assert_eq!(fitted(40, rows), "1 25 10");
        // A time that differs in its zone could be misread without it.
        let zoned: &[&[&str]] = &[&["1", "2024-03-31T02:30:00+02:00"], &["2", DATE]];
        assert_eq!(fitted(27, zoned), "1");
    }

    #[test]
    fn the_last_columns_are_hidden_if_the_others_would_be_unreadable() {
        let rows: &[&[&str]] =
            &[&["48008", NAME, MAIL, "+31 20 4641991"], &["48009", "Ada E", "a@b.example", ""]];
        assert_eq!(fitted(200, rows), "5 31 36 14");
        assert_eq!(fitted(75, rows), "5 25 25 14");
        assert_eq!(fitted(74, rows), "5 31 34");
        assert_eq!(fitted(40, rows), "5 31");
        assert_eq!(fitted(20, rows), "5");
        assert_eq!(fitted(3, rows), "5");
    }

    #[test]
    fn an_identifier_in_the_first_column_is_not_cut() {
        let id = "0192f0c1-2d1e-7c3a-9b61-7f3d9b1f2a44";
        let other = "0192f0c1-2d1e-7c3a-9b61-7f3d9b1f2a45";
        let rows: &[&[&str]] = &[&[id, NAME, MAIL], &[other, "Ada E", "a@b.example"]];
        assert_eq!(fitted(90, rows), "36 25 25");
        assert_eq!(fitted(80, rows), "36 31");
    }
}
