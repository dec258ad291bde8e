//! Sort order of records, for `--sort`.

use std::cmp::Ordering;

/// A field to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) path: String,
    descending: bool,
}

impl Sort {
    /// Parses `FIELD`, or `-FIELD` for descending order.
    pub(crate) fn parse(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(path) => Self { path: path.to_owned(), descending: true },
            None => Self { path: text.to_owned(), descending: false },
        }
    }

    /// Compares two values of this field. Empty values sort last in both directions.
    pub(crate) fn compare(&self, one: &Key, other: &Key) -> Ordering {
        let ordering = one.cmp(other);
        let empty = matches!(one, Key::Empty) || matches!(other, Key::Empty);
        if self.descending && !empty { ordering.reverse() } else { ordering }
    }
}

/// A sort key: numbers by value, then text by its characters, then empty values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Number(Number),
    Text(String),
    Empty,
}

impl Key {
    /// Creates the key of a cell.
    pub(crate) fn of(cell: &str) -> Self {
        match Number::parse(cell) {
            _ if cell.is_empty() => Self::Empty,
            Some(number) => Self::Number(number),
            None => Self::Text(cell.to_owned()),
        }
    }
}

/// A decimal number of any size: `0.digits` times ten to the power of `magnitude`. `digits` is empty for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    magnitude: i64,
    digits: String,
}

impl Number {
    /// Parses a JSON number, such as `-12.50` or `1e9`. Leading zeros are allowed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (decimal, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((decimal, exponent)) => (decimal, exponent.parse().ok()?),
            None => (unsigned, 0_i64),
        };
        let (whole, part) = decimal.split_once('.').unwrap_or((decimal, "0"));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(part) {
            return None;
        }
        let all = format!("{whole}{part}");
        let digits = all.trim_start_matches('0');
        let point =
            i64::try_from(whole.len()).ok()? - i64::try_from(all.len() - digits.len()).ok()?;
        let digits = digits.trim_end_matches('0').to_owned();
        let zero = digits.is_empty();
        let magnitude = if zero { i64::MIN } else { point.saturating_add(exponent) };
        Some(Self { negative: !zero && text.starts_with('-'), magnitude, digits })
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = || (self.magnitude, &self.digits).cmp(&(other.magnitude, &other.digits));
        match (self.negative, other.negative) {
            (false, false) => size(),
            (true, true) => size().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::{Key, Sort};

    /// Sorts cells that are separated by spaces.
    #[track_caller]
    fn check(field: &str, cells: &str, expected: &str) {
        let sort = Sort::parse(field);
        let mut keys: Vec<&str> = cells.split(' ').collect();
        keys.sort_by(|one, other| sort.compare(&Key::of(one), &Key::of(other)));
        assert_eq!(keys.join(" "), expected);
    }

    #[test]
    fn numbers_sort_by_value() {
        check("n", "9.5 10.5 -3 2  b", "-3 2 9.5 10.5 b ");
        check("-n", "9.5 10.5 -3 2  b", "b 10.5 9.5 2 -3 ");
        check("n", "10 9 1e1 0.5e2 -1e-3 -1 0", "-1 -1e-3 0 9 10 1e1 0.5e2");
        check(
            "n",
            "100000000000000000000000000000.1 100000000000000000000000000000.01",
            "100000000000000000000000000000.01 100000000000000000000000000000.1",
        );
        check("n", "0.05 0.5 0.049", "0.049 0.05 0.5");
        check("n", "b a +40 1.2.3 1. e5 B", "+40 1. 1.2.3 B a b e5");
        let equal = |one, other| Key::of(one).cmp(&Key::of(other)) == Ordering::Equal;
        assert!(equal("010", "10") && equal("-0", "0.00") && equal("1.50", "15e-1"));
    }

    proptest! {
        #[test]
        fn small_numbers_sort_like_machine_integers(one in -999_999..999_999_i32, other in -999_999..999_999_i32) {
            let cell = |number: i32| (f64::from(number) / 1000.0).to_string();
            prop_assert_eq!(Key::of(&cell(one)).cmp(&Key::of(&cell(other))), one.cmp(&other));
        }
    }
}
