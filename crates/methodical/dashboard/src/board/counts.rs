//! The figures of a board: counts, shares, times, moves, and who is waiting.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use methodical_mirror::model::tables;
use methodical_mirror::queries::{self, Arrivals, BoardGroup, Duplicate, Move, Passage};
use methodical_mirror::{Error, Filter, Mirror, Order, Paging, Record, State, TableStatus};

use crate::cells::{Contact, contact};
use crate::outline::Board;
use crate::shared::was_complete;
use crate::time::{DAY, days_ago, midnight};
use crate::today::LINES;

/// A state of the mirror: the cursor after its last change and, for each table, its name, the time of its last complete
/// list, and its number of present records.
pub(crate) type Version = (String, Vec<(String, Option<i64>, u64)>);

/// Returns the state of a mirror, with its tables.
pub(crate) fn version(mirror: &Mirror) -> Result<(Version, Vec<TableStatus>), Error> {
    // Read the cursor first, so that the next version differs if a sync ends in between.
    let cursor = mirror.cursor()?.to_string();
    let tables = mirror.tables()?;
    let of = |status: &TableStatus| (status.table.clone(), status.completed_at, status.present);
    Ok(((cursor, tables.iter().map(of).collect()), tables))
}

/// The figures of the board for one state of the mirror. They are empty without a board, or before its lists are
/// complete.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    version: Version,
    /// The start of the day of these figures, in seconds since 1970 (UTC).
    today: i64,
    pub(crate) tables: Vec<TableStatus>,
    /// The values: first in the team's order, then in the contract's, then alphabetically. Unknown values are a column
    /// with the value `None`, at the end.
    pub(crate) columns: Vec<Column>,
    pub(crate) all: Part,
    /// The present groups, largest first.
    pub(crate) groups: Vec<Group>,
    /// The sources, such as portals, with the most new members first.
    pub(crate) sources: Vec<(Option<String>, Part)>,
    /// The moves since the previous day.
    pub(crate) moves: Vec<Move>,
    /// How many members arrived since the previous day.
    pub(crate) new: u64,
    /// Members that may be the same person.
    pub(crate) duplicates: Vec<Duplicate>,
    /// The positions in `duplicates` that contain a member, by the member's identity.
    twins: HashMap<String, Vec<usize>>,
    /// The number of members by value and by days with that value.
    waits: Vec<Wait>,
    /// The placements that have waited longest.
    pub(crate) longest: Vec<Record>,
}

/// A number of days, and how many members have had each value for at least that long.
type Wait = (i64, Vec<(Option<String>, u64)>);

/// A value, which is a column of the board.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) value: Option<String>,
    /// The value's group, as the team names it. Without the team's groups, it is guessed.
    pub(crate) stage: String,
    /// Whether the value is an outcome. The outcomes are the values of groups with names. If no group has a name, they
    /// are the values that fewer than one in ten members have left, except the first value.
    pub(crate) is_final: bool,
}

/// A group that is present in the mirror, with its figures.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) id: String,
    /// The group's title or, without one, its identity.
    pub(crate) title: String,
    pub(crate) part: Part,
}

/// The figures of a group, of a source, or of all members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// The figures of each column.
    pub(crate) figures: Vec<Figures>,
    /// The new members in each of the last weeks, the latest one last.
    pub(crate) weeks: [u64; WEEKS],
    /// How many members went straight from one column to another.
    steps: Vec<(usize, usize, u64)>,
}

/// How many members have or had a value, and for how long.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) now: u64,
    /// When at least half of the current members had the value, in seconds since 1970.
    pub(crate) half: i64,
    /// How many members have or had the value.
    pub(crate) ever: u64,
    left: u64,
    /// The median time that members had the value before they left it, in seconds.
    pub(crate) time: Option<i64>,
}

/// The groups of values and their order, as the team names them.
pub(crate) type ValueGroups = [(Option<String>, Vec<String>)];

impl Column {
    pub(crate) fn label(&self) -> &str {
        label(self.value.as_deref())
    }
}

impl Part {
    fn new(columns: usize) -> Self {
        Self { figures: vec![Figures::default(); columns], ..Self::default() }
    }

    /// Returns how many members have a value now.
    pub(crate) fn total(&self) -> u64 {
        self.figures.iter().map(|one| one.now).sum()
    }

    /// Returns the number of members that counts as 100 %: the members that have a value now, or the members that ever
    /// had the most common value, whichever are more.
    pub(crate) fn base(&self) -> u64 {
        let now = self.figures.iter().map(|one| one.ever.saturating_sub(one.left)).sum();
        self.figures.iter().map(|one| one.ever).fold(self.total().max(now), u64::max)
    }

    /// Returns how many members went straight from one column to another.
    pub(crate) fn stepped(&self, from: usize, to: usize) -> u64 {
        let steps = self.steps.iter().filter(|(one, other, _)| (*one, *other) == (from, to));
        steps.map(|(.., count)| count).sum()
    }

    /// Adds a part's members that ever had a value, and their steps.
    fn add(&mut self, part: &Self) {
        for (sum, one) in self.figures.iter_mut().zip(&part.figures) {
            sum.ever += one.ever;
            sum.left += one.left;
        }
        for (from, to, count) in &part.steps {
            match self.steps.iter_mut().find(|(one, other, _)| (one, other) == (from, to)) {
                Some((.., sum)) => *sum += count,
                None => self.steps.push((*from, *to, *count)),
            }
        }
    }

    fn arrive(&mut self, new: &Arrivals, since: i64) {
        let week = usize::try_from(new.day.saturating_sub(since) / (7 * DAY)).unwrap_or_default();
        if let Some(count) = self.weeks.get_mut(week.min(WEEKS - 1)) {
            *count += new.count;
        }
    }
}

impl Counts {
    /// Returns the earlier figures if neither the mirror nor the day has changed since; otherwise counts again.
    pub(crate) fn of(
        mirror: &Mirror,
        board: Option<&Board>,
        order: &ValueGroups,
        now: i64,
        before: Option<&Arc<Self>>,
    ) -> Result<Arc<Self>, Error> {
        let ((version, tables), today) = (version(mirror)?, midnight(now));
        if let Some(one) = before.filter(|one| one.version == version && one.today == today) {
            return Ok(Arc::clone(one));
        }
        let board = board.filter(|board| {
            let needed = [board.members.name(), board.groups.name(), board.placements.table];
            needed.into_iter().all(|table| was_complete(&tables, table))
        });
        let counts = board.map(|board| Self::read(mirror, board, order, today));
        Ok(Arc::new(Self { version, today, tables, ..counts.transpose()?.unwrap_or_default() }))
    }

    fn read(
        mirror: &Mirror,
        board: &Board,
        order: &ValueGroups,
        today: i64,
    ) -> Result<Self, Error> {
        let (table, members) = (board.placements.table, board.members.name());
        let passages = queries::passages(mirror, table, None)?;
        let (columns, present) = columns(mirror, board, order, &passages)?;
        let places: HashMap<&str, usize> = columns
            .iter()
            .zip(0..)
            .filter_map(|(one, at)| Some((one.value.as_deref()?, at)))
            .collect();

        let since = today - ARRIVALS * DAY;
        let arrivals = queries::arrivals(mirror, table, Some(board.placements.group), since)?;
        let mut parts = parts(&passages, &arrivals, &places, columns.len(), since);
        let mut all = Part::new(columns.len());
        for step in queries::steps(mirror, table)? {
            let place = |value: &str| places.get(value).copied();
            if let (Some(from), Some(to)) = (place(&step.from), place(&step.to))
                && let Some(part) = parts.get_mut(&Some(step.group))
            {
                part.steps.push((from, to, step.count));
            }
        }
        for part in parts.values() {
            all.add(part);
        }
        let groups = groups(present, parts, &mut all);
        for one in queries::times(mirror, table, 0..i64::MAX)? {
            let place = places.get(&*one.value);
            if let Some(figures) = place.and_then(|place| all.figures.get_mut(*place)) {
                figures.time = Some(one.median);
            }
        }
        for one in &mut all.figures {
            one.ever = one.ever.max(one.now);
        }
        let arrivals = queries::arrivals(mirror, members, None, since)?;
        for one in &arrivals {
            all.arrive(one, since);
        }
        let new = arrivals.iter().filter(|one| one.day >= today - DAY).map(|one| one.count).sum();

        let mut sources = Vec::new();
        if let Some(source) = board.members.source().map(tables::Column::name) {
            let passages = queries::passages(mirror, table, Some(&source))?;
            let arrivals = queries::arrivals(mirror, members, Some(&source), since)?;
            sources.extend(self::parts(&passages, &arrivals, &places, columns.len(), since));
            sources.sort_by_key(|(_, part)| Reverse(part.weeks.iter().sum::<u64>()));
            sources.truncate(SOURCES);
        }
        let duplicates = duplicates(mirror, board)?;
        let mut twins: HashMap<String, Vec<usize>> = HashMap::new();
        for (one, place) in duplicates.iter().zip(0..) {
            for id in &one.ids {
                twins.entry(id.clone()).or_default().push(place);
            }
        }
        let mut waits = Vec::new();
        for days in WAITS {
            waits.push((days, queries::waiting(mirror, table, days_ago(today, days))?));
        }
        let mut counts = Self {
            moves: queries::moves(mirror, table, today - DAY..i64::MAX)?,
            columns,
            all,
            groups,
            sources,
            new,
            duplicates,
            twins,
            waits,
            ..Self::default()
        };
        let values: Vec<Option<&str>> = counts.open().collect();
        let filter = Filter::new().state(State::Present).one_of(board.placements.value, &values);
        let paging = Paging { order: Order::Changed, ..Paging::new(LINES) };
        counts.longest = mirror.browse(table, &filter, &paging)?.records;
        Ok(counts)
    }

    /// Returns the values that members leave. Only members with these values count as waiting.
    pub(crate) fn open(&self) -> impl Iterator<Item = Option<&str>> {
        self.columns.iter().filter(|one| !one.is_final).map(|one| one.value.as_deref())
    }

    /// Returns how many members have had each value for at least that number of days, excluding final values.
    pub(crate) fn waiting(&self, days: i64) -> impl Iterator<Item = (Option<&str>, u64)> {
        let of_days = self.waits.iter().filter(move |(one, _)| *one == days);
        let all = of_days.flat_map(|(_, all)| all).map(|(value, count)| (value.as_deref(), *count));
        all.filter(|(value, _)| self.open().any(|one| one == *value))
    }

    /// Returns the figures of a group, or of all members; `None` for a group without figures.
    pub(crate) fn part(&self, group: Option<&str>) -> Option<&Part> {
        let Some(id) = group else { return Some(&self.all) };
        self.groups.iter().find(|group| group.id == id).map(|group| &group.part)
    }

    /// Returns how many members have no known value.
    pub(crate) fn unknown(&self) -> u64 {
        let columns = self.columns.iter().zip(&self.all.figures);
        columns.filter(|(column, _)| column.value.is_none()).map(|(_, sum)| sum.now).sum()
    }

    /// Returns whether another member may be the same person.
    pub(crate) fn is_duplicate(&self, id: &str) -> bool {
        self.twins.contains_key(id)
    }

    /// Returns the other members that may be the same person.
    pub(crate) fn twins(&self, id: &str) -> Vec<&str> {
        let places = self.twins.get(id).into_iter().flatten();
        let all = places.filter_map(|place| self.duplicates.get(*place)).flat_map(|one| &one.ids);
        let twins: BTreeSet<&str> =
            all.map(|one| &**one).filter(|one| *one != id).take(1000).collect();
        twins.into_iter().take(DUPLICATES).collect()
    }
}

/// Returns the values in order, and the present groups with their counts.
fn columns(
    mirror: &Mirror,
    board: &Board,
    order: &ValueGroups,
    passages: &[Passage],
) -> Result<(Vec<Column>, Vec<BoardGroup>), Error> {
    let ends = queries::ends(passages, order, board.known_values);
    let is_final = |value: &str| ends.contains(value);
    // The team's values, then the values in the contract and any others that were found. Of those that the team does
    // not list, final values come last.
    let mut found: Vec<&str> = passages.iter().map(|one| &*one.value).collect();
    found.sort_unstable();
    let mut known: Vec<&str> =
        order.iter().flat_map(|(_, values)| values).map(String::as_str).collect();
    let mut others = Vec::new();
    for value in board.known_values.iter().copied().chain(found) {
        if !known.contains(&value) && !others.contains(&value) {
            others.push(value);
        }
    }
    others.sort_by_key(|value| is_final(value));
    known.extend(others);
    let counted = queries::board(mirror, board.placements.table, &known, true)?;
    let column = |value: Option<String>| {
        let is_final = value.as_deref().is_some_and(is_final);
        let of_team = order.iter().find(|(_, all)| value.iter().any(|one| all.contains(one)));
        let stage = match of_team {
            Some((name, _)) => name.clone().unwrap_or_default(),
            None if !order.is_empty() || value.is_none() => "Other".to_owned(),
            None if is_final => "Final".to_owned(),
            None => "In progress".to_owned(),
        };
        Column { value, stage, is_final }
    };
    Ok((counted.values.into_iter().map(column).collect(), counted.groups))
}

/// Returns the figures of each group or source.
fn parts(
    passages: &[Passage],
    arrivals: &[Arrivals],
    places: &HashMap<&str, usize>,
    columns: usize,
    since: i64,
) -> BTreeMap<Option<String>, Part> {
    let mut parts = BTreeMap::new();
    for one in passages {
        let part = parts.entry(one.by.clone()).or_insert_with(|| Part::new(columns));
        let place = places.get(&*one.value).and_then(|place| part.figures.get_mut(*place));
        if let Some(figures) = place {
            (figures.ever, figures.left, figures.time) = (one.ever, one.left, one.median);
        }
    }
    for one in arrivals {
        let part = parts.entry(one.source.clone()).or_insert_with(|| Part::new(columns));
        part.arrive(one, since);
    }
    parts
}

/// Returns the present groups with their figures, the largest first, and adds how many members have each value now to
/// those of all members.
fn groups(
    present: Vec<BoardGroup>,
    mut parts: BTreeMap<Option<String>, Part>,
    all: &mut Part,
) -> Vec<Group> {
    let mut groups = Vec::new();
    for group in present {
        let part = parts.remove(&Some(group.id.clone()));
        let mut part = part.unwrap_or_else(|| Part::new(all.figures.len()));
        for ((one, sum), cell) in part.figures.iter_mut().zip(&mut all.figures).zip(group.cells) {
            (one.now, one.half) = (cell.count, cell.median);
            // Without a history, only the members that have the value now are known.
            one.ever = one.ever.max(one.now);
            sum.now += one.now;
        }
        let title = group.title.filter(|title| !title.trim().is_empty());
        groups.push(Group { title: title.unwrap_or_else(|| group.id.clone()), id: group.id, part });
    }
    groups.sort_by_cached_key(|one| {
        (Reverse(one.part.total()), one.title.to_lowercase(), one.id.clone())
    });
    groups
}

/// Returns the members with the same e-mail address or phone number.
fn duplicates(mirror: &Mirror, board: &Board) -> Result<Vec<Duplicate>, Error> {
    let of = |kind| -> Vec<String> {
        let columns = board.members.columns().iter();
        columns.filter(|one| contact(one) == Some(kind)).map(tables::Column::name).collect()
    };
    let (mails, phones) = (of(Contact::Mail), of(Contact::Phone));
    let [mails, phones] =
        [&mails, &phones].map(|all| all.iter().map(|one| &**one).collect::<Vec<&str>>());
    queries::duplicates(mirror, board.members.name(), &mails, &phones)
}

pub(crate) fn label(value: Option<&str>) -> &str {
    match value {
        None => "Unknown",
        Some("") => "(empty)",
        Some(value) => value,
    }
}

/// The numbers of days after which a member can count as waiting.
pub(crate) const WAITS: [i64; 3] = [7, 14, 30];

/// Number of weeks in the count of new members.
pub(crate) const WEEKS: usize = 12;

/// Number of days in the count of new members.
const ARRIVALS: i64 = 12 * 7;

/// Maximum number of sources.
const SOURCES: usize = 50;

/// Maximum number of duplicates that a record's page names.
const DUPLICATES: usize = 20;
