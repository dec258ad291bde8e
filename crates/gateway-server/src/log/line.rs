//! One event as a line: JSON, or text for people.

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
        drop(write!(bytes, "{time:.6}"));
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
        let mut digits = *b".000000";
        let mut rest = duration.subsec_micros();
        for digit in digits.iter_mut().skip(1).rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        self.bytes.extend_from_slice(itoa::Buffer::new().format(duration.as_secs()).as_bytes());
        self.bytes.extend_from_slice(&digits);
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
        if self.is_json {
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
