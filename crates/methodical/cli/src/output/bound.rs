//! The dates and numbers that a cell is compared with, for filters such as `date>=2026-11-30`.

use std::cmp::Ordering;

use methodical_client::model::Civil;

use crate::output::sort::Number;

/// A date or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A civil date, with or without a time: `YYYY-MM-DD HH:MM:SS`, or the beginning of it, at least the year.
    Date(String),
    /// A decimal number of any size.
    Number(Number),
}

impl Bound {
    /// Parses a number, or `YYYY-MM`, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Number::parse(text).map(Self::Number).or_else(|| Self::date(text))
    }

    /// Parses a year, a month, or a date with or without a time.
    pub(crate) fn date(text: &str) -> Option<Self> {
        let rest = match text.len() {
            YEAR => "-01-01",
            MONTH => "-01",
            _ => "",
        };
        let mut date = civil(&format!("{text}{rest}"))?;
        // A text that is longer has a fraction or a time zone, which could not be compared.
        (text.len() <= date.len()).then(|| date.truncate(text.len()))?;
        Some(Self::Date(date))
    }

    /// Compares a cell with this; `None` if the cell has no date or no number.
    ///
    /// Dates are compared as precisely as the bound is given: every time of a day equals its date, and its month. A time zone in the cell is
    /// ignored. Numbers are compared by their exact values.
    pub(crate) fn compare(&self, cell: &str) -> Option<Ordering> {
        match self {
            Self::Date(date) => civil(cell)?.get(..date.len()).map(|start| start.cmp(date)),
            Self::Number(number) => Number::parse(cell).map(|cell| cell.cmp(number)),
        }
    }

    /// Returns the kind of value, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Date(_) => "a date",
            Self::Number(_) => "a number",
        }
    }
}

/// Returns the date and time at the start of a text, as `YYYY-MM-DD HH:MM:SS`.
fn civil(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked(DATE.len())?;
    let time = match rest.strip_prefix([' ', 'T']) {
        None => rest.is_empty().then_some(MIDNIGHT.to_owned())?,
        Some(minutes) if minutes.len() == MINUTES.len() => format!("{minutes}:00"),
        Some(time) => time.get(..MIDNIGHT.len())?.to_owned(),
    };
    let text = format!("{date} {time}");
    text.parse::<Civil>().is_ok().then_some(text)
}

const DATE: &str = "YYYY-MM-DD";

const YEAR: usize = "YYYY".len();

const MONTH: usize = "YYYY-MM".len();

const MINUTES: &str = "HH:MM";

const MIDNIGHT: &str = "00:00:00";

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::Bound;

    #[test]
    fn dates_are_compared_as_precisely_as_the_bound_is_given() {
        let check = |bound, cell, expected| {
            assert_eq!(Bound::parse(bound).unwrap().compare(cell), expected, "{cell} {bound}");
        };
        check("2026-11-01", "2026-11-01 23:59:59", Some(Equal));
        check("2026-11-01", "2026-11-01", Some(Equal));
        check("2026-11-01", "2026-10-31 23:59:59", Some(Less));
        check("2026-11-01", "2026-11-02T00:00:00.5+02:00", Some(Greater));
        check("2026-11-01 09:30", "2026-11-01 09:30:59", Some(Equal));
        check("2026-11-01T09:30:00", "2026-11-01 09:30:01", Some(Greater));
        check("2026-11-01 00:00", "2026-11-01", Some(Equal));
        check("2026-11", "2026-11-30 23:59:59", Some(Equal));
        check("2026-11", "2026-12-01", Some(Greater));
        check("2026-11", "2026-10-31", Some(Less));
        assert_eq!(Bound::date("2026").unwrap().compare("2026-11-01"), Some(Equal));
        for other in ["", "2026", "0000-00-00 00:00:00", "2026-02-30", "2026-11-01x", "é026-11-01"]
        {
            check("2026-11-01", other, None);
        }
    }

    #[test]
    fn numbers_are_compared_by_their_exact_values() {
        let compare = |bound, cell| Bound::parse(bound).unwrap().compare(cell);
        assert_eq!(compare("0.1", "0.10"), Some(Equal));
        assert_eq!(compare("100000000000000000000.01", "100000000000000000000.011"), Some(Greater));
        assert_eq!(compare("-2", "-10"), Some(Less));
        assert_eq!((compare("5", "five"), compare("5", "")), (None, None));
    }

    #[test]
    fn a_bound_is_a_date_that_exists_or_a_number() {
        for text in ["2026-02-30", "2026-13", "2026-11-01 9:30", "2026-11-01T09:30:00Z", "x", ""] {
            assert_eq!(Bound::parse(text), None, "{text}");
        }
        for text in ["20261101", "202", "2026-", "2026-1", "2026-11-", "2026-11-0", "é026"] {
            assert_eq!(Bound::date(text), None, "{text}");
        }
    }
}
