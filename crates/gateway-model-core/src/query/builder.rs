//! Writes the query of an operation.

use alloc::string::String;

use crate::{Error, Place, Query, Service};

/// Writes a query, parameter by parameter.
#[derive(Debug)]
pub struct QueryBuilder {
    text: String,
    /// Where the query begins, after the path.
    query: usize,
}

impl QueryBuilder {
    /// Creates a query that selects the operation `method`. A `/` is not encoded.
    #[must_use]
    pub fn select<S: Service>(method: &str) -> Self {
        let mut text = String::with_capacity(CAPACITY);
        if matches!(S::DISPATCH.place(), Place::Path) {
            text.push('/');
            encode(&mut text, method, |byte| byte == b'/');
        }
        let mut query = Self { query: text.len(), text };
        for (name, value) in S::DISPATCH.values(method) {
            query.name(name);
            encode(&mut query.text, value, |byte| byte == b'/');
        }
        for (name, value) in S::DISPATCH.every_call() {
            query.push(name, value);
        }
        query
    }

    /// Appends a parameter whose value is text.
    pub fn push(&mut self, name: &str, value: &str) {
        self.name(name);
        encode(&mut self.text, value, |_| false);
    }

    /// Appends the name of a parameter, with everything up to its value.
    fn name(&mut self, name: &str) {
        if self.text.len() > self.query {
            self.text.push('&');
        }
        encode(&mut self.text, name, |_| false);
        self.text.push('=');
    }

    /// Appends a parameter whose value must not be empty: services differ in what `name=` means.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Parameter`](crate::ErrorKind::Parameter) if the value is empty.
    pub fn push_text(&mut self, name: &'static str, value: &str) -> Result<(), Error> {
        if value.is_empty() {
            return Err(Error::parameter(name, "non-empty text"));
        }
        self.push(name, value);
        Ok(())
    }

    /// Appends a parameter that the service defines as an unsigned integer.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Parameter`](crate::ErrorKind::Parameter) if the value is not an unsigned integer
    /// of 64 bits.
    pub fn push_integer(&mut self, name: &'static str, value: &str) -> Result<(), Error> {
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        match value.parse::<u64>() {
            Ok(number) if digits => {
                self.name(name);
                push_number(&mut self.text, number);
                Ok(())
            }
            _ => Err(Error::parameter(name, "an unsigned integer")),
        }
    }

    /// Appends the parameters of a continuation. They replace parameters of the same names.
    pub fn continued(&mut self, pairs: &[(String, String)]) {
        for (name, value) in pairs {
            self.remove(name);
            self.push(name, value);
        }
    }

    /// Removes a parameter.
    fn remove(&mut self, name: &str) {
        let mut encoded = String::new();
        encode(&mut encoded, name, |_| false);
        let kept = self.text.split_off(self.query);
        let pairs = kept.split('&').filter(|pair| !pair.is_empty());
        for pair in pairs.filter(|pair| pair.split('=').next() != Some(&encoded)) {
            if self.text.len() > self.query {
                self.text.push('&');
            }
            self.text.push_str(pair);
        }
    }

    /// Returns the query.
    #[must_use]
    pub fn finish(self) -> Query {
        Query::of(self.text, self.query)
    }
}

/// Checks that a parameter is not set without those that it needs.
///
/// # Errors
///
/// [`ErrorKind::NeedsParameter`](crate::ErrorKind::NeedsParameter) for the first one that is missing.
pub fn needs(name: &str, is_set: bool, needed: &[(&'static str, bool)]) -> Result<(), Error> {
    match needed.iter().find(|(_, is_set)| !is_set) {
        Some((missing, _)) if is_set => Err(Error::needs(name, missing)),
        _ => Ok(()),
    }
}

/// Percent-encodes everything except the unreserved characters of RFC 3986 and those that `keep` accepts.
fn encode(out: &mut String, text: &str, keep: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(hexadecimal(byte >> 4));
            out.push(hexadecimal(byte & 15));
        }
    }
}

fn hexadecimal(digit: u8) -> char {
    char::from(if digit < 10 { b'0' + digit } else { b'A' + digit - 10 })
}

fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + u8::try_from(number % 10).unwrap_or_default()));
}

/// Initial capacity of a query, in bytes: most queries fit, so that building one allocates once.
const CAPACITY: usize = 128;
