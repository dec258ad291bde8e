//! One event as a line: JSON, or text for people.

use std::cell::Cell;
use std::fmt;
use std::io::Write as _;

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Level, Metadata};

use crate::json;

/// A line that is being written.
#[derive(Debug)]
pub(super) struct Line {
    is_json: bool,
    bytes: Vec<u8>,
}

impl Line {
    /// Starts a line with the time, the level and the name of an event.
    pub(super) fn begin(is_json: bool, time: Timestamp, event: &Metadata<'_>) -> Self {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(if is_json { b"{\"time\":\"" } else { b"" });
        write_time(&mut bytes, time);
        let (level, padded) = match *event.level() {
            Level::ERROR => ("error", "ERROR"),
            Level::WARN => ("warn", "WARN "),
            _ => ("info", "INFO "),
        };
        let parts = if is_json {
            ["\",\"level\":\"", level, "\",\"event\":\"", event.name(), "\""]
        } else {
            [" ", padded, " ", event.name(), ""]
        };
        for part in parts {
            bytes.extend_from_slice(part.as_bytes());
        }
        Self { is_json, bytes }
    }

    /// Ends the line.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(if self.is_json { b"}\n" } else { b"\n" });
        self.bytes
    }

    /// Writes the name of a field.
    fn name(&mut self, field: &Field) {
        let (before, after) = if self.is_json { (",\"", "\":") } else { (" ", "=") };
        for part in [before, field.name(), after] {
            self.bytes.extend_from_slice(part.as_bytes());
        }
    }

    fn integer(&mut self, field: &Field, value: impl itoa::Integer) {
        self.name(field);
        self.bytes.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }
}

impl Visit for Line {
    /// Writes a number of seconds with six decimals: all numbers with a fraction are durations.
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        // A duration is neither negative nor infinite.
        let duration = std::time::Duration::try_from_secs_f64(value).unwrap_or_default();
        self.bytes.extend_from_slice(itoa::Buffer::new().format(duration.as_secs()).as_bytes());
        self.bytes.extend_from_slice(&fraction(duration.subsec_micros()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.integer(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.integer(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field);
        self.bytes.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        if self.is_json && is_plain(value) {
            for part in ["\"", value, "\""] {
                self.bytes.extend_from_slice(part.as_bytes());
            }
        } else if self.is_json {
            json::text(&mut self.bytes, value);
        } else if !value.is_empty()
            && value.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
        {
            self.bytes.extend_from_slice(value.as_bytes());
        } else {
            // Escapes everything that could control a terminal.
            drop(write!(self.bytes, "{value:?}"));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// Returns whether a text is the same in JSON.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')
}

/// Writes a time as RFC 3339 with microseconds. Only the first line of a second on a thread formats the rest of the time.
fn write_time(bytes: &mut Vec<u8>, time: Timestamp) {
    thread_local! {
        static SECOND: Cell<Option<(i64, [u8; 19])>> = const { Cell::new(None) };
    }
    let second = time.as_second();
    let text = SECOND.get().filter(|(cached, _)| *cached == second).map(|(_, text)| text);
    let text = text.unwrap_or_else(|| {
        let formatted = time.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let text = formatted.as_bytes().try_into().unwrap_or(*b"0000-00-00T00:00:00");
        SECOND.set(Some((second, text)));
        text
    });
    bytes.extend_from_slice(&text);
    bytes
        .extend_from_slice(&fraction(u32::try_from(time.subsec_microsecond()).unwrap_or_default()));
    bytes.push(b'Z');
}

/// Returns microseconds as a decimal fraction.
fn fraction(microseconds: u32) -> [u8; 7] {
    let mut digits = *b".000000";
    let mut rest = microseconds;
    for digit in digits.iter_mut().skip(1).rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_microseconds() {
        for time in [
            "2026-11-22T19:30:00.000012Z",
            "2026-11-22T19:30:00.999999Z",
            "2026-11-22T19:30:01.000000Z",
            "1970-01-01T00:00:00.000000Z",
            "2026-11-22T19:30:00.100000Z",
        ] {
            let mut bytes = Vec::new();
            write_time(&mut bytes, time.parse().unwrap());
            assert_eq!(String::from_utf8(bytes).unwrap(), time);
        }
    }
}
