//! Strict decoding of query strings, and strict parsers of single parameters.

use std::borrow::Cow;

/// A parameter of the contract.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Maximum length of text, in characters.
    pub(crate) max_chars: usize,
}

/// The decoded pairs of a query string, in order.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// The query string has an invalid percent escape or does not decode to UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl<'a> Pairs<'a> {
    /// Decodes a query string as forms encode it: `+` is a space, and `%2F` is a slash.
    pub(crate) fn parse(query: &'a str) -> Result<Self, Malformed> {
        let mut pairs = Vec::new();
        for piece in query.split('&').filter(|piece| !piece.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            pairs.push((decode(name)?, decode(value)?));
        }
        Ok(Self(pairs))
    }

    /// Returns the value of a parameter. A parameter may be repeated with the same value.
    pub(crate) fn get(&self, parameter: &'static str) -> Result<Option<&str>, Problem> {
        let own = self.0.iter().filter(|(name, _)| name == parameter);
        let mut values = own.map(|(_, value)| value.as_ref());
        let first = values.next();
        if values.any(|other| Some(other) != first) {
            return Err(Problem { parameter, fault: Fault::Repeated });
        }
        Ok(first)
    }

    /// Returns whether the parameter is given, with any value.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(n, _)| n == name)
    }
}

fn decode(text: &str) -> Result<Cow<'_, str>, Malformed> {
    // Raw control characters cannot occur here, because the request line does not allow them.
    if !text.contains(['%', '+']) {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let high = rest.next().and_then(hexadecimal).ok_or(Malformed)?;
                let low = rest.next().and_then(hexadecimal).ok_or(Malformed)?;
                high << 4 | low
            }
            other => other,
        });
    }
    // Any text is a valid value. Text with a control character simply matches nothing in the database.
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_error| Malformed)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// A refused parameter and the reason for refusing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) parameter: &'static str,
    pub(crate) fault: Fault,
}

/// The reason for refusing a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is given more than once, with different values.
    Repeated,
    /// Its value is empty. Ignoring an empty filter would disclose data by accident.
    Empty,
    /// It has the wrong type, is too long, or is out of range.
    Invalid,
    /// It is missing, but the operation requires it.
    #[expect(dead_code, reason = "no operation requires a parameter so far")]
    Missing,
}

/// Reads non-empty text.
pub(crate) fn text(pairs: &Pairs<'_>, parameter: &Parameter) -> Result<Option<String>, Problem> {
    let Some(text) = value(pairs, parameter)? else { return Ok(None) };
    if text.chars().nth(parameter.max_chars).is_some() {
        return Err(Problem { parameter: parameter.name, fault: Fault::Invalid });
    }
    Ok(Some(text.to_owned()))
}

/// Reads an unsigned integer: decimal digits without sign, whitespace or leading zero.
///
/// An integer that does not fit into 64 bits is valid, but no record has it. It is read as the largest integer.
pub(crate) fn integer(pairs: &Pairs<'_>, parameter: &Parameter) -> Result<Option<u64>, Problem> {
    let Some(digits) = value(pairs, parameter)? else { return Ok(None) };
    if !is_canonical(digits) {
        return Err(Problem { parameter: parameter.name, fault: Fault::Invalid });
    }
    Ok(Some(digits.parse().unwrap_or(u64::MAX)))
}

fn is_canonical(digits: &str) -> bool {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    !digits.is_empty() && !leading_zero && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn value<'p>(pairs: &'p Pairs<'_>, parameter: &Parameter) -> Result<Option<&'p str>, Problem> {
    match pairs.get(parameter.name)? {
        Some("") => Err(Problem { parameter: parameter.name, fault: Fault::Empty }),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Result<Option<u64>, Fault>) {
        let pairs = Pairs::parse(query).unwrap();
        let read = integer(&pairs, &Parameter { name: "n", max_chars: usize::MAX });
        assert_eq!(read.map_err(|problem| problem.fault), expected, "{query}");
    }

    #[test]
    fn an_integer_has_only_decimal_digits() {
        check("", Ok(None));
        check("n=0", Ok(Some(0)));
        check("n=18446744073709551615", Ok(Some(u64::MAX)));
        check("n=18446744073709551616", Ok(Some(u64::MAX)));
        check("n=7&n=7", Ok(Some(7)));
        check("n=7&n=8", Err(Fault::Repeated));
        check("n=", Err(Fault::Empty));
        for bad in ["-1", "%2B1", "+1", "1.0", "0x1", "01", "1e3", "%C2%B2", "%D9%A1", "abc"] {
            check(&format!("n={bad}"), Err(Fault::Invalid));
        }
    }

    #[track_caller]
    fn check_pair(query: &str, name: &'static str, expected: Result<Option<&str>, Fault>) {
        let pairs = Pairs::parse(query).unwrap();
        assert_eq!(pairs.get(name).map_err(|problem| problem.fault), expected);
    }

    #[test]
    fn pairs_are_decoded_as_forms_encode_them() {
        check_pair("", "a", Ok(None));
        check_pair("a=1&b=2", "b", Ok(Some("2")));
        check_pair("a", "a", Ok(Some("")));
        check_pair("a=", "a", Ok(Some("")));
        check_pair("a=b=c", "a", Ok(Some("b=c")));
        check_pair("&&a=1&&", "a", Ok(Some("1")));
        check_pair("a=1&a=1", "a", Ok(Some("1")));
        check_pair("a=1&a=2", "a", Err(Fault::Repeated));
        check_pair("a=1&%61=2", "a", Err(Fault::Repeated));
        check_pair("method=candidates%2Flist", "method", Ok(Some("candidates/list")));
        check_pair("s=a+b%20c%2B", "s", Ok(Some("a b c+")));
        check_pair("s=%C3%AE", "s", Ok(Some("î")));
        check_pair("a;b=1", "a;b", Ok(Some("1")));
        check_pair("s=%00%0A%7F%C2%98", "s", Ok(Some("\0\n\u{7f}\u{98}")));
    }

    #[test]
    fn a_bad_escape_or_other_bytes_than_utf_8_are_malformed() {
        for query in ["a=%", "a=%2", "a=%zz", "a=%ff", "%ff=1", "a=%C0%AF", "a=%ED%A0%80"] {
            assert_eq!(Pairs::parse(query).unwrap_err(), Malformed, "{query}");
        }
    }
}
