//! CSV (RFC 4180) that a spreadsheet can open without running anything.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::escape::printable;
use crate::output::form::Form;
use crate::output::record::{Cells, Path};

/// How CSV is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Whether a cell that a spreadsheet would run gets a leading `'`.
    pub(crate) guard: bool,
    /// Whether the file begins with the mark by which Excel knows UTF-8.
    pub(crate) mark: bool,
    /// What stands between cells, and in ASCII.
    pub(crate) separator: char,
}

/// A header line, then one line for each record.
#[derive(Debug)]
pub(crate) struct Csv {
    columns: Vec<Path>,
    begun: bool,
    line: Line,
}

impl Csv {
    /// Makes the form with these columns.
    pub(crate) fn new(dialect: Dialect, columns: Vec<Path>, terminal: bool) -> Self {
        let line = Line { dialect, terminal, guarded: 0, text: String::new() };
        Self { columns, begun: false, line }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        if self.line.dialect.mark {
            out.write_all("\u{feff}".as_bytes())?;
        }
        for (index, path) in self.columns.iter().enumerate() {
            self.line.push(index, Cow::Owned(path.to_string()));
        }
        self.line.write(out)
    }
}

impl Form for Csv {
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        self.begin(out)?;
        let mut cells = Cells::read(record);
        for (index, column) in self.columns.iter().enumerate() {
            self.line.push(index, cells.cell(column));
        }
        self.line.write(out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        self.begin(out)?;
        let cells = match self.line.guarded {
            0 => return Ok(None),
            1 => "1 cell that a spreadsheet would run as a formula begins".to_owned(),
            count => format!("{count} cells that a spreadsheet would run as formulas begin"),
        };
        Ok(Some(format!("{cells} with ' now; --csv-raw leaves them as they are")))
    }
}

/// The line that is being written. All text of others goes through it: of a header, that is the names.
#[derive(Debug)]
struct Line {
    dialect: Dialect,
    terminal: bool,
    guarded: u64,
    text: String,
}

impl Line {
    /// Adds a cell.
    fn push(&mut self, index: usize, mut cell: Cow<'_, str>) {
        if self.dialect.guard && is_formula(&cell) {
            self.guarded += 1;
            cell.to_mut().insert(0, '\'');
        }
        if self.terminal {
            cell = Cow::Owned(printable(&cell).into_owned());
        }
        let separator = self.dialect.separator;
        if index > 0 {
            self.text.push(separator);
        }
        let special = |byte| matches!(byte, b'"' | b'\r' | b'\n') || char::from(byte) == separator;
        // Some readers trim spaces of a cell without quotes.
        let blank = [' ', '\t'];
        if cell.bytes().any(special) || cell.starts_with(blank) || cell.ends_with(blank) {
            self.text.push('"');
            self.text.push_str(&cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(&cell);
        }
    }

    /// Writes it, and begins the next one.
    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.push_str(END);
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

/// Returns whether a spreadsheet may take the text for a formula. A plain phone or number is none.
fn is_formula(cell: &str) -> bool {
    // Nearly every cell begins with a letter or a digit.
    if cell.bytes().next().is_none_or(|first| first.is_ascii_alphanumeric()) {
        return false;
    }
    let starts = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];
    cell.starts_with(starts) && !is_number(cell) && !is_phone(cell)
}

/// `+40 21 000 0001`, `+49 (0)30 700-1`: a sign, then digits and what people put between them.
///
/// A spreadsheet computes `+49-30-700`, and reads `+1 1/2` as one and a half. It can do neither where a blank stands
/// between two groups of digits, or where nothing but blanks, dots and brackets does.
fn is_phone(cell: &str) -> bool {
    let rest = cell.strip_prefix('+').unwrap_or_default();
    let begins = rest.starts_with(|first: char| first.is_ascii_digit() || first == '(');
    let plain = |letter: char| letter.is_ascii_digit() || " ()./-".contains(letter);
    begins
        && rest.chars().all(plain)
        && (!rest.contains(['-', '/']) || (has_apart(rest) && !is_mixed_fraction(rest)))
}

/// Returns whether a blank stands between two groups that no operator joins, as in `30 700` and `49 (0)30`.
fn has_apart(text: &str) -> bool {
    let ends = |part: &str| part.ends_with(|last: char| last.is_ascii_digit() || last == ')');
    let begins =
        |part: &str| part.starts_with(|first: char| first.is_ascii_digit() || first == '(');
    let parts: Vec<&str> = text.split(' ').filter(|part| !part.is_empty()).collect();
    parts.windows(2).any(|pair| matches!(pair, [one, other] if ends(one) && begins(other)))
}

/// `1 1/2`.
fn is_mixed_fraction(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((whole, part)) = text.trim().split_once(' ') else { return false };
    let fraction = part.split_once('/');
    digits(whole) && fraction.is_some_and(|(a, b)| digits(a.trim()) && digits(b.trim()))
}

/// `-12`, `+0.50`.
fn is_number(cell: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let (whole, part) = text.split_once('.').map_or((text, None), |(w, p)| (w, Some(p)));
    digits(whole) && part.is_none_or(digits)
}

const END: &str = "\r\n";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Csv, Dialect, is_formula};
    use crate::output::form::Form as _;
    use crate::output::record::Path;

    const PLAIN: Dialect = Dialect { guard: true, mark: false, separator: ',' };

    fn csv(dialect: Dialect, records: &[&str]) -> (String, Option<String>) {
        let columns = ["id", "portal.name"].map(Path::parse).to_vec();
        let (mut form, mut out) = (Csv::new(dialect, columns, false), Vec::new());
        for record in records {
            form.record(&mut out, record).unwrap();
        }
        let note = form.end(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), note)
    }

    #[test]
    fn cells_are_quoted_when_they_must_be() {
        let (text, note) =
            csv(PLAIN, &[r#"{"id":"a,\"b\"\r\nc","portal":{"name":"é"}}"#, r#"{"id":" x"}"#]);
        assert_eq!(text, "id,portal.name\r\n\"a,\"\"b\"\"\r\nc\",é\r\n\" x\",\r\n");
        assert_eq!(note, None);
        assert_eq!(csv(PLAIN, &[]).0, "id,portal.name\r\n");
    }

    #[test]
    fn excel_gets_its_mark_and_separator() {
        let dialect = Dialect { mark: true, separator: ';', ..PLAIN };
        let (text, _) = csv(dialect, &[r#"{"id":"a;b","portal":{"name":"c,d"}}"#]);
        assert_eq!(text, "\u{feff}id;portal.name\r\n\"a;b\";c,d\r\n");
    }

    #[test]
    fn formulas_are_guarded_and_counted() {
        let record = r#"{"id":"=cmd|' /C calc'!A0"}"#;
        let (text, note) = csv(PLAIN, &[record]);
        assert!(text.ends_with("\r\n'=cmd|' /C calc'!A0,\r\n"), "{text}");
        assert!(note.unwrap().starts_with("1 cell "));
        assert!(csv(Dialect { guard: false, ..PLAIN }, &[record]).0.contains("\r\n=cmd"));
    }

    #[test]
    fn names_are_no_safer_than_cells() {
        let names = ["=cmd()", "a,\"b", "\u{1b}[2Jid"].map(Path::member).to_vec();
        let header = |terminal| {
            let (mut form, mut out) = (Csv::new(PLAIN, names.clone(), terminal), Vec::new());
            assert!(form.end(&mut out).unwrap().is_some());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(header(true), "'=cmd(),\"a,\"\"b\",\\u{1b}[2Jid\r\n");
        assert_eq!(header(false), "'=cmd(),\"a,\"\"b\",\u{1b}[2Jid\r\n");
    }

    #[test]
    fn phones_and_numbers_stay_exact() {
        for plain in [
            "+40 21 000 0001",
            "+49 (0)30-700.1/2",
            "+49 30 700-1",
            "+49(0)30.700",
            "+40210000001",
            "-12",
            "+0.50",
            "-3.5",
            "Ada",
            "",
            "4711",
        ] {
            assert!(!is_formula(plain), "{plain}");
        }
        for formula in [
            "+1+1",
            "-1+1",
            "+40 21 x",
            "-",
            "+",
            "@SUM(1)",
            "=1",
            "-1-1",
            "\t1",
            "＝1",
            "+1e5",
            "--1",
            "+1-1",
            "+1/0",
            "+49-30-7001067",
            "+1 - 1",
            "+1 -1",
            "+(1)-1",
            "+1 1/2",
            "+49 30/7001067",
        ] {
            assert!(is_formula(formula), "{formula}");
        }
    }

    /// Reads CSV as RFC 4180 says, so that the writer is not checked by itself.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut cell, mut quoted) =
            (Vec::new(), Vec::new(), String::new(), false);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(std::mem::take(&mut cell)),
                '\r' if !quoted && letters.peek() == Some(&'\n') => {
                    letters.next();
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                other => cell.push(other),
            }
        }
        rows
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(one in any::<String>(), two in "[-+=@,;\"\r\n\t a1é]{0,6}") {
            let record = serde_json::json!({"id": one, "portal": {"name": two}}).to_string();
            let rows = read(&csv(Dialect { guard: false, ..PLAIN }, &[&record]).0);
            prop_assert_eq!(&rows[1], &[one, two]);
            for cell in &read(&csv(PLAIN, &[&record]).0)[1] {
                prop_assert!(!is_formula(cell));
            }
        }
    }
}
