//! JSON objects, split into the text of each member; the meaning of a value, which is equal for values that mean the
//! same; and a builder of JSON objects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// The members of a JSON object: the JSON text of each value, by name. If a name occurs several times, the last member
/// wins.
pub(crate) type Members<'a> = BTreeMap<Cow<'a, str>, &'a str>;

pub(crate) fn members(object: &str) -> Result<Members<'_>, Error> {
    let members: BTreeMap<Text<'_>, &RawValue> = serde_json::from_str(object).map_err(invalid)?;
    Ok(members.into_iter().map(|(Text(name), value)| (name, value.get())).collect())
}

/// A string, borrowed if it has no escapes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

pub(crate) fn unquoted(json: &str) -> Result<Cow<'_, str>, Error> {
    Ok(serde_json::from_str::<Text<'_>>(json).map_err(invalid)?.0)
}

/// Keeps only the position, because serde's message may quote the data.
#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn invalid(error: serde_json::Error) -> Error {
    let text = format!(
        "cannot read a record: its JSON is invalid at line {} column {}",
        error.line(),
        error.column()
    );
    Error::new(ErrorKind::Record, text)
}

/// Appends the value of a JSON number: its significant digits and a decimal exponent, so that `1`, `1.0` and `10e-1` are the
/// same. An exponent that does not fit 64 bits is compared by its spelling.
fn write_number(text: &str, out: &mut String) {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (decimal, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits: Cow<'_, str> = match fraction {
        "" => whole.into(),
        _ => [whole, fraction].concat().into(),
    };
    let leading = digits.trim_start_matches('0');
    let significant = leading.trim_end_matches('0');
    if significant.is_empty() {
        out.push('0');
        return;
    }
    let zeros = leading.len() - significant.len();
    let exponent = exponent.parse::<i64>().ok().and_then(|exponent| {
        exponent.checked_sub(length(fraction.len())?)?.checked_add(length(zeros)?)
    });
    match exponent {
        Some(exponent) => out.extend([sign, significant, "e", &exponent.to_string()]),
        None => out.push_str(text),
    }
}

fn length(bytes: usize) -> Option<i64> {
    i64::try_from(bytes).ok()
}

pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(&mut json, text);
    json
}

pub(crate) fn push_quoted(json: &mut String, text: &str) {
    // Without an early end, the compiler compares many bytes in one step.
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if text.bytes().fold(false, |found, byte| found | is_special(byte)) {
        json.push_str(&serde_json::Value::from(text).to_string());
    } else {
        json.push('"');
        json.push_str(text);
        json.push('"');
    }
}

/// A JSON object under construction.
#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes))
    }

    /// Appends a member. The value is JSON text.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.push_with(name, |json| json.push_str(value));
    }

    /// Appends a member, whose value is written as JSON text.
    pub(crate) fn push_with(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_quoted(&mut self.0, name);
        self.0.push(':');
        write(&mut self.0);
    }

    /// Appends members, whose values are JSON text.
    pub(crate) fn extend(&mut self, members: &Members<'_>) {
        for (name, value) in members {
            self.push(name, value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}

/// Maximum nesting of a value, in levels. The decoders accept one level less.
pub(crate) const MAX_DEPTH: usize = 128;

/// Returns the meaning of a JSON value: text that is equal for values that mean the same.
///
/// Whitespace, the order of fields, escapes in strings, and spellings of numbers are ignored. The order of list items
/// is not.
///
/// # Errors
///
/// The value is invalid, or nested too deeply.
pub(crate) fn meaning(value: &str) -> Result<String, Error> {
    let mut out = String::new();
    write_meaning(value, &mut out, MAX_DEPTH)?;
    Ok(out)
}

/// Appends the meaning of a value with at most this many levels.
fn write_meaning(value: &str, out: &mut String, depth: usize) -> Result<(), Error> {
    let Some(depth) = depth.checked_sub(1) else {
        let text = format!("cannot read a record: it is nested deeper than {MAX_DEPTH} levels");
        return Err(Error::new(ErrorKind::Record, text));
    };
    match value.bytes().next() {
        Some(b'n' | b't' | b'f') => out.push_str(value),
        Some(b'"') => push_quoted(out, &unquoted(value)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(value).map_err(invalid)?;
            out.push('[');
            for item in items {
                write_meaning(item.get(), out, depth)?;
                out.push(',');
            }
            out.push(']');
        }
        Some(b'{') => {
            out.push('{');
            for (name, value) in members(value)? {
                push_quoted(out, &name);
                write_meaning(value, out, depth)?;
                out.push(',');
            }
            out.push('}');
        }
        _ => write_number(value, out),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::meaning as read;

    fn meaning(text: &str) -> String {
        read(text).unwrap()
    }

    #[test]
    fn spellings_of_the_same_number_are_equal() {
        for spellings in [
            &["1", "1.0", "10e-1", "0.1E+1", "1.000"][..],
            &["0", "-0", "0.0", "0e99999999999999999999"],
            &["-120", "-1.2e2", "-12E1"],
            &["1e400", "10e399"],
            &["123456789012345678901234567890", "123456789012345678901234567890.0"],
        ] {
            for one in spellings {
                assert_eq!(meaning(one), meaning(spellings[0]), "{one}");
            }
        }
    }

    #[test]
    fn other_numbers_differ() {
        for (one, other) in [
            ("1", "-1"),
            ("1", "10"),
            ("1", "0.1"),
            ("0.30000000000000004", "0.3"),
            ("9007199254740993", "9007199254740992"),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert_ne!(meaning(one), meaning(other), "{one} {other}");
        }
    }

    #[test]
    fn other_spellings_are_equal_and_other_values_differ() {
        let one = meaning(r#"{"a":1,"b":[true,null],"c":"A/é"}"#);
        assert_eq!(meaning(r#"{ "c": "\u0041\/é", "b": [ true , null ], "a": 1.0 }"#), one);
        assert_eq!(meaning(r#"{"a":1,"a":2}"#), meaning(r#"{"a":2}"#));
        let values = r#"null false 0 "" "0" [] {} [null] {"a":null} ["a","b"] ["b","a"] ["ab"]"#;
        let values: Vec<String> = values.split(' ').map(meaning).collect();
        for (index, one) in values.iter().enumerate() {
            assert_eq!(values.iter().position(|other| other == one), Some(index));
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let object = |depth| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(read(&nested(127)).is_ok() && read(&object(127)).is_ok());
        for text in [nested(129), object(129), object(100_000)] {
            let error = read(&text).unwrap_err().to_string();
            assert_eq!(error, "cannot read a record: it is nested deeper than 128 levels");
        }
    }
}
