//! `board`: how many members each group has with each value, or with those of a group of values.

use std::cmp::Reverse;
use std::iter;

use methodical_mirror::Mirror;
use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries::{self, Board};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;
use crate::mirror::open::{self, Reader, note_age};
use crate::mirror::{Mirroring, Recovered};
use crate::output::printer::{Printer, RecordSource, Schema};
use crate::run::Invocation;
use crate::settings::{Settings, ValueOrder};

/// Prints the counts of each group.
pub(crate) fn run(of: Mirroring, invocation: &Invocation) -> Result<(), Failure> {
    let of = of.recovered()?;
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    check_synced(&mirror, of, invocation)?;
    let order = ValueOrder::of(&Settings::of_known(invocation)?);
    let board = queries::board(&mirror, of.table.name(), &order.with(of.known_values), false)?;
    print(Counts::new(board, of, &order), invocation)?;
    note_age(&mirror, &[of.table.name(), of.groups.name()], invocation)
}

/// Fails if the mirror has no groups, or none of their values yet.
pub(crate) fn check_synced(
    mirror: &Mirror,
    of: Recovered,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let tables = mirror.tables()?;
    let has = |table: &Table| {
        tables.iter().any(|one| one.table == table.name() && one.completed_at.is_some())
    };
    if has(of.groups) && has(of.table) {
        return Ok(());
    }
    let text = if has(of.groups) {
        format!("cannot answer from the mirror: it has no {} yet", of.value)
    } else {
        "cannot answer from the mirror: the first sync has not finished".to_owned()
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
    let source = RecordSource::Response;
    let schema = Schema { types: &types, source, noun: None, ..Schema::of_program(&names, false) };
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
    let title = counts.title.map(|_| Value::from(group.title.clone()));
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
const UNKNOWN: &str = "unknown";

/// The column of all members.
const TOTAL: &str = "total";

/// The column of the values that were summed up.
const OTHER: &str = "other";

/// The counts of all groups.
#[derive(Debug)]
struct Counts {
    /// The name of the field that identifies a group.
    id: &'static str,
    /// The name of the field with its title; `None` if no field has one.
    title: Option<&'static str>,
    /// The names of the columns of the values: those in the settings and in the contract, then the others.
    values: Vec<String>,
    /// How many of them are in the settings or in the contract. They are the first ones.
    known: usize,
    /// Whether the column of unknown values is shown.
    has_unknown: bool,
    /// The groups, in the order of first sight.
    groups: Vec<Group>,
}

/// The counts of a group.
#[derive(Clone, Debug, Default)]
struct Group {
    id: String,
    title: Option<String>,
    /// For each value.
    counts: Vec<u64>,
    /// Members whose value is unknown.
    unknown: u64,
}

impl Group {
    /// Returns the number of members.
    fn total(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.unknown
    }
}

impl Counts {
    /// Adds up the cells of a board by the groups of values in the settings.
    fn new(board: Board, of: Recovered, order: &ValueOrder) -> Self {
        let mut values: Vec<&str> = Vec::new();
        let columns: Vec<Option<usize>> = board
            .values
            .iter()
            .map(|value| {
                let name = value.as_deref().map(|value| order.group_of(value).unwrap_or(value))?;
                let place = values.iter().position(|known| *known == name);
                Some(place.unwrap_or_else(|| {
                    values.push(name);
                    values.len() - 1
                }))
            })
            .collect();
        let known = order.with(of.known_values);
        let known = known.iter().map(|value| order.group_of(value).unwrap_or(value));
        let known = known.filter_map(|name| values.iter().position(|value| *value == name)).max();
        let groups = board.groups.into_iter().map(|group| {
            let mut counted = Group { counts: vec![0; values.len()], ..Group::default() };
            for (cell, column) in group.cells.iter().zip(&columns) {
                match column.and_then(|column| counted.counts.get_mut(column)) {
                    Some(count) => *count += cell.count,
                    None => counted.unknown += cell.count,
                }
            }
            Group { id: group.id, title: group.title, ..counted }
        });
        let (id, title) = (of.groups.identity(), title(of.groups));
        Self {
            id,
            title,
            known: known.map_or(0, |last| last + 1),
            has_unknown: true,
            groups: groups.collect(),
            values: distinct(&values, of.value, id, title),
        }
    }

    /// Returns the sums over all groups.
    fn sum(&self) -> Group {
        let sum = |index: usize| {
            self.groups.iter().filter_map(|group| group.counts.get(index)).sum::<u64>()
        };
        Group {
            id: String::new(),
            title: Some("all".to_owned()),
            counts: (0..self.values.len()).map(sum).collect(),
            unknown: self.groups.iter().map(|group| group.unknown).sum(),
        }
    }
}

/// Returns column names of the values, which differ even in capitals. One that is also the name of another column gets a prefix, such
/// as `status=total`.
fn distinct(values: &[&str], field: &str, id: &str, title: Option<&str>) -> Vec<String> {
    let own = [id, UNKNOWN, TOTAL, OTHER].into_iter().chain(title);
    let mut taken: Vec<String> = own.map(str::to_lowercase).collect();
    let mut names: Vec<String> = Vec::with_capacity(values.len());
    for value in values {
        let mut name = (*value).to_owned();
        while name.is_empty()
            || taken.contains(&name.to_lowercase())
            || (name != *value && values.contains(&&*name))
        {
            name = format!("{field}={name}");
        }
        taken.push(name.to_lowercase());
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
fn fold(counts: &mut Counts, width: usize) -> Vec<String> {
    let sum = counts.sum();
    let ids = counts.groups.iter().map(|group| group.id.width()).max().unwrap_or_default();
    let titles =
        counts.groups.iter().map(|group| group.title.as_deref().unwrap_or_default().width());
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
        let values = ["New", "total", "ID", "unknown", "", "status=total", "other", "new"];
        let names = distinct(&values, "status", "id", Some("title"));
        let expected = [
            "New",
            "status=status=total",
            "status=ID",
            "status=unknown",
            "status=",
            "status=total",
            "status=other",
            "status=new",
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
            title: Some("Harbour".to_owned()),
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
