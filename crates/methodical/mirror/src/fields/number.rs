//! Numbers by their value, however they are spelled.

use std::borrow::Cow;

/// Appends the value of a JSON number: its significant digits and a decimal exponent, so that `1`, `1.0` and `10e-1` are the
/// same. An exponent that does not fit 64 bits is compared by its spelling.
pub(crate) fn write(text: &str, out: &mut Vec<u8>) {
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
        out.push(b'0');
        return;
    }
    let zeros = leading.len() - significant.len();
    let exponent = exponent.parse::<i64>().ok().and_then(|exponent| {
        exponent.checked_sub(length(fraction.len())?)?.checked_add(length(zeros)?)
    });
    match exponent {
        Some(exponent) => {
            out.extend_from_slice(sign.as_bytes());
            out.extend_from_slice(significant.as_bytes());
            out.push(b'e');
            out.extend_from_slice(exponent.to_string().as_bytes());
        }
        None => out.extend_from_slice(text.as_bytes()),
    }
}

fn length(bytes: usize) -> Option<i64> {
    i64::try_from(bytes).ok()
}

/// Returns whether two JSON numbers have the same value.
pub(crate) fn equal(one: &str, other: &str) -> bool {
    let value = |text| {
        let mut out = Vec::new();
        write(text, &mut out);
        out
    };
    value(one) == value(other)
}

#[cfg(test)]
mod tests {
    use super::equal;

    #[test]
    fn spellings_of_the_same_value_are_equal() {
        for spellings in [
            &["1", "1.0", "10e-1", "0.1E+1", "1.000"][..],
            &["0", "-0", "0.0", "0e99999999999999999999"],
            &["-120", "-1.2e2", "-12E1"],
            &["1e400", "10e399"],
            &["123456789012345678901234567890", "123456789012345678901234567890.0"],
        ] {
            for one in spellings {
                assert!(equal(one, spellings[0]), "{one}");
            }
        }
    }

    #[test]
    fn other_values_differ() {
        for (one, other) in [
            ("1", "-1"),
            ("1", "10"),
            ("1", "0.1"),
            ("0.30000000000000004", "0.3"),
            ("9007199254740993", "9007199254740992"),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }
}
