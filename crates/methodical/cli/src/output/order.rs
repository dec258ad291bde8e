//! The records to print, and their order: `--filter`, `--sort`, `--limit` and `--count-by`.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use crate::failure::Failure;
use crate::output::flags::OutputFlags;
use crate::output::printer::Schema;
use crate::output::record::{Cells, Path, one_line, text_of};
use crate::output::select::{Filter, folded};
use crate::screen::Screen;

/// Filters, sorts, counts and limits records.
#[derive(Debug)]
pub(crate) struct Chooser {
    filters: Vec<(Path, Filter)>,
    /// For each filter: whether it has seen a value that it could compare, and one that it could not.
    seen: Vec<(bool, bool)>,
    sort: Vec<(Path, Sort)>,
    /// With `--sort`: all records so far, with their sort keys.
    unsorted: Vec<(Vec<Key>, String)>,
    /// With `--count-by`.
    groups: Option<Groups>,
    /// The number of records that may still be printed.
    left: u64,
    /// The number of records that were received.
    received: u64,
}

impl Chooser {
    /// Checks the flags against the schema. Warns of fields that no record has.
    pub(crate) fn new(
        flags: &OutputFlags,
        schema: &Schema<'_>,
        screen: Screen,
    ) -> Result<Self, Failure> {
        if schema.single
            && let Some(flag) = flags.choice()
        {
            return Err(Failure::usage(format!(
                "cannot use {flag}: the output is one object, not a list"
            )));
        }
        let sort: Vec<Sort> = flags.sort.iter().flatten().map(|text| Sort::parse(text)).collect();
        let filtered = flags.filter.iter().map(|filter| &filter.path);
        let counted = flags.count_by.as_deref().map(Groups::parse);
        let counted_name = counted.as_ref().map(|(name, _)| name);
        for name in filtered.chain(sort.iter().map(|sort| &sort.path)).chain(counted_name) {
            if let Some(warning) = schema.check(name, flags.any_field)? {
                screen.warn(&warning);
            }
        }
        let since = flags.since.as_ref().map(|date| schema.since(date)).transpose()?;
        let filters = flags.filter.iter().cloned().chain(since);
        let filters: Vec<_> = filters.map(|filter| (schema.path(&filter.path), filter)).collect();
        Ok(Self {
            seen: vec![(false, false); filters.len()],
            filters,
            sort: sort.into_iter().map(|sort| (schema.path(&sort.path), sort)).collect(),
            unsorted: Vec::new(),
            groups: counted
                .map(|(name, precision)| Groups { precision, ..Groups::new(schema.path(&name)) }),
            left: flags.limit.unwrap_or(u64::MAX),
            received: 0,
        })
    }

    /// Returns the groups of `--count-by`, which are printed in place of the records.
    pub(crate) fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// Returns whether no further record can be printed.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0 && self.groups.is_none() && self.sort.is_empty()
    }

    /// Returns whether a record is printed now. It may be kept for [`rest`](Self::rest).
    pub(crate) fn takes(&mut self, record: &str) -> bool {
        self.received += 1;
        if self.filters.is_empty() && self.sort.is_empty() && self.groups.is_none() {
            return self.count();
        }
        let mut cells = Cells::read(record);
        for ((path, filter), seen) in self.filters.iter().zip(&mut self.seen) {
            let cell = cells.cell(path);
            let accepts = filter.accepts(&cell);
            seen.0 |= accepts.is_some();
            seen.1 |= accepts.is_none() && !cell.is_empty();
            if accepts != Some(true) {
                return false;
            }
        }
        if let Some(groups) = &mut self.groups {
            groups.add(record);
            return false;
        }
        if !self.sort.is_empty() {
            let keys = self.sort.iter().map(|(path, _)| Key::of(&cells.cell(path)));
            self.unsorted.push((keys.collect(), record.to_owned()));
            return false;
        }
        self.count()
    }

    /// Returns how many records were received, if these are all records of the list.
    pub(crate) fn received(&self) -> Option<u64> {
        Some(self.received).filter(|_| !self.is_done())
    }

    /// Returns the records that are printed after the last one was received: sorted records, or groups.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        if let Some(groups) = self.groups.take() {
            return groups.into_records().take(limit).collect();
        }
        let mut records = std::mem::take(&mut self.unsorted);
        records.sort_by(|(one, _), (other, _)| compare(&self.sort, one, other));
        records.into_iter().take(limit).map(|(_, record)| record).collect()
    }

    /// Returns a warning for each filter that could compare no value of its field.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let filters = self.filters.iter().zip(&self.seen);
        let useless = filters.filter(|(_, (comparable, other))| *other && !comparable);
        useless.map(|((path, filter), _)| {
            format!("no value of the field `{path}` is {}", filter.kind())
        })
    }

    fn count(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }
}

fn compare(sort: &[(Path, Sort)], one: &[Key], other: &[Key]) -> Ordering {
    let pairs = sort.iter().zip(one.iter().zip(other));
    let orderings = pairs.map(|((_, sort), (one, other))| sort.compare(one, other));
    orderings.fold(Ordering::Equal, Ordering::then)
}

/// The number of records with each value of a field. It keeps the values, not the records.
#[derive(Debug)]
pub(crate) struct Groups {
    path: Path,
    name: String,
    /// How many characters of a date are compared, such as those of its month.
    precision: Option<usize>,
    /// The counts by the JSON text of the value.
    counts: HashMap<String, u64>,
}

impl Groups {
    /// Creates the groups of the field at a path, without records.
    pub(crate) fn new(path: Path) -> Self {
        let name = path.to_string();
        Self { path, name, precision: None, counts: HashMap::new() }
    }

    /// Parses `FIELD`, or `FIELD:month` for the months of a date; `year`, `day` and `hour`, too.
    fn parse(text: &str) -> (String, Option<usize>) {
        let units = [("year", 4), ("month", 7), ("day", 10), ("hour", 13)];
        let unit = text.rsplit_once(':').and_then(|(field, unit)| {
            let (_, length) = units.iter().find(|(name, _)| *name == unit)?;
            Some((field.to_owned(), Some(*length)))
        });
        unit.unwrap_or_else(|| (text.to_owned(), None))
    }

    /// Returns the names of the fields of a group: that of the values, that of their numbers, and that of their shares.
    pub(crate) fn fields(&self) -> [&str; 3] {
        let free = |name, other| if self.name == name { other } else { name };
        [&self.name, free(COUNT, "records"), free(PERCENT, "share")]
    }

    /// Counts a record.
    pub(crate) fn add(&mut self, record: &str) {
        let value = match Cells::read(record).value(&self.path) {
            None => "null".to_owned(),
            // The same text may be escaped in several ways.
            Some(json) if json.starts_with('"') => serde_json::from_str::<String>(json)
                .map_or_else(|_| json.to_owned(), |text| serde_json::Value::from(text).to_string()),
            Some(json) => one_line(json),
        };
        let start = self.precision.and_then(|length| value.get(1..=length));
        let value = start.map_or_else(|| value.clone(), |start| format!("\"{start}\""));
        *self.counts.entry(value).or_default() += 1;
    }

    /// Returns the groups as records, the largest first, and equal ones by value. The parts of dates are in their order.
    pub(crate) fn into_records(self) -> impl Iterator<Item = String> {
        let [name, count, share] =
            self.fields().map(|name| serde_json::Value::from(name).to_string());
        let total: u64 = self.counts.values().sum();
        let mut groups: Vec<_> = self.counts.into_iter().collect();
        groups.sort_by_cached_key(|(value, count)| {
            let cell = text_of(Some(value));
            let rank = if self.precision.is_some() { 0 } else { *count };
            (Reverse(rank), Key::exact(&cell))
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

const COUNT: &str = "count";

const PERCENT: &str = "percent";

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

/// A sort key: numbers by value, then text in any case, then empty values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Number(Number),
    /// The text with its case folded, as filters compare it, and as it is.
    Text(String, String),
    Empty,
}

impl Key {
    /// Creates the key of a cell, in which text is compared in any case.
    pub(crate) fn of(cell: &str) -> Self {
        match Self::exact(cell) {
            Self::Text(text, _) => Self::Text(folded(&text), text),
            other => other,
        }
    }

    /// Creates the key of a cell, in which text is compared by its characters.
    fn exact(cell: &str) -> Self {
        match Number::parse(cell) {
            _ if cell.is_empty() => Self::Empty,
            Some(number) => Self::Number(number),
            None => Self::Text(cell.to_owned(), String::new()),
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
        check("n", "b a +40 1.2.3 1. e5 B é É", "+40 1. 1.2.3 a B b É é e5");
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
