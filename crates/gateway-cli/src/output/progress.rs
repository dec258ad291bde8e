//! The line that says how far a long list is, for a person who waits.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// Counts records, and shows the count on standard error if somebody looks at it.
#[derive(Debug)]
pub(crate) struct Progress {
    begun: Instant,
    shown: Option<Instant>,
    visible: bool,
    records: u64,
}

impl Progress {
    /// Begins to count.
    pub(crate) fn new(visible: bool) -> Self {
        Self { begun: Instant::now(), shown: None, visible, records: 0 }
    }

    /// Counts one record.
    pub(crate) fn record(&mut self, bytes: u64) {
        self.records += 1;
        // The clock costs more than a record.
        if self.visible && self.records.is_multiple_of(256) {
            self.show(bytes);
        }
    }

    /// Returns how many records were counted.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Returns the line to end with: how much in which time.
    pub(crate) fn summary(&self, bytes: u64) -> String {
        let time = self.begun.elapsed().as_secs_f64();
        format!("{} ({}) in {time:.1} s", records(self.records), size(bytes))
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            drop(write!(io::stderr(), "\r\u{1b}[K"));
        }
    }

    fn show(&mut self, bytes: u64) {
        let now = Instant::now();
        let due = match self.shown {
            None => now.duration_since(self.begun) >= PATIENCE,
            Some(last) => now.duration_since(last) >= PAUSE,
        };
        if !due {
            return;
        }
        self.shown = Some(now);
        let seconds = now.duration_since(self.begun).as_secs().max(1);
        let rate = size(bytes / seconds);
        drop(write!(
            io::stderr(),
            "\r\u{1b}[K{}  {}  {rate}/s",
            records(self.records),
            size(bytes)
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// `1 record`, `1,234,567 records`.
pub(crate) fn records(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + if count == 1 { " record" } else { " records" }
}

/// `512 B`, `1.5 MB`.
pub(crate) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
}

/// A command that is done sooner shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::{records, size};

    #[test]
    fn numbers_for_people() {
        assert_eq!(records(1), "1 record");
        assert_eq!(records(1_234_567), "1,234,567 records");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_550_000), "1.5 MB");
        assert_eq!(size(2_000_000_000), "2.0 GB");
    }
}
