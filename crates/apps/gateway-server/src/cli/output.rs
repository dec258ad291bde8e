//! Output of the program: messages to standard error, results to standard output.

use std::io::Write as _;

use jiff::Timestamp;

use crate::clock::UnixTime;
use crate::error::{Error, with_causes};

/// Writes an error and its causes to standard error, in one line.
pub(super) fn print_error(error: &Error) {
    note(&format!("gateway-server: {}", with_causes(error)));
}

/// Writes a line to standard error. If standard error is closed, only the exit code reports an error.
pub(super) fn note(text: &str) {
    drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
}

/// Writes text to standard output and flushes it.
pub(super) fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a table. Each column is as wide as its widest cell.
pub(super) fn print_table<const N: usize>(
    head: [&str; N],
    rows: &[[String; N]],
) -> Result<(), Error> {
    let mut widths = head.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&head.map(str::to_owned)).chain(rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    print(&text)
}

/// Returns a point in time as RFC 3339 in UTC, at the latest the end of the year 9999.
pub(super) fn show_time(time: UnixTime) -> String {
    let second = time.0.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(second).map_or_else(|_out_of_range| String::new(), |at| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
            (i64::MAX, "9999-12-30T22:00:00Z"),
        ] {
            assert_eq!(show_time(UnixTime(seconds)), text);
        }
    }
}
