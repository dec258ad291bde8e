//! Chooses the records to print, and their order.

use std::cmp::Ordering;

use crate::failure::Failure;
use crate::output::flags::OutputFlags;
use crate::output::groups::Groups;
use crate::output::record::{Cells, Path};
use crate::output::schema::Schema;
use crate::output::select::Filter;
use crate::output::sort::{Key, Sort};
use crate::screen::Screen;

/// Filters, sorts, counts and limits records.
#[derive(Debug)]
pub(crate) struct Chooser {
    filters: Vec<(Path, Filter)>,
    /// For each filter.
    seen: Vec<Seen>,
    sort: Vec<(Path, Sort)>,
    /// With `--sort`: all records so far, with their sort keys.
    unsorted: Vec<(Vec<Key>, String)>,
    /// With `--count-by`.
    groups: Option<Groups>,
    /// The number of records that may still be printed.
    left: u64,
}

/// The values that a filter has seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// A value that it could compare.
    comparable: bool,
    /// A value that it could not compare.
    other: bool,
}

impl Seen {
    fn add(&mut self, accepts: Option<bool>, cell: &str) {
        self.comparable |= accepts.is_some();
        self.other |= accepts.is_none() && !cell.is_empty();
    }
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
        for name in filtered.chain(sort.iter().map(|sort| &sort.path)).chain(&flags.count_by) {
            if let Some(warning) = schema.check(name, flags.any_field)? {
                screen.warn(&warning);
            }
        }
        let since = flags.since.as_ref().map(|since| since.filter(schema)).transpose()?;
        let filters = flags.filter.iter().cloned().chain(since);
        let filters: Vec<_> = filters.map(|filter| (schema.path(&filter.path), filter)).collect();
        Ok(Self {
            seen: vec![Seen::default(); filters.len()],
            filters,
            sort: sort.into_iter().map(|sort| (schema.path(&sort.path), sort)).collect(),
            unsorted: Vec::new(),
            groups: flags.count_by.as_ref().map(|name| Groups::new(schema.path(name))),
            left: flags.limit.unwrap_or(u64::MAX),
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
        if self.filters.is_empty() && self.sort.is_empty() && self.groups.is_none() {
            return self.count();
        }
        let mut cells = Cells::read(record);
        for ((path, filter), seen) in self.filters.iter().zip(&mut self.seen) {
            let cell = cells.cell(path);
            let accepts = filter.accepts(&cell);
            seen.add(accepts, &cell);
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
        let useless = filters.filter(|(_, seen)| seen.other && !seen.comparable);
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
