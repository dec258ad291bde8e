//! `board`: how many members each group has with each value.

use std::cmp::Reverse;
use std::iter;

use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::{Error, Mirror, queries};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;
use crate::mirror::open::{self, Reader, note_age};
use crate::mirror::{Mirroring, Recovered};
use crate::output::printer::{Printer, RecordSource, Schema};
use crate::run::Invocation;
use crate::settings::Settings;

/// Prints the counts of each group.
pub(crate) fn run(of: Mirroring, invocation: &Invocation) -> Result<(), Failure> {
    let Some(recovered) = (of.found)().recovered.into_iter().next() else {
        return Err(Failure::usage("cannot print a board: no list of the service has groups"));
    };
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    check_synced(&mirror, recovered, invocation)?;
    print(Counts::read(&mirror, recovered)?, invocation)?;
    note_age(&mirror, &[recovered.table.name(), recovered.groups.name()], invocation)
}

/// Fails if the mirror has no groups, or none of their values yet.
fn check_synced(mirror: &Mirror, of: Recovered, invocation: &Invocation) -> Result<(), Failure> {
    let tables = mirror.tables()?;
    let has = |table: &Table| {
        tables.iter().any(|one| one.table == table.name() && one.completed_at.is_some())
    };
    if has(of.groups) && has(of.table) {
        return Ok(());
    }
    let text = if has(of.groups) {
        format!("cannot print a board: the mirror has no {} yet", of.value)
    } else {
        "cannot print a board: the first sync has not finished".to_owned()
    };
    let settings = Settings::of_known(invocation)?;
    let sync = Reader::new(&settings, invocation).place()?.sync(invocation);
    Err(Failure::usage(text).hint(format!("run {sync} again, without --no-recover")))
}

fn print(mut counts: Counts, invocation: &Invocation) -> Result<(), Failure> {
    let Invocation { output, screen, .. } = invocation;
    let is_table = output.is_table(*screen)?;
    counts.has_unknown = !is_table || output.fields.is_some() || counts.sum().unknown > 0;
    let width = screen.output.width.filter(|_| is_table && !output.wide && output.fields.is_none());
    let folded = width.map(|width| fold(&mut counts, width.into())).unwrap_or_default();
    let title = counts.title.iter().copied();
    let names: Vec<&str> = iter::once(counts.id)
        .chain(title)
        .chain(counts.values.iter().map(String::as_str))
        .chain(counts.has_unknown.then_some(UNKNOWN))
        .chain([TOTAL])
        .collect();
    let text = 1 + usize::from(counts.title.is_some());
    let types: Vec<_> = names.iter().skip(text).map(|name| (*name, FieldType::Integer)).collect();
    let schema = Schema {
        columns: &names,
        fields: &names,
        noun: None,
        single: false,
        types: &types,
        source: RecordSource::Response,
    };
    let mut printer = Printer::open(invocation, &schema)?;
    for group in &counts.groups {
        printer.print_line(&record(&names, &counts, group))?;
    }
    if is_table && output.choice().is_none() && !counts.groups.is_empty() {
        printer.print_line(&record(&names, &counts, &counts.sum()))?;
    }
    printer.finish()?;
    if !folded.is_empty() {
        let folded = folded.join(", ");
        screen.note(&format!("`{OTHER}` is {folded}; --wide shows all columns"));
    }
    Ok(())
}

/// Returns a group as a JSON object with the fields in this order.
fn record(names: &[&str], counts: &Counts, group: &Group) -> String {
    let unknown = counts.has_unknown.then_some(&group.unknown);
    let numbers = group.counts.iter().chain(unknown).map(|count| Value::from(*count));
    let title = counts.title.map(|_| group.title.clone());
    let values = iter::once(Value::from(&*group.id))
        .chain(title)
        .chain(numbers)
        .chain([Value::from(group.total())]);
    let members: Vec<String> = names
        .iter()
        .zip(values)
        .map(|(name, value)| format!("{}:{value}", Value::from(*name)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The column of the members whose value is unknown.
pub(crate) const UNKNOWN: &str = "unknown";

/// The column of all members.
pub(crate) const TOTAL: &str = "total";

/// The column of the values that were summed up.
pub(crate) const OTHER: &str = "other";

/// The counts of all groups.
#[derive(Debug)]
pub(crate) struct Counts {
    /// The name of the field that identifies a group.
    pub(crate) id: &'static str,
    /// The name of the field with its title; `None` if no field has one.
    pub(crate) title: Option<&'static str>,
    /// The names of the columns of the values: those of the contract, then the others in the order of first sight.
    pub(crate) values: Vec<String>,
    /// How many of them are values of the contract. They are the first ones.
    pub(crate) known: usize,
    /// Whether the column of unknown values is shown.
    pub(crate) has_unknown: bool,
    /// The groups, in the order of first sight.
    pub(crate) groups: Vec<Group>,
}

/// The counts of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) title: Value,
    /// For each value.
    pub(crate) counts: Vec<u64>,
    /// Members whose value is unknown.
    pub(crate) unknown: u64,
}

impl Group {
    /// Returns the number of members.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.unknown
    }
}

impl Counts {
    /// Reads the counts of a mirror.
    pub(crate) fn read(mirror: &Mirror, of: Recovered) -> Result<Self, Error> {
        let board = queries::board(mirror, of.table.name(), of.known_values, false)?;
        let unknown = board.values.iter().position(Option::is_none);
        let groups = board.groups.into_iter().map(|group| {
            let mut counts: Vec<u64> = group.cells.iter().map(|cell| cell.count).collect();
            let unknown = unknown.map_or(0, |index| counts.remove(index));
            let title = group.title.map_or(Value::Null, Value::from);
            Group { id: group.id, title, counts, unknown }
        });
        let (id, title) = (of.groups.identity(), title(of.groups));
        let values: Vec<String> = board.values.into_iter().flatten().collect();
        Ok(Self {
            id,
            title,
            values: distinct(&values, of.value, id, title),
            known: of.known_values.len(),
            has_unknown: true,
            groups: groups.collect(),
        })
    }

    /// Returns the sums over all groups.
    pub(crate) fn sum(&self) -> Group {
        let sum = |index: usize| {
            self.groups.iter().filter_map(|group| group.counts.get(index)).sum::<u64>()
        };
        Group {
            id: String::new(),
            title: Value::from("all"),
            counts: (0..self.values.len()).map(sum).collect(),
            unknown: self.groups.iter().map(|group| group.unknown).sum(),
        }
    }
}

/// Returns column names of the values. One that is also the name of another column gets a prefix, such as `status=total`.
fn distinct(values: &[String], field: &str, id: &str, title: Option<&str>) -> Vec<String> {
    let own: Vec<String> =
        [id, UNKNOWN, TOTAL, OTHER].into_iter().chain(title).map(str::to_lowercase).collect();
    let mut names: Vec<String> = Vec::with_capacity(values.len());
    for value in values {
        let mut name = value.clone();
        while name.is_empty()
            || own.contains(&name.to_lowercase())
            || names.contains(&name)
            || (name != *value && values.contains(&name))
        {
            name = format!("{field}={name}");
        }
        names.push(name);
    }
    names
}

/// Returns the name of the first text of a group besides its identity that is not personal.
pub(crate) fn title(groups: &'static Table) -> Option<&'static str> {
    let is_title = |column: &&Column| column.kind() == ColumnKind::Text && !column.is_personal();
    let texts = groups.columns().iter().filter(is_title);
    let mut names = texts.filter_map(|column| match column.path() {
        [name] if *name != groups.identity() => Some(*name),
        _ => None,
    });
    names.next()
}

/// Sums up the rarest values in the column [`OTHER`] until the board fits this width. Returns them.
///
/// The values of the contract stay before the others. Long names and titles are shortened before a value is summed up.
pub(crate) fn fold(counts: &mut Counts, width: usize) -> Vec<String> {
    let sum = counts.sum();
    let ids = counts.groups.iter().map(|group| group.id.width()).max().unwrap_or_default();
    let titles = counts.groups.iter().map(|group| group.title.as_str().unwrap_or_default().width());
    let title = titles.max().unwrap_or_default().max(counts.title.map_or(0, str::len));
    let unknown = if counts.has_unknown { GAP + "unknown".len() } else { 0 };
    let fixed = ids.max(2) + GAP + GAP + "total".len() + unknown;
    let needed = |counts: &Counts| widths(counts, &sum).iter().sum::<usize>();
    // The table cuts longer titles.
    let room = |title: usize| width.saturating_sub(fixed + title);
    if needed(counts) <= room(title.min(width * 3 / 8)) {
        return Vec::new();
    }
    shorten(counts);
    let room = room(title.min(TITLE));
    if needed(counts) <= room {
        return Vec::new();
    }
    let widths = widths(counts, &sum);
    let mut order: Vec<usize> = (0..counts.values.len()).collect();
    order.sort_by_key(|index| (*index >= counts.known, Reverse(sum.counts.get(*index))));
    let mut left = room.saturating_sub(GAP + OTHER.len());
    let mut kept = vec![false; counts.values.len()];
    for index in order {
        let width = widths.get(index).copied().unwrap_or_default();
        if width > left {
            break;
        }
        left -= width;
        if let Some(kept) = kept.get_mut(index) {
            *kept = true;
        }
    }
    for group in &mut counts.groups {
        let others = group.counts.iter().zip(&kept).filter(|(_, kept)| !**kept);
        let other = others.map(|(count, _)| count).sum();
        let mut index = kept.iter();
        group.counts.retain(|_| index.next().is_some_and(|kept| *kept));
        group.counts.push(other);
    }
    let all = std::mem::take(&mut counts.values).into_iter().zip(kept);
    let (values, folded): (Vec<_>, Vec<_>) = all.partition(|(_, kept)| *kept);
    counts.values = values.into_iter().map(|(value, _)| value).collect();
    counts.values.push(OTHER.to_owned());
    folded.into_iter().map(|(value, _)| value).collect()
}

/// Returns the widths of the columns of the values, with their gaps.
fn widths(counts: &Counts, sum: &Group) -> Vec<usize> {
    let columns = counts.values.iter().zip(&sum.counts);
    columns.map(|(value, count)| GAP + value.width().max(digits(*count))).collect()
}

/// Shortens long names that remain different from the others.
fn shorten(counts: &mut Counts) {
    let short: Vec<String> = counts.values.iter().map(|name| cut(name)).collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    for (value, short) in counts.values.iter_mut().zip(&short) {
        if is_unique(short) {
            value.clone_from(short);
        }
    }
}

fn cut(name: &str) -> String {
    if name.width() <= NAME {
        return name.to_owned();
    }
    let mut short = String::new();
    for part in name.graphemes(true) {
        if short.width() + part.width() >= NAME {
            break;
        }
        short.push_str(part);
    }
    format!("{}…", short.trim_end())
}

fn digits(count: u64) -> usize {
    count.to_string().len()
}

/// Width to which titles are shortened before values are summed up.
const TITLE: usize = 20;

/// Maximum width of the name of a value if there is not enough room for all.
const NAME: usize = 12;

/// Width of the gap between two columns.
const GAP: usize = 2;

#[cfg(test)]
mod count_tests {
    use super::distinct;

    #[test]
    fn a_value_with_the_name_of_another_column_is_renamed() {
        let values = ["New", "total", "ID", "unknown", "", "status=total", "other"];
        let names = distinct(&values.map(str::to_owned), "status", "id", Some("title"));
        let expected = [
            "New",
            "status=status=total",
            "status=ID",
            "status=unknown",
            "status=",
            "status=total",
            "status=other",
        ];
        assert_eq!(names, expected);
    }
}
#[cfg(test)]
mod fold_tests {
    use super::fold;
    use crate::mirror::board::{Counts, Group};

    fn counts() -> Counts {
        let group = |id: &str, counts: &[u64]| Group {
            id: id.to_owned(),
            title: "Harbour".into(),
            counts: counts.to_vec(),
            unknown: 1,
        };
        Counts {
            id: "id",
            title: Some("title"),
            values: ["draft", "printed", "sold", "returned"].map(str::to_owned).to_vec(),
            known: 0,
            has_unknown: true,
            groups: vec![group("7", &[1, 0, 9, 2]), group("8", &[3, 1, 0, 0])],
        }
    }

    #[test]
    fn values_that_fit_stay() {
        let mut all = counts();
        assert!(fold(&mut all, 80).is_empty());
        assert_eq!(all.values.len(), 4);
    }

    #[test]
    fn the_rarest_values_are_summed_up() {
        let mut all = counts();
        assert_eq!(fold(&mut all, 52), ["printed", "returned"]);
        assert_eq!(all.values, ["draft", "sold", "other"]);
        assert_eq!(all.groups[0].counts, [1, 9, 2]);
        assert_eq!(all.groups[1].counts, [3, 0, 1]);
        assert_eq!(all.groups[0].total(), 13);
    }

    #[test]
    fn values_of_the_contract_stay() {
        let mut all = Counts { known: 2, ..counts() };
        assert_eq!(fold(&mut all, 52), ["sold", "returned"]);
        assert_eq!(all.values, ["draft", "printed", "other"]);
    }

    #[test]
    fn a_long_name_is_shortened() {
        let mut all = counts();
        all.values[3] = "returned by the customer".to_owned();
        assert!(fold(&mut all, 70).is_empty());
        assert_eq!(all.values[3], "returned by…");
    }

    #[test]
    fn every_width_is_possible() {
        for width in 0..60 {
            let mut all = counts();
            fold(&mut all, width);
            assert_eq!(all.sum().total(), 18, "{width}");
        }
    }
}
