//! Selects and orders records and fields: `--filter`, `--since`, `--sort`, `--count-by`, `--limit` and `--fields`.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use methodical_mirror::folded;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::commands::Invocation;
use crate::failure::Failure;
use crate::output::printer::Schema;
use crate::output::record::{Cells, Path, date_time, one_line, text_of};

/// Filters, sorts, counts and limits records.
#[derive(Debug)]
pub(crate) struct Chooser {
    filters: Vec<Chosen>,
    sort: Vec<Sort>,
    /// With `--sort`: all records so far, with their sort keys.
    unsorted: Vec<(Vec<Key>, String)>,
    /// With `--count-by`: the groups that are printed instead of the records.
    pub(crate) groups: Option<Groups>,
    /// The number of records that may still be printed.
    left: u64,
}

/// A filter with the path of its field, and whether it has seen comparable and incomparable values.
#[derive(Debug)]
struct Chosen {
    path: Path,
    filter: Filter,
    compared: bool,
    other: bool,
}

impl Chooser {
    /// Checks the flags against the schema, and warns of unknown fields that records may have.
    pub(crate) fn new(invocation: &Invocation, schema: &Schema<'_>) -> Result<Self, Failure> {
        let flags = &invocation.output;
        if schema.single
            && let Some(flag) = flags.choice()
        {
            let text = format!("cannot use {flag}: the output is one object, not a list");
            return Err(Failure::usage(text));
        }
        let path = |name: &str| schema.check(name, invocation).map(|()| schema.path(name));
        let chosen = |filter: &Filter| {
            let (path, filter) = (path(&filter.path)?, filter.clone());
            Ok(Chosen { path, filter, compared: false, other: false })
        };
        let mut filters = flags.filter.iter().map(chosen).collect::<Result<Vec<_>, Failure>>()?;
        let sort = flags.sort.iter().flatten().map(|text| {
            let (name, descending) =
                text.strip_prefix('-').map_or((&**text, false), |name| (name, true));
            Ok(Sort { path: path(name)?, descending })
        });
        let sort = sort.collect::<Result<_, Failure>>()?;
        let groups = flags.count_by.as_deref().map(|text| {
            let (name, precision) = Groups::parse(text);
            Ok::<_, Failure>(Groups { precision, ..Groups::new(path(name)?) })
        });
        let groups = groups.transpose()?;
        if let Some(date) = &flags.since {
            filters.push(chosen(&schema.since(date)?)?);
        }
        let left = flags.limit.unwrap_or(u64::MAX);
        Ok(Self { filters, sort, unsorted: Vec::new(), groups, left })
    }

    /// Returns whether no further record can be printed.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0 && self.groups.is_none() && self.sort.is_empty()
    }

    /// Returns whether to print a record now. If not, the record may be kept for [`rest`](Self::rest).
    pub(crate) fn takes(&mut self, record: &str) -> bool {
        if !self.filters.is_empty() || !self.sort.is_empty() || self.groups.is_some() {
            let mut cells = Cells::read(record);
            for Chosen { path, filter, compared, other } in &mut self.filters {
                let cell = cells.cell(path);
                let accepts = filter.accepts(&cell);
                *compared |= accepts.is_some();
                *other |= accepts.is_none() && !cell.is_empty();
                if accepts != Some(true) {
                    return false;
                }
            }
            if let Some(groups) = &mut self.groups {
                groups.add(record);
                return false;
            }
            if !self.sort.is_empty() {
                let keys = self.sort.iter().map(|sort| Key::of(&cells.cell(&sort.path)));
                self.unsorted.push((keys.collect(), record.to_owned()));
                return false;
            }
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// Returns the records that are printed after the last one was received: sorted records, or groups.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        if let Some(groups) = self.groups.take() {
            return groups.into_records().take(limit).collect();
        }
        let mut records = std::mem::take(&mut self.unsorted);
        records.sort_by(|(one, _), (other, _)| {
            let keys = self.sort.iter().zip(one.iter().zip(other));
            let orderings = keys.map(|(sort, (one, other))| sort.compare(one, other));
            orderings.fold(Ordering::Equal, Ordering::then)
        });
        records.into_iter().take(limit).map(|(_, record)| record).collect()
    }

    /// Returns a warning for each filter that could compare no value of its field.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let useless = self.filters.iter().filter(|one| one.other && !one.compared);
        useless.map(|one| format!("no value of the field `{}` is {}", one.path, one.filter.kind()))
    }
}

/// The number of records with each value of a field. It keeps the values, not the records.
#[derive(Debug)]
pub(crate) struct Groups {
    path: Path,
    name: String,
    /// How many characters of a date are compared, such as 7 for its month; `None` for the whole value.
    precision: Option<usize>,
    /// The counts, by the value's JSON text.
    counts: HashMap<String, u64>,
}

impl Groups {
    /// Creates the groups of the field at a path, without records.
    pub(crate) fn new(path: Path) -> Self {
        Self { name: path.to_string(), path, precision: None, counts: HashMap::new() }
    }

    /// Parses `FIELD`, or `FIELD:month` for the months of a date; also `:year`, `:day` and `:hour`.
    fn parse(text: &str) -> (&str, Option<usize>) {
        let units = [(":year", 4), (":month", 7), (":day", 10), (":hour", 13)];
        let of = |(unit, length)| Some((text.strip_suffix(unit)?, Some(length)));
        units.into_iter().find_map(of).unwrap_or((text, None))
    }

    /// Returns the names of a group's fields: value, count and share.
    pub(crate) fn fields(&self) -> [&str; 3] {
        let free = |name, other| if self.name == name { other } else { name };
        [&self.name, free("count", "records"), free("percent", "share")]
    }

    /// Adds a record to the count of its value.
    pub(crate) fn add(&mut self, record: &str) {
        let value = match Cells::read(record).value(&self.path) {
            None => "null".to_owned(),
            // The same text may be escaped in several ways.
            json @ Some(text) if text.starts_with('"') => Value::from(text_of(json)).to_string(),
            Some(json) => one_line(json),
        };
        let start = self.precision.and_then(|length| value.get(1..=length));
        let value = start.map(|start| format!("\"{start}\"")).unwrap_or(value);
        *self.counts.entry(value).or_default() += 1;
    }

    /// Returns the groups as records, largest first, with ties by value. Parts of dates are in chronological order.
    pub(crate) fn into_records(self) -> impl Iterator<Item = String> {
        let [name, count, share] = self.fields().map(|name| Value::from(name).to_string());
        let total: u64 = self.counts.values().sum();
        let mut groups: Vec<_> = self.counts.into_iter().collect();
        groups.sort_by_cached_key(|(value, count)| {
            let rank = if self.precision.is_some() { 0 } else { *count };
            (Reverse(rank), Key::of(&text_of(Some(value))))
        });
        groups.into_iter().map(move |(value, number)| {
            // In tenths of a percent, rounded.
            let tenths =
                (u128::from(number) * 2000 + u128::from(total)) / (u128::from(total) * 2).max(1);
            let (whole, part) = (tenths / 10, tenths % 10);
            format!("{{{name}:{value},{count}:{number},{share}:{whole}.{part}}}")
        })
    }
}

/// A field to sort by.
#[derive(Debug)]
struct Sort {
    path: Path,
    descending: bool,
}

impl Sort {
    /// Compares two values of this field. Empty values sort last in both directions.
    fn compare(&self, one: &Key, other: &Key) -> Ordering {
        let ordering = one.cmp(other);
        let empty = matches!(one, Key::Empty) || matches!(other, Key::Empty);
        if self.descending && !empty { ordering.reverse() } else { ordering }
    }
}

/// A sort key: numbers by value, then text ignoring case, then empty values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(Decimal),
    /// The text with its case folded, as filters compare it, and the original text.
    Text(String, String),
    Empty,
}

impl Key {
    /// Creates a cell's sort key. Text sorts by its case-folded form first.
    fn of(cell: &str) -> Self {
        match number(cell) {
            _ if cell.is_empty() => Self::Empty,
            Some(number) => Self::Number(number),
            None => Self::Text(folded(cell), cell.to_owned()),
        }
    }
}

/// A filter that a record must match.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) path: String,
    operator: Operator,
    /// The text to compare with, ignoring case for [`Operator::Contains`].
    text: String,
    /// The text as a date or a number, if it is one. A date equals every time within its day or month.
    bound: Option<Bound>,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Equals,
    Differs,
    Contains,
    Compares(fn(Ordering) -> bool),
}

/// Longer operators come before their prefixes.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::Differs),
    ("<=", Operator::Compares(Ordering::is_le)),
    (">=", Operator::Compares(Ordering::is_ge)),
    ("=", Operator::Equals),
    ("~", Operator::Contains),
    ("<", Operator::Compares(Ordering::is_lt)),
    (">", Operator::Compares(Ordering::is_gt)),
];

impl Filter {
    /// Parses a field, an operator and a value.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let place = text.find(['=', '!', '~', '<', '>']).unwrap_or(text.len());
        let (path, rest) = text.split_at(place);
        let found =
            OPERATORS.iter().find_map(|(name, one)| Some((name, one, rest.strip_prefix(name)?)));
        let Some((name, &operator, value)) = found else {
            return Err("expected FIELD=TEXT (equals), FIELD!=TEXT (differs), FIELD~TEXT (contains), or FIELD with \
                        <, <=, > or >= and a date or number; quote it, such as 'date>=2026-11-30', because a shell reads < and >"
                .to_owned());
        };
        let (text, bound) = match operator {
            Operator::Contains => (folded(value), None),
            Operator::Compares(_) => match Bound::parse(value) {
                None => {
                    return Err(format!(
                        "expected a date such as 2026-11-30 or a number after `{path}{name}`"
                    ));
                }
                bound => (value.to_owned(), bound),
            },
            Operator::Equals | Operator::Differs => (value.to_owned(), Bound::date(value)),
        };
        Ok(Self { path: path.to_owned(), operator, text, bound })
    }

    /// Returns whether a field's text matches; `None` if the filter needs a date or a number and the text is not one.
    /// The text of an absent field is empty.
    pub(crate) fn accepts(&self, cell: &str) -> Option<bool> {
        let compared = || self.bound.as_ref()?.compare(cell);
        let equals = || cell == self.text || compared() == Some(Ordering::Equal);
        Some(match self.operator {
            Operator::Equals => equals(),
            Operator::Differs => !equals(),
            Operator::Contains => folded(cell).contains(&self.text),
            Operator::Compares(is_wanted) => is_wanted(compared()?),
        })
    }

    /// Returns the kind of value that the filter compares, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match (self.operator, &self.bound) {
            (Operator::Compares(_), Some(Bound::Date(_))) => "a date",
            (Operator::Compares(_), Some(Bound::Number(_))) => "a number",
            _ => "text",
        }
    }
}

/// The date or number with which a filter compares a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A civil date, with or without a time: `YYYY-MM-DD HH:MM:SS`, or the beginning of it, at least the year.
    Date(String),
    Number(Decimal),
}

impl Bound {
    /// Parses a number, or `YYYY-MM`, `YYYY-MM-DD`, `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        number(text).map(Self::Number).or_else(|| Self::date(text))
    }

    /// Parses a year, a month, or a date with or without a time.
    pub(crate) fn date(text: &str) -> Option<Self> {
        let mut date = match text.len() {
            4 => civil(&format!("{text}-01-01")),
            7 => civil(&format!("{text}-01")),
            _ => civil(text),
        }?;
        // Longer text has a fraction or a time zone, which cannot be compared.
        (text.len() <= date.len()).then(|| date.truncate(text.len()))?;
        Some(Self::Date(date))
    }

    /// Compares a cell with this bound; `None` unless the cell is a date or a number like the bound.
    ///
    /// Dates are compared with the precision of the bound: every time of a day equals that day and its month. A time
    /// zone in the cell is ignored. Numbers are compared by their exact values.
    pub(crate) fn compare(&self, cell: &str) -> Option<Ordering> {
        match self {
            Self::Date(date) => civil(cell)?.get(..date.len()).map(|start| start.cmp(date)),
            Self::Number(bound) => number(cell).map(|cell| cell.cmp(bound)),
        }
    }
}

/// Parses a JSON number of at most 28 digits, such as `-12.50` or `1e9`. Leading zeros are allowed.
pub(crate) fn number(text: &str) -> Option<Decimal> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    // `Decimal` accepts more forms, such as `+1`, `.5` and `1_000`.
    let is_number = text.trim_start_matches('-').starts_with(is_digit)
        && text.ends_with(is_digit)
        && !text.contains('_');
    let parsed = if text.contains(['e', 'E']) {
        Decimal::from_scientific(text)
    } else {
        Decimal::from_str_exact(text)
    };
    parsed.ok().filter(|_| is_number)
}

/// Returns the date and time at the start of text, as `YYYY-MM-DD HH:MM:SS`; `None` if text does not start with a date.
fn civil(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked("YYYY-MM-DD".len())?;
    let time = match rest.strip_prefix([' ', 'T']) {
        None if rest.is_empty() => "00:00:00",
        None => return None,
        Some(minutes) if minutes.len() == "HH:MM".len() => &format!("{minutes}:00"),
        Some(time) => time.get(.."HH:MM:SS".len())?,
    };
    let text = format!("{date} {time}");
    date_time(&text).is_some().then_some(text)
}

#[cfg(test)]
mod filter_tests {
    use super::Filter;
    use crate::output::record::{Cells, Path};

    #[track_caller]
    fn accepts(filter: &str, expected: Option<bool>) {
        let record =
            r#"{"name":"Ada Example","a":{"b":"x=y"},"n":10.50,"date":"2026-11-01 09:30:00"}"#;
        let filter = Filter::parse(filter).unwrap();
        let found = filter.accepts(&Cells::read(record).cell(&Path::parse(&filter.path)));
        assert_eq!(found, expected, "{filter:?}");
    }

    #[test]
    fn filters_compare_dates_and_numbers() {
        for filter in [
            "n>10.4999",
            "n<=10.5",
            "n>=1e1",
            "n<11",
            "date>=2026-11-01",
            "date<=2026-11-01",
            "date<2026-11-02",
            "date<=2026-11",
            "date>2026-10",
        ] {
            accepts(filter, Some(true));
        }
        for filter in ["n<10.5", "n>10.50", "date>2026-11-01", "date<2026-11-01 09:30"] {
            accepts(filter, Some(false));
        }
        for filter in ["date>5", "n<2026-11-01", "none>1", "name>1"] {
            accepts(filter, None);
        }
    }

    #[test]
    fn a_filter_has_an_operator_and_a_value_that_fits() {
        for filter in ["name", "name!Ada", "n<", "n>x", "date>=today", "date>=2026-02-30"] {
            assert!(Filter::parse(filter).is_err(), "{filter}");
        }
    }
}
#[cfg(test)]
mod bound_tests {
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
        for text in ["-365", "-365-01", "-365-01-01", "+365-01-01", "-999-01"] {
            assert_eq!(Bound::date(text), None, "{text}");
        }
    }
}
#[cfg(test)]
mod group_tests {
    use super::Groups;
    use crate::output::record::Path;

    #[test]
    fn groups_are_ordered_by_count_and_then_by_value() {
        let mut groups = Groups::new(Path::parse("a.b"));
        for value in [r#""z""#, "10", "9", r#""\u007a""#, "null", "[1, 2]", r#""y\"""#] {
            groups.add(&format!(r#"{{"a":{{"b":{value}}}}}"#));
        }
        groups.add("{}");
        assert_eq!(
            groups.into_records().collect::<Vec<_>>(),
            [
                r#"{"a.b":"z","count":2,"percent":25.0}"#,
                r#"{"a.b":null,"count":2,"percent":25.0}"#,
                r#"{"a.b":9,"count":1,"percent":12.5}"#,
                r#"{"a.b":10,"count":1,"percent":12.5}"#,
                r#"{"a.b":[1,2],"count":1,"percent":12.5}"#,
                r#"{"a.b":"y\"","count":1,"percent":12.5}"#,
            ]
        );
    }
}
#[cfg(test)]
mod sort_tests {
    use std::cmp::Ordering;

    use super::{Key, Sort};
    use crate::output::record::Path;

    /// Sorts cells that are separated by spaces.
    #[track_caller]
    fn check(field: &str, cells: &str, expected: &str) {
        let sort = Sort { path: Path::parse("n"), descending: field.starts_with('-') };
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
            "10000000000000000000000000.1 10000000000000000000000000.01",
            "10000000000000000000000000.01 10000000000000000000000000.1",
        );
        check("n", "0.05 0.5 0.049", "0.049 0.05 0.5");
        check("n", "b a +40 1.2.3 1. e5 B é É", "+40 1. 1.2.3 a B b É é e5");
        let equal = |one, other| Key::of(one).cmp(&Key::of(other)) == Ordering::Equal;
        assert!(equal("010", "10") && equal("-0", "0.00") && equal("1.50", "15e-1"));
    }
}
