//! The progress line of a long list.

use crate::output::live_line::LiveLine;
use crate::screen::Screen;

/// A count of the records received, printed or not. It is shown on standard error if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    line: LiveLine,
    records: u64,
    bytes: u64,
}

impl Progress {
    /// Starts to count. Without a screen, nothing is shown.
    pub(crate) fn new(screen: Option<Screen>) -> Self {
        Self { line: LiveLine::new(screen), records: 0, bytes: 0 }
    }

    /// Counts one record.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.records += 1;
        self.bytes += bytes as u64;
        // Reading the clock costs more than printing a record.
        if self.records.is_multiple_of(256) {
            self.show();
        }
    }

    /// Returns the closing summary: records, bytes and time.
    pub(crate) fn summary(&self, printed: u64, bytes: u64) -> String {
        let time = self.line.elapsed().as_secs_f64();
        format!("{} ({}) in {time:.1} s", records(printed), size(bytes))
    }

    /// Clears the line, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        self.line.clear();
    }

    /// Shows the line if it is due.
    pub(crate) fn show(&mut self) {
        let Self { records, bytes, .. } = *self;
        self.line.show(|elapsed| line(records, bytes, elapsed.as_millis()));
    }
}

/// Formats the line, such as `1,234,567 records  1.5 MB  700.0 kB/s`.
fn line(count: u64, bytes: u64, milliseconds: u128) -> String {
    let rate = u128::from(bytes) * 1000 / milliseconds.max(1);
    let rate = size(u64::try_from(rate).unwrap_or(u64::MAX));
    format!("{}  {}  {rate}/s", records(count), size(bytes))
}

/// Formats a number of records, such as `1 record` or `1,234,567 records`.
pub(crate) fn records(count: u64) -> String {
    counted(count, "record")
}

/// Formats a number of things whose plural ends with `s`, such as `1 change` or `1,234,567 changes`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    format!("{} {one}{}", with_separators(count), if count == 1 { "" } else { "s" })
}

/// Formats a number, such as `1,234,567`.
pub(crate) fn with_separators(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes, such as `512 B` or `1.5 MB`.
pub(crate) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::{counted, line, records, size};

    #[test]
    fn counts_and_sizes_are_readable() {
        assert_eq!(line(1000, 1_500_000, 3000), "1,000 records  1.5 MB  500.0 kB/s");
        assert_eq!(line(1000, 1_500_000, 1900), "1,000 records  1.5 MB  789.4 kB/s");
        assert_eq!(records(1), "1 record");
        assert_eq!(records(1_234_567), "1,234,567 records");
        assert_eq!(counted(0, "change"), "0 changes");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_550_000), "1.5 MB");
        assert_eq!(size(2_000_000_000), "2.0 GB");
    }
}
