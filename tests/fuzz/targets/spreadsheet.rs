//! Any records as CSV: two readers of different dialects get the cells, and no reader with another separator gets a
//! formula.

#![no_main]

#[path = "../support/records.rs"]
mod records;

use gateway_model::formula::unguard;
use libfuzzer_sys::fuzz_target;
use methodical_cli::fuzzing::{Style, written};
use methodical_cli::{Cells, OutputColumn};

use crate::records::Records;

/// The separator, whether formulas stay, and the records.
type Input<'a> = (u8, bool, records::Input<'a>);

fuzz_target!(|input: Input<'_>| {
    let (separator, raw, records) = input;
    let separator = SEPARATORS[usize::from(separator) % SEPARATORS.len()];
    let style = Style { width: None, color: false, wide: false, separator, escape_formulas: !raw };
    let records = Records(records);
    let (columns, records) = (records.columns(), records.json());
    // Readers take it for the byte order mark.
    if columns.iter().take(1).any(|column| column.name().starts_with('\u{feff}')) {
        return;
    }
    let out = String::from_utf8(written("csv", style, &columns, &records).unwrap()).unwrap();
    let text = out.strip_prefix('\u{feff}').unwrap_or(&out);
    assert!(text.ends_with("\r\n"));

    let expected = expected(&columns, &records);
    let plain = |cell: &str| match unguard(cell) {
        Some(plain) if !raw => plain,
        _ => cell.to_owned(),
    };
    let by_library = by_library(text, separator);
    let restored: Vec<Vec<_>> =
        by_library.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    assert_eq!(restored, expected, "{text:?}");
    assert_eq!(by_spreadsheet(text, separator), by_library, "{text:?}");

    if !raw {
        for other in SEPARATORS {
            let cells = by_spreadsheet(text, other).into_iter().flatten();
            cells.for_each(|cell| {
                assert!(!is_formula(&cell, separator), "{cell:?} with {other:?} in {text:?}")
            });
        }
    }
});

const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// The title and the cells of each record.
fn expected(columns: &[OutputColumn], records: &[String]) -> Vec<Vec<String>> {
    let mut rows = vec![columns.iter().map(OutputColumn::name).collect()];
    for record in records {
        let mut cells = Cells::read(record);
        rows.push(columns.iter().map(|column| column.text(&mut cells).into_owned()).collect());
    }
    rows
}

fn by_library(text: &str, separator: char) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(u8::try_from(separator).unwrap())
        .from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.unwrap());
    rows.map(|row| row.iter().map(str::to_owned).collect()).collect()
}

/// Reads as a spreadsheet does: a quote counts only at the start of a cell, and what follows its end belongs to the cell.
fn by_spreadsheet(text: &str, separator: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut letters, mut is_start) = (text.chars().peekable(), true);
    while let Some(letter) = letters.next() {
        if is_start && letter == '"' {
            is_start = false;
            while let Some(letter) = letters.next() {
                if letter != '"' {
                    cell.push(letter);
                } else if letters.next_if_eq(&'"').is_some() {
                    cell.push('"');
                } else {
                    break;
                }
            }
            continue;
        }
        is_start = false;
        if letter == separator {
            row.push(std::mem::take(&mut cell));
            is_start = true;
        } else if matches!(letter, '\r' | '\n') {
            if letter == '\r' {
                letters.next_if_eq(&'\n');
            }
            row.push(std::mem::take(&mut cell));
            rows.push(std::mem::take(&mut row));
            is_start = true;
        } else {
            cell.push(letter);
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// Whether a spreadsheet would run the cell, and that could do more than arithmetic. `separator` is that of the writer.
fn is_formula(cell: &str, separator: char) -> bool {
    let cell = cell.trim_start_matches(['\t', '\r', '\n', '\0']);
    // After a number, no separator is an operator; a tab is white space.
    let ends = |letter| letter == separator && letter != '\t';
    let cell = cell.split(ends).next().unwrap_or_default();
    let sign = match cell.chars().next() {
        Some('=' | '@' | '＝' | '＠') => return true,
        Some(sign @ ('+' | '-' | '＋' | '－')) => sign,
        _ => return false,
    };
    // The last quote may be that of the writer.
    let cell = cell[sign.len_utf8()..].strip_suffix('"').unwrap_or(&cell[sign.len_utf8()..]);
    let (mut has_operand, mut open, mut letters) = (false, 0_u32, cell.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '\t' | '\r' | '\n' | ' ' => {
                // After a number and white space, only an operator continues a formula.
                let is_space = |letter: &char| "\t\r\n ".contains(*letter);
                while letters.next_if(is_space).is_some() {}
                let continues = |letter: &char| "+-*/^%&<>=)".contains(*letter);
                if has_operand && !letters.peek().is_some_and(continues) {
                    return false;
                }
            }
            ')' if open == 0 => return false,
            ')' => (open, has_operand) = (open - 1, true),
            '(' => (open, has_operand) = (open + 1, false),
            '0'..='9' | '.' | ',' | '%' => has_operand = true,
            '+' | '-' | '*' | '/' | '^' | '&' | '<' | '>' | '=' => has_operand = false,
            '"' if has_operand => return false,
            _ => return true,
        }
    }
    false
}
