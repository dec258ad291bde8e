//! The order of records: `--sort`.

use std::cmp::Ordering;

/// A field to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) path: String,
    descending: bool,
}

impl Sort {
    /// Reads `FIELD`, or `-FIELD` for the largest first.
    pub(crate) fn parse(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(path) => Self { path: path.to_owned(), descending: true },
            None => Self { path: text.to_owned(), descending: false },
        }
    }

    /// Compares two values of this field. What is empty comes last, whichever way the others stand.
    pub(crate) fn compare(&self, one: &Key, other: &Key) -> Ordering {
        let ordering = one.cmp(other);
        let empty = matches!(one, Key::Nothing) || matches!(other, Key::Nothing);
        if self.descending && !empty { ordering.reverse() } else { ordering }
    }
}

/// What a record is sorted by: numbers by their value, then text by its characters, then nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Number(Number),
    Text(String),
    Nothing,
}

impl Key {
    /// Takes what a person reads.
    pub(crate) fn of(cell: &str) -> Self {
        match Number::parse(cell) {
            _ if cell.is_empty() => Self::Nothing,
            Some(number) => Self::Number(number),
            None => Self::Text(cell.to_owned()),
        }
    }
}

/// A decimal number of any size: `0.digits` times ten to the power of `magnitude`. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    magnitude: i64,
    digits: String,
}

impl Number {
    /// Reads a number as JSON writes it, `-12.50` or `1e9`; zeros before it do not matter.
    fn parse(text: &str) -> Option<Self> {
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

    /// Sorts these cells, and returns them as one line.
    #[track_caller]
    fn check(field: &str, cells: &str, expected: &str) {
        let sort = Sort::parse(field);
        let mut keys: Vec<&str> = cells.split(' ').collect();
        keys.sort_by(|one, other| sort.compare(&Key::of(one), &Key::of(other)));
        assert_eq!(keys.join(" "), expected);
    }

    #[test]
    fn numbers_sort_as_numbers() {
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
        fn small_numbers_sort_as_the_machine_sorts_them(one in -999_999..999_999_i32, other in -999_999..999_999_i32) {
            let cell = |number: i32| (f64::from(number) / 1000.0).to_string();
            prop_assert_eq!(Key::of(&cell(one)).cmp(&Key::of(&cell(other))), one.cmp(&other));
        }
    }
}
