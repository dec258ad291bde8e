//! CSV (RFC 4180) with formulas escaped for spreadsheets.

use std::borrow::Cow;
use std::io::{self, Write};

use methodical_client::model::formula::guard;

use crate::failure::Failure;
use crate::output::printer::counted;
use crate::output::record::Cells;
use crate::output::{OutputSetup, RecordWriter};
use crate::screen::printable;

/// A header line, then one line per record. Column names are escaped like cells, because they may be untrusted input.
///
/// `csv::Writer` is not used, because it owns its output and cannot quote just cells with outer spaces.
#[derive(Debug)]
pub(crate) struct Csv {
    setup: OutputSetup,
    /// The number of cells escaped so far.
    escaped: u64,
    /// The lines that are not written yet: the header, and then the current one.
    text: String,
}

impl Csv {
    /// Creates the CSV writer, with the header as its first line.
    pub(crate) fn new(setup: &OutputSetup) -> Self {
        let mut new = Self { setup: setup.clone(), escaped: 0, text: String::new() };
        for (index, column) in setup.columns.iter().enumerate() {
            new.push(index, Cow::Owned(column.name()));
        }
        new.end_line(0);
        new
    }

    /// Adds a cell.
    fn push(&mut self, index: usize, mut cell: Cow<'_, str>) {
        let separator = self.setup.flags.separator.unwrap_or(',');
        if !self.setup.flags.csv_raw
            && let Some(guarded) = guard(&cell)
        {
            self.escaped += 1;
            cell = Cow::Owned(guarded);
        }
        if self.setup.is_terminal() {
            cell = Cow::Owned(printable(&cell).into_owned());
        }
        if index > 0 {
            self.text.push(separator);
        }
        let is_special =
            |byte: u8| matches!(byte, b'"' | b'\r' | b'\n') || char::from(byte) == separator;
        // Some readers trim unquoted cells.
        let has_space = cell.starts_with([' ', '\t']) || cell.ends_with([' ', '\t']);
        if has_space || cell.bytes().any(is_special) {
            self.text.push('"');
            self.text.push_str(&cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(&cell);
        }
    }

    /// Ends the line that begins at this byte of the text.
    fn end_line(&mut self, start: usize) {
        if self.text.len() == start {
            // The only cell is empty. Many readers skip blank lines, which would lose the record.
            self.text.push_str("\"\"");
        }
        self.text.push_str("\r\n");
    }
}

impl RecordWriter for Csv {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let (start, columns) = (self.text.len(), std::mem::take(&mut self.setup.columns));
        let mut cells = Cells::read(record);
        for (index, column) in columns.iter().enumerate() {
            self.push(index, cells.cell(&column.path));
        }
        self.setup.columns = columns;
        self.end_line(start);
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        out.write_all(std::mem::take(&mut self.text).as_bytes())?;
        if self.escaped == 0 {
            return Ok(Vec::new());
        }
        let cells = counted(self.escaped, "formula-like cell");
        Ok(vec![format!("escaped {cells} with ' (--csv-raw disables this)")])
    }
}

#[cfg(test)]
mod tests {
    use methodical_client::model::formula::unguard;
    use proptest::prelude::*;

    use super::Csv;
    use crate::output::record::Path;
    use crate::output::{OutputColumn, OutputFlags, OutputSetup, RecordWriter as _};
    use crate::screen::View;

    fn of(setup: OutputSetup, paths: Vec<Path>, width: Option<u16>) -> Csv {
        let columns = paths.into_iter().map(|path| OutputColumn { path, field_type: None });
        let view = View { width, color: false };
        Csv::new(&OutputSetup { columns: columns.collect(), view, ..setup })
    }

    fn plain() -> OutputSetup {
        OutputSetup::default()
    }

    fn raw() -> OutputSetup {
        let flags = OutputFlags { csv_raw: true, ..OutputFlags::default() };
        OutputSetup { flags, ..plain() }
    }

    fn separated(by: char) -> OutputSetup {
        let flags = OutputFlags { separator: Some(by), ..OutputFlags::default() };
        OutputSetup { flags, ..plain() }
    }

    fn csv(setup: OutputSetup, records: &[&str]) -> (String, Vec<String>) {
        let columns = ["id", "studio.name"].map(Path::parse).to_vec();
        let (mut writer, mut out) = (of(setup, columns, None), Vec::new());
        for record in records {
            writer.write(&mut out, record).unwrap();
        }
        let notes = writer.finish(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), notes)
    }

    #[test]
    fn only_cells_that_need_quotes_are_quoted() {
        let (text, notes) =
            csv(plain(), &[r#"{"id":"a,\"b\"\r\nc","studio":{"name":"é"}}"#, r#"{"id":" x"}"#]);
        assert_eq!(text, "id,studio.name\r\n\"a,\"\"b\"\"\r\nc\",é\r\n\" x\",\r\n");
        assert_eq!(notes, Vec::<String>::new());
        assert_eq!(csv(plain(), &[]).0, "id,studio.name\r\n");
    }

    #[test]
    fn a_line_is_never_blank() {
        let csv = |column: &str, records: &[&str]| {
            let mut writer = of(plain(), vec![Path::field(column)], None);
            let mut out = Vec::new();
            for record in records {
                writer.write(&mut out, record).unwrap();
            }
            assert_eq!(writer.finish(&mut out).unwrap(), Vec::<String>::new());
            String::from_utf8(out).unwrap()
        };
        let records = [r#"{"phone":""}"#, r#"{"id":"1"}"#, r#"{"phone":"5"}"#];
        assert_eq!(csv("phone", &records), "phone\r\n\"\"\r\n\"\"\r\n5\r\n");
        assert_eq!(csv("", &[]), "\"\"\r\n");
    }

    #[test]
    fn cells_are_separated_as_the_dialect_says() {
        let (text, _) = csv(separated(';'), &[r#"{"id":"a;b","studio":{"name":"c,d"}}"#]);
        assert_eq!(text, "id;studio.name\r\n\"a;b\";c,d\r\n");
    }

    /// A spreadsheet that splits at commas reads the line as one cell, in which the tab is white space.
    #[test]
    fn a_number_and_an_operator_in_the_next_cell_are_not_a_formula() {
        let record = r#"{"id":"+6","studio":{"name":"*cmd|' /C calc'!A0"}}"#;
        let (text, _notes) = csv(separated('\t'), &[record]);
        assert!(!text.contains("+6\t*cmd"), "{text:?}");
    }

    #[test]
    fn formulas_are_escaped_and_counted() {
        let record = r#"{"id":"=cmd|' /C calc'!A0"}"#;
        let (text, notes) = csv(plain(), &[record]);
        assert!(text.ends_with("\r\n'=cmd|' /C calc'!A0,\r\n"), "{text}");
        assert!(notes[0].starts_with("escaped 1 formula-like cell "));
        assert!(csv(raw(), &[record]).0.contains("\r\n=cmd"));
    }

    #[test]
    fn column_names_are_escaped_like_cells() {
        let names = ["=cmd()", "a,\"b", "\u{1b}[2Jid"].map(Path::field).to_vec();
        let header = |width| {
            let (mut writer, mut out) = (of(plain(), names.clone(), width), Vec::new());
            assert_eq!(writer.finish(&mut out).unwrap().len(), 1);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(header(Some(80)), "'=cmd(),\"a,\"\"b\",\\u{1b}[2Jid\r\n");
        assert_eq!(header(None), "'=cmd(),\"a,\"\"b\",\u{1b}[2Jid\r\n");
    }

    /// Parses CSV by the rules of RFC 4180, independently of the writer.
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
        fn cells_survive_a_round_trip(one in any::<String>(), two in "[-+=@,;\"\r\n\t a1é]{0,6}") {
            let record = serde_json::json!({"id": one, "studio": {"name": two}}).to_string();
            let rows = read(&csv(raw(), &[&record]).0);
            prop_assert_eq!(&rows[1], &[one, two]);
            for (cell, plain) in read(&csv(plain(), &[&record]).0)[1].iter().zip(&rows[1]) {
                prop_assert!(!cell.starts_with('='));
                let restored = unguard(cell).unwrap_or_else(|| cell.clone());
                prop_assert_eq!(&restored, plain);
            }
        }
    }
}
