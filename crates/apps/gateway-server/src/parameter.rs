//! Strict readers of one query parameter, used by the generated code.

#![expect(
    clippy::allow_attributes,
    reason = "an `expect` would be an error after a change of the spec"
)]

use std::ops::RangeInclusive;

pub(crate) use crate::fields::Float;
use crate::query::Pairs;

/// A refused parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The name of the parameter.
    pub(crate) parameter: &'static str,
    /// Why it is refused.
    pub(crate) fault: Fault,
}

/// The reason for refusing a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is given more than once, with different values.
    Repeated,
    /// Its value is empty. Ignoring an empty filter would disclose data by accident.
    Empty,
    /// It is not an integer in plain decimal digits.
    NotAnInteger,
    /// It is not a number.
    #[allow(dead_code, reason = "unused if the spec has no parameter of this kind")]
    NotANumber,
    /// It has more characters than the service accepts.
    TooLong,
    /// It is a number outside the range that the service accepts.
    OutOfRange,
    /// It is not one of the listed values.
    NotListed,
    /// It is missing, but the operation requires it.
    #[allow(dead_code, reason = "unused if the spec has no parameter of this kind")]
    Missing,
}

/// Reads a text of at least one and at most `longest` characters.
pub(crate) fn text(
    pairs: &Pairs<'_>,
    parameter: &'static str,
    longest: Option<usize>,
) -> Result<Option<String>, Problem> {
    let Some(text) = value(pairs, parameter)? else { return Ok(None) };
    if longest.is_some_and(|longest| text.chars().nth(longest).is_some()) {
        return Err(Problem { parameter, fault: Fault::TooLong });
    }
    Ok(Some(text.to_owned()))
}

/// Reads one of the listed texts.
#[allow(dead_code, reason = "unused if the spec has no parameter of this kind")]
pub(crate) fn listed(
    pairs: &Pairs<'_>,
    parameter: &'static str,
    texts: &[&str],
) -> Result<Option<String>, Problem> {
    let Some(text) = value(pairs, parameter)? else { return Ok(None) };
    if !texts.contains(&text) {
        return Err(Problem { parameter, fault: Fault::NotListed });
    }
    Ok(Some(text.to_owned()))
}

/// Reads an integer in this range: decimal digits, optionally after `-`.
#[allow(dead_code, reason = "unused if the spec has no parameter of this kind")]
pub(crate) fn between(
    pairs: &Pairs<'_>,
    parameter: &'static str,
    range: RangeInclusive<i64>,
) -> Result<Option<i64>, Problem> {
    let Some(text) = value(pairs, parameter)? else { return Ok(None) };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !is_canonical(digits) || text == "-0" {
        return Err(Problem { parameter, fault: Fault::NotAnInteger });
    }
    // A number that does not fit into 64 bits is outside every range.
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.map(Some).ok_or(Problem { parameter, fault: Fault::OutOfRange })
}

/// Reads an unsigned integer: decimal digits without sign, whitespace or leading zero.
///
/// An integer that does not fit into 64 bits is valid, but no record has it. It reads as the largest integer.
pub(crate) fn integer(pairs: &Pairs<'_>, parameter: &'static str) -> Result<Option<u64>, Problem> {
    let Some(digits) = value(pairs, parameter)? else { return Ok(None) };
    if !is_canonical(digits) {
        return Err(Problem { parameter, fault: Fault::NotAnInteger });
    }
    Ok(Some(digits.parse().unwrap_or(u64::MAX)))
}

/// Reads a number.
#[allow(dead_code, reason = "unused if the spec has no parameter of this kind")]
pub(crate) fn float(pairs: &Pairs<'_>, parameter: &'static str) -> Result<Option<Float>, Problem> {
    let Some(text) = value(pairs, parameter)? else { return Ok(None) };
    let number =
        text.parse().map_err(|_refused| Problem { parameter, fault: Fault::NotANumber })?;
    Ok(Some(number))
}

fn is_canonical(digits: &str) -> bool {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    !digits.is_empty() && !leading_zero && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn value<'p>(pairs: &'p Pairs<'_>, parameter: &'static str) -> Result<Option<&'p str>, Problem> {
    match pairs.get(parameter) {
        Err(_repeated) => Err(Problem { parameter, fault: Fault::Repeated }),
        Ok(Some("")) => Err(Problem { parameter, fault: Fault::Empty }),
        Ok(value) => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Result<Option<u64>, Fault>) {
        let pairs = Pairs::parse(query).unwrap();
        assert_eq!(integer(&pairs, "n").map_err(|problem| problem.fault), expected, "{query}");
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
            check(&format!("n={bad}"), Err(Fault::NotAnInteger));
        }
    }

    #[test]
    fn a_text_is_neither_empty_nor_too_long() {
        let check = |value: &str, expected: Result<&str, Fault>| {
            let query = format!("t={value}");
            let read = text(&Pairs::parse(&query).unwrap(), "t", Some(3));
            let expected = expected.map(|text| Some(text.to_owned()));
            assert_eq!(read.map_err(|problem| problem.fault), expected, "{value}");
        };
        check("ab", Ok("ab"));
        check("%C3%A9%C3%A9%C3%A9", Ok("ééé"));
        check("abcd", Err(Fault::TooLong));
        check("", Err(Fault::Empty));
    }
}
