//! Decodes a query string strictly into pairs of names and values.

use std::borrow::Cow;

/// The decoded pairs of a query string, in their order.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// The query string has an invalid percent escape or does not decode to UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A parameter is given with two different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated;

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

    /// Returns the value of a parameter. The same value may be given more than once.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Repeated> {
        let mut values = self.0.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_ref());
        let first = values.next();
        if values.any(|other| Some(other) != first) {
            return Err(Repeated);
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
    // Any text is a valid value. One with a control character just matches nothing in the database.
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_error| Malformed)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, name: &str, expected: Result<Option<&str>, Repeated>) {
        assert_eq!(Pairs::parse(query).unwrap().get(name), expected);
    }

    #[test]
    fn pairs_are_decoded_as_forms_encode_them() {
        check("", "a", Ok(None));
        check("a=1&b=2", "b", Ok(Some("2")));
        check("a", "a", Ok(Some("")));
        check("a=", "a", Ok(Some("")));
        check("a=b=c", "a", Ok(Some("b=c")));
        check("&&a=1&&", "a", Ok(Some("1")));
        check("a=1&a=1", "a", Ok(Some("1")));
        check("a=1&a=2", "a", Err(Repeated));
        check("a=1&%61=2", "a", Err(Repeated));
        check("method=candidates%2Flist", "method", Ok(Some("candidates/list")));
        check("s=a+b%20c%2B", "s", Ok(Some("a b c+")));
        check("s=%C3%AE", "s", Ok(Some("î")));
        check("a;b=1", "a;b", Ok(Some("1")));
        check("s=%00%0A%7F%C2%98", "s", Ok(Some("\0\n\u{7f}\u{98}")));
    }

    #[test]
    fn a_bad_escape_or_other_bytes_than_utf_8_are_malformed() {
        for query in ["a=%", "a=%2", "a=%zz", "a=%ff", "%ff=1", "a=%C0%AF", "a=%ED%A0%80"] {
            assert_eq!(Pairs::parse(query).unwrap_err(), Malformed, "{query}");
        }
    }
}
