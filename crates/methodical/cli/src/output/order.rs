//! Which records are printed, and in which order: `--filter`, `--since`, `--sort`, `--count-by` and `--limit`.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use methodical_mirror::folded;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::failure::Failure;
use crate::output::printer::Schema;
use crate::output::record::{Cells, Path, one_line, text_of};
use crate::output::select::{Filter, number};
use crate::run::Invocation;

/// Filters, sorts, counts and limits records.
#[derive(Debug)]
pub(crate) struct Chooser {
    filters: Vec<Chosen>,
    sort: Vec<Sort>,
    /// With `--sort`: all records so far, with their sort keys.
    unsorted: Vec<(Vec<Key>, String)>,
    /// With `--count-by`.
    groups: Option<Groups>,
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
    /// Checks the flags against the schema. Warns of fields that no record has.
    pub(crate) fn new(invocation: &Invocation, schema: &Schema<'_>) -> Result<Self, Failure> {
        let flags = &invocation.output;
        if schema.single
            && let Some(flag) = flags.choice()
        {
            return Err(Failure::usage(format!(
                "cannot use {flag}: the output is one object, not a list"
            )));
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

    /// Returns the groups of `--count-by`, which are printed instead of the records.
    pub(crate) fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// Returns whether no further record can be printed.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0 && self.groups.is_none() && self.sort.is_empty()
    }

    /// Returns whether a record is printed now. It may be kept for [`rest`](Self::rest).
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
    fn parse(text: &str) -> (&str, Option<usize>) {
        let units = [(":year", 4), (":month", 7), (":day", 10), (":hour", 13)];
        let of = |(unit, length)| Some((text.strip_suffix(unit)?, Some(length)));
        units.into_iter().find_map(of).unwrap_or((text, None))
    }

    /// Returns the names of the fields of a group: value, count and share.
    pub(crate) fn fields(&self) -> [&str; 3] {
        let free = |name, other| if self.name == name { other } else { name };
        [&self.name, free("count", "records"), free("percent", "share")]
    }

    /// Counts a record.
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
    /// The text with its case folded, as filters compare it, and as it is.
    Text(String, String),
    Empty,
}

impl Key {
    /// Creates the key of a cell, which ignores the case of text.
    fn of(cell: &str) -> Self {
        match number(cell) {
            _ if cell.is_empty() => Self::Empty,
            Some(number) => Self::Number(number),
            None => Self::Text(folded(cell), cell.to_owned()),
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
