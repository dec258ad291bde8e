//! Rows in the binary format of COPY, which PostgreSQL reads faster than any statement.

use std::io::Write as _;
use std::mem::take;

use crate::error::Error;
use crate::fields::row::Value;
use crate::store::postgres::failure::{failed_in, lost};
use crate::store::postgres::link::Session;

/// Rows that are to be inserted.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
}

impl Rows {
    /// Begins a row of this many columns.
    pub(crate) fn begin(&mut self, columns: usize) {
        if self.bytes.is_empty() {
            self.bytes.extend_from_slice(HEADER);
        }
        let columns = i16::try_from(columns).unwrap_or(i16::MAX);
        self.bytes.extend_from_slice(&columns.to_be_bytes());
    }

    pub(crate) fn null(&mut self) {
        self.bytes.extend_from_slice(&(-1_i32).to_be_bytes());
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) {
        // PostgreSQL refuses a value of 1 GiB.
        let length = i32::try_from(value.len()).unwrap_or(i32::MAX);
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(value);
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    pub(crate) fn integer(&mut self, value: i64) {
        self.bytes(&value.to_be_bytes());
    }

    /// Adds a value of 32 bits.
    pub(crate) fn small(&mut self, value: i32) {
        self.bytes(&value.to_be_bytes());
    }

    /// Adds a time from seconds since 1970.
    pub(crate) fn time(&mut self, seconds: i64) {
        let micros = clamped(seconds).saturating_sub(EPOCH).saturating_mul(1_000_000);
        self.integer(micros);
    }

    pub(crate) fn optional(&mut self, value: Option<&str>) {
        match value {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    pub(crate) fn value(&mut self, value: Option<&Value<'_>>) {
        match value {
            None => self.null(),
            Some(Value::Text(text)) => self.text(text),
            Some(Value::Integer(value)) => self.integer(*value),
            Some(Value::Real(value)) => self.bytes(&value.to_be_bytes()),
            Some(Value::Boolean(value)) => self.bytes(&[u8::from(*value)]),
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Takes the rows; `None` without any.
    pub(crate) fn take(&mut self) -> Option<Self> {
        if self.bytes.is_empty() {
            return None;
        }
        let capacity = self.bytes.len();
        let bytes = take(&mut self.bytes);
        self.bytes.reserve(capacity);
        Some(Self { bytes })
    }

    /// Inserts the rows by a COPY statement.
    pub(crate) fn send(mut self, session: &mut Session, sql: &str) -> Result<(), Error> {
        self.bytes.extend_from_slice(&(-1_i16).to_be_bytes());
        let mut writer = session.client()?.copy_in(sql).map_err(|error| failed_in(sql, error))?;
        writer.write_all(&self.bytes).map_err(|error| lost().because(error))?;
        writer.finish().map(drop).map_err(|error| failed_in(sql, error))
    }
}

/// Returns a time that both PostgreSQL and other programs can show.
pub(crate) fn clamped(seconds: i64) -> i64 {
    seconds.clamp(0, LATEST)
}

/// The signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The first second of 2000, where PostgreSQL counts from, in seconds since 1970.
const EPOCH: i64 = 946_684_800;

/// The last second of 9999, in seconds since 1970.
const LATEST: i64 = 253_402_300_799;
