//! The line that says how far a long list is, for a person who waits.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use crate::screen::Screen;

/// Counts what is received, whatever of it is printed, and shows the count on standard error if somebody looks at it.
#[derive(Debug)]
pub(crate) struct Progress {
    begun: Instant,
    shown: Option<Instant>,
    screen: Option<Screen>,
    records: u64,
    bytes: u64,
}

impl Progress {
    /// Begins to count; without a screen, nobody looks.
    pub(crate) fn new(screen: Option<Screen>) -> Self {
        Self { begun: Instant::now(), shown: None, screen, records: 0, bytes: 0 }
    }

    /// Counts one record.
    pub(crate) fn came(&mut self, bytes: usize) {
        self.records += 1;
        self.bytes += bytes as u64;
        // The clock costs more than a record.
        if self.records.is_multiple_of(256) {
            self.show();
        }
    }

    /// Returns the line to end with: how much was printed in which time.
    pub(crate) fn summary(&self, printed: u64, bytes: u64) -> String {
        let time = self.begun.elapsed().as_secs_f64();
        format!("{} ({}) in {time:.1} s", records(printed), size(bytes))
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            drop(write!(io::stderr(), "\r\u{1b}[K"));
        }
    }

    /// Shows the line, if it is time.
    pub(crate) fn show(&mut self) {
        let Some(screen) = self.screen else { return };
        let now = Instant::now();
        let due = match self.shown {
            None => now.duration_since(self.begun) >= PATIENCE,
            Some(last) => now.duration_since(last) >= PAUSE,
        };
        if !due {
            return;
        }
        self.shown = Some(now);
        let line = line(self.records, self.bytes, now.duration_since(self.begun).as_secs());
        // A line that breaks would leave its beginning behind each time.
        let room = usize::from(screen.errors_width()).saturating_sub(1);
        drop(write!(io::stderr(), "\r\u{1b}[K{}", line.get(..room).unwrap_or(&line)));
    }
}

/// `1,234,567 records  1.5 MB  700.0 kB/s`.
fn line(count: u64, bytes: u64, seconds: u64) -> String {
    format!("{}  {}  {}/s", records(count), size(bytes), size(bytes / seconds.max(1)))
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
    use super::{line, records, size};

    #[test]
    fn numbers_for_people() {
        assert_eq!(line(1000, 1_500_000, 3), "1,000 records  1.5 MB  500.0 kB/s");
        assert_eq!(records(1), "1 record");
        assert_eq!(records(1_234_567), "1,234,567 records");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_550_000), "1.5 MB");
        assert_eq!(size(2_000_000_000), "2.0 GB");
    }
}
