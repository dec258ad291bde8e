//! Writes an operation's query and, for a POST, its body.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::query::{Items, ListStyle, Post};
use crate::scalar::either::parse_unsigned;
use crate::{BodyFormat, DecodeError, Operation, Place, Query, Service};

/// Writes a query, parameter by parameter.
#[derive(Debug)]
pub struct QueryBuilder {
    text: String,
    /// The position after the path, where the query begins.
    query: usize,
    /// The position where the parameters begin, in the query or in the body. The next parameter is appended at the end.
    start: usize,
    post: Option<Post>,
}

impl QueryBuilder {
    /// Creates a query that selects the operation `method`, in which `/` is not encoded. The call is a GET, or a POST
    /// if the service expects the selector in a form.
    #[must_use]
    pub fn select<S: Service>(method: &str) -> Self {
        let mut text = String::with_capacity(CAPACITY);
        if matches!(S::DISPATCH.place(), Place::Path) {
            text.push('/');
            encode(&mut text, method, |byte| byte == b'/');
        }
        let mut query = Self { query: text.len(), start: text.len(), text, post: None };
        if matches!(S::DISPATCH.place(), Place::Form) {
            query.begin_body(BodyFormat::Form, false);
        }
        for (name, value) in S::DISPATCH.values(method) {
            query.name(name);
            encode(&mut query.text, value, |byte| byte == b'/');
        }
        for (name, value) in S::DISPATCH.every_call() {
            query.push(name, value);
        }
        query
    }

    /// Creates the query of a POST that selects the operation `method`. All further parameters are appended to the
    /// body.
    #[must_use]
    pub fn post<S: Service>(method: &str, format: BodyFormat, is_idempotent: bool) -> Self {
        let mut query = Self::select::<S>(method);
        match &mut query.post {
            Some(post) => post.is_idempotent = is_idempotent,
            None => query.begin_body(format, is_idempotent),
        }
        query
    }

    /// Creates the query of an operation.
    #[must_use]
    pub fn of<O: Operation>() -> Self {
        match O::POST {
            None => Self::select::<O::Service>(O::METHOD),
            Some((format, is_idempotent)) => {
                Self::post::<O::Service>(O::METHOD, format, is_idempotent)
            }
        }
    }

    fn begin_body(&mut self, format: BodyFormat, is_idempotent: bool) {
        self.start = self.text.len();
        self.post = Some(Post { start: self.start, format, is_idempotent });
    }

    fn is_json(&self) -> bool {
        self.post.is_some_and(|post| post.format == BodyFormat::Json)
    }

    /// Appends a parameter whose value is text.
    pub fn push(&mut self, name: &str, value: &str) {
        self.name(name);
        self.value(value);
    }

    /// Appends a parameter whose value is a number or a boolean. In JSON, the value is written without quotes.
    pub fn push_literal(&mut self, name: &str, value: &str) {
        self.name(name);
        self.text.push_str(value);
    }

    /// Appends a parameter's name and everything else that precedes its value.
    fn name(&mut self, name: &str) {
        let is_first = self.text.len() == self.start;
        if self.is_json() {
            self.text.push(if is_first { '{' } else { ',' });
            json_string(&mut self.text, name);
            self.text.push(':');
            return;
        }
        if !is_first {
            self.text.push('&');
        }
        encode(&mut self.text, name, |_| false);
        self.text.push('=');
    }

    /// Appends text as a value.
    fn value(&mut self, value: &str) {
        if self.is_json() {
            json_string(&mut self.text, value);
        } else {
            encode(&mut self.text, value, |_| false);
        }
    }

    /// Appends a parameter whose value must not be empty, because services interpret `name=` differently.
    pub fn push_text(&mut self, name: &'static str, value: &str) -> Result<(), DecodeError> {
        if value.is_empty() {
            return Err(DecodeError::parameter(name, "non-empty text"));
        }
        self.push(name, value);
        Ok(())
    }

    /// Appends a parameter that the service defines as an unsigned integer.
    pub fn push_integer(&mut self, name: &'static str, value: &str) -> Result<(), DecodeError> {
        let number = parse_unsigned(value, name)
            .map_err(|_invalid| DecodeError::parameter(name, "an unsigned integer"))?;
        self.name(name);
        // Writing to a `String` does not fail.
        _ = write!(self.text, "{number}");
        Ok(())
    }

    /// Appends a parameter whose value is a list. In JSON, the list is an array in every style.
    pub fn push_list(
        &mut self,
        name: &'static str,
        style: ListStyle,
        items: Items,
        values: impl IntoIterator<Item = String>,
    ) -> Result<(), DecodeError> {
        let values: Vec<_> = values.into_iter().collect();
        let is_json = self.is_json();
        for value in &values {
            let expected = match style.separator() {
                _ if value.is_empty() => "non-empty texts",
                _ if items == Items::Digits && parse_unsigned(value, name).is_err() => {
                    "unsigned integers"
                }
                Some(separator) if !is_json && value.contains(separator) => {
                    "values without the separator of the list"
                }
                _ => continue,
            };
            return Err(DecodeError::parameter(name, expected));
        }
        if is_json {
            self.name(name);
            for (index, value) in values.iter().enumerate() {
                self.text.push(if index == 0 { '[' } else { ',' });
                match items {
                    Items::Text => self.value(value),
                    Items::Digits | Items::Literal => self.text.push_str(value),
                }
            }
            self.text.push_str(if values.is_empty() { "[]" } else { "]" });
            return Ok(());
        }
        if values.is_empty() {
            return Err(DecodeError::parameter(name, "a non-empty list"));
        }
        for (name, value) in style.pairs(name, values) {
            self.push(&name, &value);
        }
        Ok(())
    }

    /// Returns the complete query.
    #[must_use]
    pub fn finish(mut self) -> Query {
        if self.is_json() {
            if self.text.len() == self.start {
                self.text.push('{');
            }
            self.text.push('}');
        }
        Query::new(self.text, self.query, self.post)
    }
}

fn json_string(out: &mut String, text: &str) {
    // A string always serializes.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Percent-encodes everything except the unreserved characters of RFC 3986 and those that `keep` accepts.
fn encode(out: &mut String, text: &str, keep: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || keep(byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a `String` does not fail.
            _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Initial capacity of a query, in bytes. Most queries fit, so building one allocates only once.
const CAPACITY: usize = 128;
