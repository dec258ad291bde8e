//! Queries: the text after the `?`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{Error, service};

/// Type state of a query: the parameter is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Set;

/// Type state of a query: the parameter is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Unset;

/// Whether a parameter is set, as a constant of the type state.
#[cfg(any(feature = "arbitrary", feature = "proptest"))]
pub(crate) trait State: fmt::Debug + 'static {
    const GIVEN: bool;
}

#[cfg(any(feature = "arbitrary", feature = "proptest"))]
impl State for Set {
    const GIVEN: bool = true;
}

#[cfg(any(feature = "arbitrary", feature = "proptest"))]
impl State for Unset {
    const GIVEN: bool = false;
}

/// Carries the type states of a query. A function type is always `Send` and `Sync`.
pub(crate) type Given<T> = core::marker::PhantomData<fn() -> T>;

/// The query of one call, percent-encoded and without the `?`.
///
/// It contains only unreserved characters of RFC 3986, `%XX`, `&`, `=`, and the constant that selects
/// the operation, verbatim (section 4 of the contract). `Debug` shows the names of the parameters but
/// not their values, which may be personal.
///
/// # Examples
///
/// ```
/// use gateway_model::{ListVacancies, Operation as _};
///
/// assert_eq!(ListVacancies::new().query()?.as_str(), "method=vacancies/list");
/// # Ok::<(), gateway_model::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Query(String);

impl Query {
    /// Creates a query that selects the operation `method`. A `/` is not encoded, as in the contract.
    pub(crate) fn select(method: &str) -> Self {
        let mut text = String::with_capacity(CAPACITY);
        text.push_str(service::SELECTOR);
        text.push('=');
        encode(&mut text, method, |byte| byte == b'/');
        Self(text)
    }

    /// Appends a parameter whose value is text.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.push('&');
        encode(&mut self.0, name, |_| false);
        self.0.push('=');
        encode(&mut self.0, value, |_| false);
    }

    /// Appends a parameter whose value must not be empty: the contract does not define `name=`.
    pub(crate) fn push_text(&mut self, name: &'static str, value: &str) -> Result<(), Error> {
        if value.is_empty() {
            return Err(Error::parameter(name, "non-empty text"));
        }
        self.push(name, value);
        Ok(())
    }

    /// Appends a parameter that the service defines as an unsigned integer.
    pub(crate) fn push_integer(&mut self, name: &'static str, value: &str) -> Result<(), Error> {
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        match value.parse::<u64>() {
            Ok(number) if digits => {
                self.0.push('&');
                self.0.push_str(name);
                self.0.push('=');
                push_number(&mut self.0, number);
                Ok(())
            }
            _ => Err(Error::parameter(name, "an unsigned integer")),
        }
    }

    /// Returns the encoded query, without a leading `?`.
    ///
    /// ```
    /// use gateway_model::{GetCredits, Operation as _};
    ///
    /// assert_eq!(GetCredits::new().query()?.as_str(), "method=credits/get");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text without copying it.
    ///
    /// ```
    /// use gateway_model::{GetCredits, Operation as _};
    ///
    /// assert_eq!(GetCredits::new().query()?.into_string(), "method=credits/get");
    /// # Ok::<(), gateway_model::Error>(())
    /// ```
    pub fn into_string(self) -> String {
        self.0
    }
}

impl AsRef<str> for Query {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<Query> for String {
    fn from(query: Query) -> Self {
        query.0
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Shows only the names of the parameters: values may be personal.
impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let method = pairs.next().map_or("", |(_, method)| method);
        let names: Vec<&str> = pairs.map(|(name, _)| name).collect();
        f.debug_struct("Query").field("method", &method).field("names", &names).finish()
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
