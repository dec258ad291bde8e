//! The columns of a table that fit into a line, and their widths.

use unicode_width::UnicodeWidthStr as _;

/// The columns of a table, and those that are hidden.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    pub(crate) hidden: Vec<Hidden>,
}

/// A column that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// The index of its cells in a row.
    pub(crate) index: usize,
    /// The text of all its cells so far, if they are equal.
    pub(crate) constant: Option<String>,
}

/// The position and width of a column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The index of its cells in a row.
    pub(crate) index: usize,
    pub(crate) width: usize,
    /// The width of its title.
    title: usize,
    content: Content,
    /// The text of all cells, if there are several and they are equal.
    constant: Option<String>,
    /// Whether it sums up the others.
    is_total: bool,
}

/// The content of a column, which decides how it may be shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Numbers and phone numbers: useless if cut.
    Exact,
    /// Dates with a time. A narrow column shows only the day.
    Moments,
    /// Text without spaces, such as e-mail addresses: hard to recognise if cut.
    Words,
    /// Other text, such as names.
    Text,
}

impl Layout {
    /// Creates a layout of all columns in full width. The first rows decide the content and width of each column.
    pub(crate) fn of(titles: &[String], rows: &[Vec<String>]) -> Self {
        let columns = titles.iter().enumerate().map(|(index, title)| {
            let cells = rows.iter().filter_map(|row| row.get(index));
            let cells: Vec<&str> = cells.map(String::as_str).collect();
            let title = title.width();
            Column {
                index,
                width: cells.iter().map(|cell| cell.width()).max().unwrap_or(0).max(title),
                title,
                content: Content::of(&cells),
                constant: constant(&cells),
                is_total: false,
            }
        });
        Self { columns: columns.collect(), hidden: Vec::new() }
    }

    /// Fits the columns into a line of `room` columns.
    ///
    /// Columns are listed by importance. If they do not fit in readable widths, those with one constant text are hidden
    /// first, then the last ones, and a total after all others. The rest is narrowed: very long text, then dates to the day, then all
    /// text in proportion.
    pub(crate) fn fit(&mut self, room: usize, has_total: bool) {
        if let Some(last) = self.columns.last_mut() {
            last.is_total = has_total;
        }
        if let Some(first) = self.columns.first_mut()
            && first.content == Content::Words
            && first.width <= room / 2
        {
            // It identifies the record.
            first.content = Content::Exact;
        }
        while needed(&self.columns, Column::readable) > room {
            let Some(place) = self.columns.iter().rposition(Column::is_optional) else { break };
            self.hide(place);
        }
        while let Some(place) = self.last().filter(|place| !self.has_room_for(*place, room)) {
            self.hide(place);
        }
        self.hidden.sort_by_key(|hidden| hidden.index);
        self.narrow(room);
    }

    /// Compares a later row with the constant texts of hidden columns.
    pub(crate) fn compare(&mut self, row: &[String]) {
        for hidden in &mut self.hidden {
            hidden.constant.take_if(|text| row.get(hidden.index) != Some(text));
        }
    }

    fn hide(&mut self, place: usize) {
        let Column { index, constant, .. } = self.columns.remove(place);
        self.hidden.push(Hidden { index, constant });
    }

    /// Returns the place of the column that is hidden next. The first one stays.
    fn last(&self) -> Option<usize> {
        let last = self.columns.len().checked_sub(1)?;
        let is_total = self.columns.last().is_some_and(|one| one.is_total);
        Some(if is_total && last > 1 { last - 1 } else { last }).filter(|place| *place > 0)
    }

    /// Returns whether a column has its minimum width if all others are readable.
    fn has_room_for(&self, place: usize, room: usize) -> bool {
        let of = self.columns.get(place).map(|one| one.index);
        let width = |one: &Column| {
            if Some(one.index) == of { one.minimum() } else { one.readable() }
        };
        needed(&self.columns, width) <= room
    }

    fn narrow(&mut self, room: usize) {
        self.narrow_text(room, LONG);
        for width in [MINUTE, DAY] {
            if needed(&self.columns, |column| column.width) <= room {
                return;
            }
            for column in self.columns.iter_mut().filter(|one| one.content == Content::Moments) {
                // A time zone follows the seconds. Without it, a time could be misread.
                if width == DAY || column.width <= SECOND {
                    column.width = column.width.min(width.max(column.title));
                }
            }
        }
        if let [only] = self.columns.as_mut_slice() {
            only.width = only.width.min(room.max(1));
        }
        self.narrow_text(room, 0);
    }

    /// Narrows the columns with text until the line fits, each at most to this width or its minimum.
    fn narrow_text(&mut self, room: usize, limit: usize) {
        let mut excess = needed(&self.columns, |column| column.width).saturating_sub(room);
        while excess > 0 {
            let is_wider = |column: &&mut Column| column.width > column.minimum().max(limit);
            let compare = |one: &&mut Column, other: &&mut Column| {
                (one.width * other.enough()).cmp(&(other.width * one.enough()))
            };
            let text = self.columns.iter_mut().filter(is_wider);
            let Some(widest) = text.max_by(compare) else { return };
            widest.width -= 1;
            excess -= 1;
        }
    }
}

impl Column {
    /// Returns the width from which the column is readable.
    fn readable(&self) -> usize {
        match self.content {
            Content::Exact => self.width,
            Content::Moments => self.width.min(DAY.max(self.title)),
            Content::Words | Content::Text => self.width.min(self.enough()),
        }
    }

    /// Returns the width below which the column is not shown.
    fn minimum(&self) -> usize {
        self.readable().min(match self.content {
            Content::Exact | Content::Moments => usize::MAX,
            Content::Words | Content::Text => MIN_WIDTH,
        })
    }

    /// Returns the width in which any text of this content is readable.
    fn enough(&self) -> usize {
        match self.content {
            Content::Words => WORDS,
            Content::Exact | Content::Moments | Content::Text => TEXT,
        }
    }

    /// Returns whether a cell of the first column must not be cut: a number or a text without spaces, but not a name.
    pub(crate) fn identifies(&self) -> bool {
        matches!(self.content, Content::Exact | Content::Words)
    }

    /// Returns the width that the column can give to the first column in a single line.
    pub(crate) fn spare(&self) -> usize {
        match self.content {
            Content::Exact | Content::Moments => 0,
            Content::Words | Content::Text => self.width.saturating_sub(MIN_SHARED_WIDTH),
        }
    }

    /// Returns the start of a date with a time that fits into the column: the day, or the time without seconds.
    pub(crate) fn shortened<'a>(&self, cell: &'a str) -> Option<&'a str> {
        let fits = self.content == Content::Moments && self.width >= DAY && is_moment(cell);
        let end = if self.width >= MINUTE && cell.len() <= SECOND { MINUTE } else { DAY };
        if fits { cell.get(..end) } else { None }
    }

    /// Returns whether the column tells nothing about a single record. The first column identifies the record.
    fn is_optional(&self) -> bool {
        self.index > 0 && self.constant.is_some() && !self.is_total
    }
}

impl Content {
    fn of(cells: &[&str]) -> Self {
        let filled = || cells.iter().filter(|cell| !cell.is_empty());
        // Short cells are never cut.
        let long = || filled().filter(|cell| cell.width() > TEXT);
        if filled().next().is_some() && filled().all(|cell| is_moment(cell)) {
            Self::Moments
        } else if filled().all(|cell| is_exact(cell)) {
            Self::Exact
        } else if long().filter(|cell| !cell.contains(' ')).count() * 2 > long().count() {
            Self::Words
        } else {
            Self::Text
        }
    }
}

/// Returns the text of all cells if there are several and they are equal.
fn constant(cells: &[&str]) -> Option<String> {
    let (first, others) = cells.split_first()?;
    let constant = !others.is_empty() && others.iter().all(|cell| cell == first);
    constant.then(|| (*first).to_owned())
}

/// Returns the width of a line with these columns.
fn needed(columns: &[Column], width: impl Fn(&Column) -> usize) -> usize {
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    columns.iter().map(width).sum::<usize>() + gaps
}

/// Returns whether a text is a number, a phone number or a date, which is useless if cut.
fn is_exact(cell: &str) -> bool {
    cell.len() <= MAX_EXACT
        && cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,:/() TZ".contains(&byte))
}

/// Returns whether a text is a date with a time, such as `2024-03-31 02:30:00`.
fn is_moment(cell: &str) -> bool {
    let fits = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        10 => byte == b' ' || byte == b'T',
        13 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    is_exact(cell) && cell.len() >= MINUTE && cell.bytes().take(MINUTE).enumerate().all(fits)
}

/// The space between two columns.
pub(crate) const GAP: &str = "  ";

/// Minimum width of a column with long text; below it, the column is hidden.
const MIN_WIDTH: usize = 10;

/// Minimum width of a column that gives width to the first one.
const MIN_SHARED_WIDTH: usize = 6;

/// Width to which long text is cut before dates lose their time.
const LONG: usize = 40;

/// Width in which text without spaces is readable.
const WORDS: usize = 24;

/// Width in which other text is readable.
const TEXT: usize = 16;

/// Length of a date, as `2024-03-31`.
const DAY: usize = 10;

/// Length of a date with hours and minutes.
const MINUTE: usize = 16;

/// Length of a date with hours, minutes and seconds.
const SECOND: usize = 19;

/// Maximum length of text that is never cut. A date with its time and zone is shorter.
const MAX_EXACT: usize = 32;

#[cfg(test)]
mod tests {
    use super::Layout;

    /// Returns the widths of the columns that are shown, and the hidden ones with their constant text.
    fn fitted(room: usize, rows: &[&[&str]]) -> String {
        fitted_with(room, rows, false)
    }

    fn fitted_with(room: usize, rows: &[&[&str]], has_total: bool) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let titles: Vec<String> = rows.iter().flatten().map(|_| "X".to_owned()).collect();
        let titles = titles.get(..rows.first().map_or(0, Vec::len)).unwrap_or_default();
        let mut layout = Layout::of(titles, &rows);
        layout.fit(room, has_total);
        let shown = layout.columns.iter().map(|one| format!("{}:{}", one.index, one.width));
        let hidden = layout.hidden.iter().map(|one| format!("-{}:{:?}", one.index, one.constant));
        shown.chain(hidden).collect::<Vec<_>>().join(" ")
    }

    const MAIL: &str = "wolfeschlegelsteinhausen@example.org";
    const NAME: &str = "Hubert Wolfeschlegelsteinhausen";
    const DATE: &str = "2024-03-31 02:30:00";

    #[test]
    fn constant_columns_are_hidden_before_an_address_is_cut_below_24_columns() {
        let rows: &[&[&str]] =
            &[&["1", MAIL, "Ada E", "person"], &["2", "ada@example.org", "Bo E", "person"]];
        assert_eq!(fitted(80, rows), "0:1 1:36 2:5 3:6");
        assert_eq!(fitted(42, rows), "0:1 1:24 2:5 3:6");
        assert_eq!(fitted(41, rows), r#"0:1 1:31 2:5 -3:Some("person")"#);
        assert_eq!(fitted(34, rows), r#"0:1 1:24 2:5 -3:Some("person")"#);
        assert_eq!(fitted(30, rows), r#"0:1 1:27 -2:None -3:Some("person")"#);
    }

    #[test]
    fn the_first_column_and_single_records_have_no_constant() {
        let row: &[&str] = &["7", NAME, "person"];
        assert_eq!(fitted(30, &[row]), "0:1 1:19 2:6");
        assert_eq!(
            fitted(12, &[row, row]),
            r#"0:1 -1:Some("Hubert Wolfeschlegelsteinhausen") -2:Some("person")"#
        );
    }

    #[test]
    fn a_total_is_hidden_last() {
        let rows: &[&[&str]] = &[&["1", "20", "30", "50"], &["2", "20", "40", "50"]];
        assert_eq!(fitted_with(13, rows, true), "0:1 1:2 2:2 3:2");
        assert_eq!(fitted_with(9, rows, true), r#"0:1 2:2 3:2 -1:Some("20")"#);
        assert_eq!(fitted_with(5, rows, true), r#"0:1 3:2 -1:Some("20") -2:None"#);
        assert_eq!(fitted_with(4, rows, true), r#"0:1 -1:Some("20") -2:None -3:Some("50")"#);
    }

    #[test]
    fn dates_lose_their_time_before_text_is_cut() {
        let rows: &[&[&str]] = &[&["1", NAME, DATE], &["2", "Ada E", "2025-01-01 00:00:00"]];
        assert_eq!(fitted(55, rows), "0:1 1:31 2:19");
        assert_eq!(fitted(54, rows), "0:1 1:31 2:16");
        assert_eq!(fitted(50, rows), "0:1 1:31 2:10");
        assert_eq!(fitted(40, rows), "0:1 1:25 2:10");
        let zoned: &[&[&str]] = &[&["1", "2024-03-31T02:30:00+02:00"], &["2", DATE]];
        assert_eq!(fitted(27, zoned), "0:1 1:10");
    }

    #[test]
    fn the_last_columns_are_hidden_if_the_others_would_be_unreadable() {
        let rows: &[&[&str]] =
            &[&["48008", NAME, MAIL, "+31 20 4641991"], &["48009", "Ada E", "a@b.example", ""]];
        assert_eq!(fitted(200, rows), "0:5 1:31 2:36 3:14");
        assert_eq!(fitted(65, rows), "0:5 1:16 2:24 3:14");
        assert_eq!(fitted(64, rows), "0:5 1:22 2:33 -3:None");
        assert_eq!(fitted(40, rows), "0:5 1:12 2:19 -3:None");
        assert_eq!(fitted(20, rows), "0:5 1:13 -2:None -3:None");
        assert_eq!(fitted(3, rows), "0:3 -1:None -2:None -3:None");
    }

    #[test]
    fn an_identifier_is_not_cut_if_it_takes_at_most_half_of_the_line() {
        let id = "0192f0c1-2d1e-7c3a-9b61-7f3d9b1f2a44";
        let other = "0192f0c1-2d1e-7c3a-9b61-7f3d9b1f2a45";
        let rows: &[&[&str]] = &[&[id, NAME, MAIL], &[other, "Ada E", "a@b.example"]];
        assert_eq!(fitted(80, rows), "0:36 1:16 2:24");
    }
}
