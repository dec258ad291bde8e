//! A table for a person: one line for each record, columns side by side, nothing broken over lines.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::escape::printable;
use crate::output::form::Form;
use crate::output::record::{Members, Path};
use crate::screen::{Tone, View, paint};

/// A header, then one line for each record.
///
/// The first records decide how wide the columns are: a thousand, or those of the first half second. What comes after
/// them is written as it comes.
/// On a terminal a line never breaks: text that has no room ends in `…`, and columns that have none
/// are left out from the right, which the note at the end says.
#[derive(Debug)]
pub(crate) struct Table {
    paths: Vec<Path>,
    width: Option<usize>,
    color: bool,
    /// The records that have been seen before the widths were known.
    waiting: Vec<Vec<String>>,
    /// When the first of them came.
    since: Option<Instant>,
    columns: Option<Vec<Slot>>,
    hidden: Vec<String>,
}

/// What a column gets of a line.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Where its cell stands in a row.
    index: usize,
    width: usize,
    /// Whether a part of its text says nothing: half a phone number calls nobody.
    exact: bool,
}

impl Slot {
    /// Returns the narrowest that it can be read in.
    fn least(self) -> usize {
        if self.exact { self.width } else { self.width.min(LEAST) }
    }

    /// Returns what it can spare for an earlier one.
    fn spare(self) -> usize {
        if self.exact { 0 } else { self.width.saturating_sub(SHORTEST) }
    }
}

impl Table {
    /// Makes the form with these columns.
    pub(crate) fn new(paths: Vec<Path>, View { width, color }: View) -> Self {
        let width = width.map(usize::from);
        Self {
            paths,
            width,
            color,
            waiting: Vec::new(),
            since: None,
            columns: None,
            hidden: Vec::new(),
        }
    }

    /// Decides on the widths, and writes the header and all that waited.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let titles: Vec<String> = self.paths.iter().map(title).collect();
        let mut columns: Vec<Slot> = titles
            .iter()
            .enumerate()
            .map(|(index, title)| {
                let cells = || self.waiting.iter().filter_map(move |row| row.get(index));
                let width = cells().map(|cell| cell.width()).max().unwrap_or(0).max(title.width());
                Slot { index, width, exact: cells().all(|cell| is_exact(cell)) }
            })
            .collect();
        if let Some(width) = self.width {
            fit(&mut columns, width);
        }
        let hidden = self.paths.iter().skip(columns.len());
        self.hidden = hidden.map(ToString::to_string).collect();
        let header = line(&columns, &titles, true);
        writeln!(out, "{}", paint(self.color, Tone::Bold, &header))?;
        for row in std::mem::take(&mut self.waiting) {
            writeln!(out, "{}", line(&columns, &row, true))?;
        }
        self.columns = Some(columns);
        Ok(())
    }
}

impl Form for Table {
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        let members = Members::of_record(record);
        let row: Vec<String> =
            self.paths.iter().map(|path| printable(&members.cell(path)).into_owned()).collect();
        if let Some(columns) = &self.columns {
            return writeln!(out, "{}", line(columns, &row, self.width.is_some()));
        }
        self.since.get_or_insert_with(Instant::now);
        self.waiting.push(row);
        if self.waiting.len() < SAMPLE { Ok(()) } else { self.begin(out) }
    }

    fn pause(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let waits =
            self.columns.is_none() && self.since.is_some_and(|one| one.elapsed() >= PATIENCE);
        if waits { self.begin(out) } else { Ok(()) }
    }

    fn cut(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.waiting.is_empty() { Ok(()) } else { self.begin(out) }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        if self.columns.is_none() {
            self.begin(out)?;
        }
        if self.hidden.is_empty() {
            return Ok(None);
        }
        let hidden = self.hidden.join(", ");
        Ok(Some(format!("no room for {hidden}; see --fields and -o json")))
    }
}

/// The header of a column.
fn title(path: &Path) -> String {
    printable(&path.to_string().to_uppercase().replace(['_', '.'], " ")).into_owned()
}

/// Returns whether a text is a number, a phone number, a date: nothing that can be read without its end.
fn is_exact(cell: &str) -> bool {
    cell.len() <= LONGEST_EXACT
        && cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,:/() TZ".contains(&byte))
}

/// Makes the columns fit: the last ones go until the rest can be read, then the widest text gives.
fn fit(columns: &mut Vec<Slot>, room: usize) {
    let gaps = |columns: &[Slot]| GAP.len() * columns.len().saturating_sub(1);
    while columns.len() > 1
        && columns.iter().map(|column| column.least()).sum::<usize>() + gaps(columns) > room
    {
        columns.pop();
    }
    let room = room.saturating_sub(gaps(columns));
    if let [only] = columns.as_mut_slice() {
        only.width = only.width.min(room.max(1));
    }
    let mut excess = columns.iter().map(|column| column.width).sum::<usize>().saturating_sub(room);
    while excess > 0 {
        let text = columns.iter_mut().filter(|column| column.width > column.least());
        let Some(widest) = text.max_by_key(|column| column.width) else { return };
        widest.width -= 1;
        excess -= 1;
    }
}

/// Returns one line without spaces at its end.
///
/// The first column names the record, so it is never cut: what it takes too much, the next ones give.
/// Without a terminal nothing is cut.
fn line(columns: &[Slot], cells: &[String], cuts: bool) -> String {
    let mut line = String::new();
    let mut owed = 0;
    let spare: usize = columns.iter().skip(1).map(|column| column.spare()).sum();
    for (place, column) in columns.iter().enumerate() {
        if place > 0 {
            line.push_str(GAP);
        }
        let cell = cells.get(column.index).map_or("", String::as_str);
        let width = cell.width();
        let room = column.width - owed.min(if place == 0 { 0 } else { column.spare() });
        owed -= column.width - room;
        if width <= room {
            // Writing to a string cannot fail.
            _ = write!(line, "{cell}{:1$}", "", room - width);
        } else if !cuts || (place == 0 && width - room <= spare) {
            line.push_str(cell);
            owed += width - room;
        } else {
            cut(cell, room, &mut line);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Appends the beginning of a text and `…`, in exactly so many columns. No character is torn apart.
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

/// Between two columns.
const GAP: &str = "  ";

/// The narrowest that a column with long text gets before another one is left out.
const LEAST: usize = 10;

/// A date with its time and zone is shorter.
const LONGEST_EXACT: usize = 30;

/// What a column keeps when an earlier one needs its room.
const SHORTEST: usize = 6;

/// How many records decide on the widths.
const SAMPLE: usize = 1000;

/// For how long they are waited for.
const PATIENCE: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use serde_json::json;
    use unicode_width::UnicodeWidthStr as _;

    use super::Table;
    use crate::output::form::Form as _;
    use crate::output::record::Path;
    use crate::screen::View;

    fn view(width: Option<u16>) -> View {
        View { width, color: false }
    }

    const PATHS: [&str; 8] =
        ["id", "name", "email", "phone", "phone_mobile", "date", "portal.name", "type"];

    fn shown(width: Option<u16>, paths: &[&str]) -> String {
        let person = |id: &str, name: &str, email: &str, portal: &str| {
            json!({"id": id, "name": name, "email": email, "phone": "+40 21 000 0001", "phone_mobile": "",
                "date": "2024-03-31 02:30:00", "portal": {"id": "3", "name": portal}, "type": "person"})
        };
        let people = [
            person("7", "Zoë 王小明", "zoe@example.org", "Northwind Jobs"),
            person("12", "\u{1b}[31mAda\u{202e}\nExample", "a@b", ""),
            person("13", "מרים כהן", "miriam@example.org", "Careers page"),
            person(
                "14",
                "👩‍👩‍👧‍👦 Family 😀😀😀😀😀😀😀😀😀😀😀",
                "family@example.org",
                "王王王王王王王王王王王",
            ),
            person("4711", &"Wolfeschlegelsteinhausen".repeat(5), &"x".repeat(90), "Indeed"),
        ];
        let (mut form, mut out) = (
            Table::new(paths.iter().map(|path| Path::parse(path)).collect(), view(width)),
            Vec::new(),
        );
        for record in people {
            form.record(&mut out, &record.to_string()).unwrap();
        }
        let note = form.end(&mut out).unwrap();
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
    fn as_wide_as_needed() {
        insta::assert_snapshot!(shown(None, &["id", "name", "portal.name"]));
    }

    #[test]
    fn what_comes_late_is_not_cut_where_it_names_the_record() {
        let columns = ["id", "name"].map(Path::parse).to_vec();
        let (mut form, mut out) = (Table::new(columns, view(Some(30))), Vec::new());
        for id in 0..1002 {
            let id = if id < 1001 { 7 } else { 1_234_567 };
            let record = json!({"id": id, "name": "Wolfeschlegelsteinhausenbergerdorff"});
            form.record(&mut out, &record.to_string()).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let last: Vec<&str> = text.lines().rev().take(2).collect();
        assert_eq!(last, ["1234567  Wolfeschlegelsteinha…", "7   Wolfeschlegelsteinhausenb…"]);
    }

    #[test]
    fn no_width_is_too_small() {
        for width in 0..60 {
            // A terminal of no columns is none that a person reads.
            shown(Some(width.max(1)), &PATHS);
        }
    }
}
