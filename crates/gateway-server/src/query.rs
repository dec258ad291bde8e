//! Reading a query string: pairs of names and values, form-decoded, and nothing guessed.

use std::borrow::Cow;

/// The decoded pairs of a query string, in their order.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// A query string that is no list of UTF-8 pairs: a bad percent escape, or bytes that are no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The same parameter with two different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated;

impl<'a> Pairs<'a> {
    /// Decodes `+` and `%20` to a space and `%2F` to a slash, as forms do.
    pub(crate) fn parse(query: &'a str) -> Result<Self, Malformed> {
        let mut pairs = Vec::new();
        for piece in query.split('&').filter(|piece| !piece.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            pairs.push((decode(name)?, decode(value)?));
        }
        Ok(Self(pairs))
    }

    /// Returns the value of a parameter. Twice the same value is as good as once.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Repeated> {
        let mut values = self.0.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_ref());
        let first = values.next();
        if values.any(|other| Some(other) != first) {
            return Err(Repeated);
        }
        Ok(first)
    }

    /// Tells whether the parameter is there, with whatever value.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(n, _)| n == name)
    }
}

fn decode(text: &str) -> Result<Cow<'_, str>, Malformed> {
    // Raw control characters never get this far: the request line does not admit them.
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
    // Any text is a value: one with a control character in it only equals nothing that is stored.
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
    fn pairs() {
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
    fn malformed() {
        for query in ["a=%", "a=%2", "a=%zz", "a=%ff", "%ff=1", "a=%C0%AF", "a=%ED%A0%80"] {
            assert_eq!(Pairs::parse(query).unwrap_err(), Malformed, "{query}");
        }
    }
}
