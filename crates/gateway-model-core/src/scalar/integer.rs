//! Unsigned integers as text.

use crate::Error;

/// Parses decimal digits only; `str::parse` would accept a leading `+` too. `name` is the name of the
/// scalar.
///
/// # Errors
///
/// [`ErrorKind::Parameter`](crate::ErrorKind::Parameter) if the text is not a decimal number, or
/// exceeds 64 bits.
pub fn parse(text: &str, name: &str) -> Result<u64, Error> {
    let number =
        if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None };
    number.ok_or_else(|| Error::parameter(name, "an unsigned integer"))
}
