//! Any records on a terminal: a terminal emulator prints text, starts lines and sets our own colors, and does nothing else.

#![no_main]

#[path = "../support/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;
use methodical_cli::fuzzing::{Style, written};
use unicode_width::UnicodeWidthStr as _;
use vte::{Params, Parser, Perform};

use crate::records::Records;

/// The format, the width of the terminal, whether it has colors, whether the table is wide, and the records.
type Input<'a> = (u8, u8, bool, bool, records::Input<'a>);

fuzz_target!(|input: Input<'_>| {
    let (format, width, color, wide, records) = input;
    let records = Records(records);
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let style = Style {
        width: Some(u16::from(width).max(1)),
        color,
        wide,
        separator: ',',
        escape_formulas: true,
    };
    let (columns, records) = (records.columns(), records.json());
    let out = written(format, style, &columns, &records).unwrap();

    let mut screen = Screen { color, lines: vec![String::new()] };
    let mut parser = Parser::new();
    parser.advance(&mut screen, &out);
    assert_eq!(screen.lines.last().map(String::as_str), Some(""), "the last line has no end");
    match format {
        // The title and each record have a line. A note about hidden columns may follow after an empty line, and has their
        // names in full.
        "table" => {
            assert!(screen.lines.len() > records.len() + 1);
            let table = screen.lines.iter().take_while(|line| !line.is_empty());
            for line in table.filter(|_| !wide && width >= 40) {
                assert!(line.width() <= usize::from(width), "{line:?} wraps at {width}");
            }
        }
        "ndjson" | "csv" => assert_eq!(lines(format, &screen), records.len()),
        _ => {}
    }
    if format != "table" && format != "csv" {
        same_values(&screen.lines.concat(), &records);
    }
});

const FORMATS: [&str; 4] = ["table", "json", "ndjson", "csv"];

fn lines(format: &str, screen: &Screen) -> usize {
    let header = usize::from(format == "csv");
    screen.lines.len() - 1 - header
}

/// The text on the terminal is the JSON of the records.
fn same_values(text: &str, records: &[String]) {
    let values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let mut values: Vec<_> =
        values.map(|value| value.unwrap_or_else(|error| panic!("{error}: {text}"))).collect();
    if let [serde_json::Value::Array(items)] = values.as_slice() {
        values.clone_from(&items.clone());
    }
    let expected = records.iter().map(|record| serde_json::from_str(record).unwrap());
    assert_eq!(values, expected.collect::<Vec<serde_json::Value>>());
}

/// The actions of a terminal emulator.
struct Screen {
    color: bool,
    lines: Vec<String>,
}

impl Perform for Screen {
    fn print(&mut self, letter: char) {
        assert!(!letter.is_control(), "{letter:?}");
        // The direction controls and other invisible characters of Unicode (UAX 9, section 2; general category Cf).
        let acts = matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        let hides = matches!(
            letter,
            '\u{ad}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}'
        );
        assert!(!acts && !hides, "{letter:?}");
        self.lines.last_mut().unwrap().push(letter);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.lines.push(String::new()),
            b'\r' => {}
            _ => panic!("executes {byte:#x}"),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignored: bool, action: char) {
        assert!(self.color && action == 'm' && intermediates.is_empty() && !ignored);
        assert!(params.iter().flatten().all(|code| matches!(code, 0..=2 | 31..=36)));
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        panic!("an escape sequence with {byte:#x}");
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        panic!("a command of the operating system: {params:?}");
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        panic!("a device control string with {action}");
    }
}
