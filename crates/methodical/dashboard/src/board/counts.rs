//! The figures of a board: counts, moves, and who waits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use methodical_mirror::queries::{self, Arrivals, BoardGroup, Move, Passage};
use methodical_mirror::{Error, Filter, Mirror, Order, Paging, Record, State, TableStatus};

use crate::cells::{Contact, contact};
use crate::outline::{Board, Outline, source};
use crate::records::view::name;
use crate::time::{DAY, midnight};
use crate::today::LINES;

/// The figures of all boards for one state of the mirror.
pub(crate) struct Known {
    version: Version,
    /// The start of its day.
    today: i64,
    pub(crate) tables: Vec<TableStatus>,
    /// By the table of their placements.
    boards: HashMap<&'static str, Arc<Counts>>,
}

/// A state of the mirror: the cursor after its last change, and when each table was complete.
pub(crate) type Version = (String, Vec<(String, Option<i64>, u64)>);

/// Returns the state of a mirror, with its tables.
pub(crate) fn version(mirror: &Mirror) -> Result<(Version, Vec<TableStatus>), Error> {
    // The cursor is read first: if a sync ends in between, the next version is another one.
    let cursor = mirror.cursor()?.to_string();
    let tables = mirror.tables()?;
    let of = |status: &TableStatus| (status.table.clone(), status.completed_at, status.present);
    Ok(((cursor, tables.iter().map(of).collect()), tables))
}

impl Known {
    /// Returns the figures from before if they are still those of the mirror, and counts otherwise.
    pub(crate) fn read(
        mirror: &Mirror,
        outline: &Outline,
        order: &ValueGroups,
        now: i64,
        before: Option<&Arc<Self>>,
    ) -> Result<Arc<Self>, Error> {
        let ((version, tables), today) = (version(mirror)?, midnight(now));
        if let Some(one) = before.filter(|one| one.version == version && one.today == today) {
            return Ok(Arc::clone(one));
        }
        let is_complete = |table: &str| {
            tables.iter().any(|status| status.table == table && status.completed_at.is_some())
        };
        let mut boards = HashMap::new();
        for board in &outline.boards {
            let parts = [board.members.name(), board.groups.name(), board.placements.table];
            if parts.into_iter().all(is_complete) {
                boards.insert(
                    board.placements.table,
                    Arc::new(Counts::read(mirror, board, order, now)?),
                );
            }
        }
        Ok(Arc::new(Self { version, today, tables, boards }))
    }

    /// Returns the counts of a board, which has none before its lists were complete.
    pub(crate) fn of(&self, board: &Board) -> Arc<Counts> {
        self.boards.get(board.placements.table).cloned().unwrap_or_default()
    }
}

/// The figures of all groups.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// The values of the contract, then the others, then `None` for the unknown ones.
    pub(crate) columns: Vec<Option<String>>,
    /// The groups, those with the most members first.
    pub(crate) groups: Vec<BoardGroup>,
    /// The group of the value of each column, as the team names it.
    pub(crate) stages: Vec<String>,
    /// The sum of each column.
    pub(crate) sums: Vec<u64>,
    /// The moves since the day before.
    pub(crate) moves: Vec<Move>,
    /// The members that came in the last weeks, by day and source.
    pub(crate) arrivals: Vec<Arrivals>,
    /// The start of the weeks.
    since: i64,
    /// How many members of each group had each value, and how long.
    passages: Vec<Passage>,
    /// The new members of each group by week.
    weeks: HashMap<String, Weeks>,
    pub(crate) sources: Vec<Source>,
    /// The other members that may be the same person, by identity.
    pub(crate) duplicates: HashMap<String, Vec<String>>,
    /// How many have had each value for that number of days.
    waits: Vec<Wait>,
    /// The first placements of those that wait for the longest time.
    pub(crate) longest: Vec<Record>,
}

/// A number for each of the last weeks, the latest one last.
pub(crate) type Weeks = [u64; WEEKS];

/// A source of members, such as a portal: its new members by week, and how many had each value.
pub(crate) type Source = (Option<String>, Weeks, Vec<Passage>);

/// The groups of values and their order, as the team names them.
pub(crate) type ValueGroups = [(Option<String>, Vec<String>)];

/// A number of days, and how many have had each value for at least that time.
type Wait = (i64, Vec<(Option<String>, u64)>);

impl Counts {
    /// Counts a board.
    pub(crate) fn read(
        mirror: &Mirror,
        board: &Board,
        order: &ValueGroups,
        now: i64,
    ) -> Result<Self, Error> {
        let table = board.placements.table;
        let passages = queries::passages(mirror, table, None)?;
        let is_final = |value: &str| is_final(&passages, board.known_values.first(), Some(value));
        // The values of the team, then those of the contract and others that were found: those that are seldom left are the last ones.
        let mut found: Vec<&str> = passages.iter().map(|one| &*one.value).collect();
        found.sort_unstable();
        let mut known: Vec<&str> =
            order.iter().flat_map(|(_, all)| all).map(|one| &**one).collect();
        let mut others = Vec::new();
        for value in board.known_values.iter().copied().chain(found) {
            if !known.contains(&value) && !others.contains(&value) {
                others.push(value);
            }
        }
        others.sort_by_key(|value| is_final(value));
        known.extend(others);
        let counted = queries::board(mirror, table, &known, true)?;
        let (columns, mut groups) = (counted.values, counted.groups);
        let stage = |value: &Option<String>| {
            let Some(value) = value else { return String::new() };
            match order.iter().find(|(_, values)| values.contains(value)) {
                Some((name, _)) => name.clone().unwrap_or_default(),
                None if !order.is_empty() => String::new(),
                None if is_final(value) => "Final".to_owned(),
                None => "In progress".to_owned(),
            }
        };
        let stages = columns.iter().map(stage).collect();
        groups.sort_by_cached_key(|group| {
            (Reverse(total(group)), title(group).to_lowercase(), group.id.clone())
        });
        let sum = |index: usize| {
            groups.iter().filter_map(|group| group.cells.get(index)).map(|cell| cell.count).sum()
        };
        let sums = (0..columns.len()).map(sum).collect();
        let today = midnight(now);
        let mut waits = Vec::new();
        for days in WAITS {
            waits.push((days, queries::waiting(mirror, table, today - days * DAY)?));
        }
        let (members, since) = (board.members.name(), today - ARRIVALS * DAY);
        let mut weeks: HashMap<String, Weeks> = HashMap::new();
        for one in queries::arrivals(mirror, table, Some(board.placements.group), since)? {
            add(weeks.entry(one.source.clone().unwrap_or_default()).or_default(), &one, since);
        }
        let mut counts = Self {
            columns,
            stages,
            groups,
            sums,
            moves: queries::moves(mirror, table, today - DAY..i64::MAX)?,
            arrivals: queries::arrivals(mirror, members, None, since)?,
            sources: sources(mirror, board, since)?,
            passages,
            weeks,
            since,
            duplicates: duplicates(mirror, board)?,
            waits,
            longest: Vec::new(),
        };
        let values: Vec<Option<&str>> = counts.open().collect();
        let filter = Filter::new().state(State::Present).one_of(board.placements.value, &values);
        let paging = Paging::new(LINES).order(Order::Changed);
        counts.longest = mirror.browse(table, &filter, &paging)?.records;
        Ok(counts)
    }

    /// Returns the values that members leave: only these count as waiting.
    pub(crate) fn open(&self) -> impl Iterator<Item = Option<&str>> {
        let values = self.columns.iter().map(Option::as_deref);
        values.filter(|one| !self.is_final(*one))
    }

    /// Returns how many have had each value for that number of days, without those whose value is the end.
    pub(crate) fn waiting(&self, days: i64) -> impl Iterator<Item = (Option<&str>, u64)> {
        let of_days = self.waits.iter().filter(move |(one, _)| *one == days);
        let all = of_days.flat_map(|(_, all)| all).map(|(value, count)| (value.as_deref(), *count));
        all.filter(|(value, _)| !self.is_final(*value))
    }

    /// Returns whether members seldom leave a value: fewer than one in ten did. The first value is never one of them.
    pub(crate) fn is_final(&self, value: Option<&str>) -> bool {
        let first = self.columns.first().and_then(Option::as_deref);
        is_final(&self.passages, first.as_ref(), value)
    }

    /// Returns how many members of a group, or of all, had each value.
    pub(crate) fn passages_of(&self, group: Option<&str>) -> impl Iterator<Item = &Passage> {
        self.passages.iter().filter(move |one| group.is_none() || one.by.as_deref() == group)
    }

    /// Returns the number of members with which those who reached a value are compared: those that have one now, or those of the
    /// value that most had, if others have gone.
    pub(crate) fn reach(&self, passed: &[&Passage], present: u64) -> u64 {
        let of_value = |column: &Option<String>| {
            let of_value = passed.iter().filter(|one| Some(&one.value) == column.as_ref());
            of_value.fold((0, 0), |(ever, left), one| (ever + one.ever, left + one.left))
        };
        let all: Vec<(u64, u64)> = self.columns.iter().map(of_value).collect();
        let now = all.iter().map(|(ever, left)| ever.saturating_sub(*left)).sum();
        all.iter().map(|(ever, _)| *ever).fold(present.max(now), u64::max)
    }

    /// Returns the new members of a group, or of all, by week.
    pub(crate) fn weeks_of(&self, group: Option<&str>) -> Weeks {
        if let Some(group) = group {
            return self.weeks.get(group).copied().unwrap_or_default();
        }
        let mut all = Weeks::default();
        for one in &self.arrivals {
            add(&mut all, one, self.since);
        }
        all
    }

    /// Returns the counts of a group, or the sums of all.
    pub(crate) fn of_group(&self, group: Option<&str>) -> Vec<u64> {
        let Some(id) = group else { return self.sums.clone() };
        let group = self.groups.iter().find(|group| group.id == id);
        group.map(|group| group.cells.iter().map(|cell| cell.count).collect()).unwrap_or_default()
    }

    /// Returns how many members have no known value.
    pub(crate) fn unknown(&self) -> u64 {
        let columns = self.columns.iter().zip(&self.sums);
        columns.filter(|(column, _)| column.is_none()).map(|(_, sum)| sum).sum()
    }
}

/// Adds new members to their week.
fn add(weeks: &mut Weeks, new: &Arrivals, since: i64) {
    let week = usize::try_from(new.day.saturating_sub(since) / (7 * DAY)).unwrap_or_default();
    if let Some(count) = weeks.get_mut(week.min(WEEKS - 1)) {
        *count += new.count;
    }
}

/// Returns whether members seldom leave a value: fewer than one in ten did. The first value is never one of them.
fn is_final(passages: &[Passage], first: Option<&&str>, value: Option<&str>) -> bool {
    let of_value = passages.iter().filter(|one| Some(&*one.value) == value);
    let (ever, left) =
        of_value.fold((0, 0), |(ever, left), one| (ever + one.ever, left + one.left));
    first.copied() != value && left * 10 < ever
}

/// Reads the new members and the values of each source, those with the most new members first.
fn sources(mirror: &Mirror, board: &Board, since: i64) -> Result<Vec<Source>, Error> {
    let Some(source) = source(board.members) else { return Ok(Vec::new()) };
    let mut all: BTreeMap<Option<String>, (Weeks, Vec<Passage>)> = BTreeMap::new();
    for one in queries::arrivals(mirror, board.members.name(), Some(&source), since)? {
        add(&mut all.entry(one.source.clone()).or_default().0, &one, since);
    }
    for one in queries::passages(mirror, board.placements.table, Some(&source))? {
        all.entry(one.by.clone()).or_default().1.push(one);
    }
    let mut all: Vec<_> = all.into_iter().map(|(name, (new, had))| (name, new, had)).collect();
    all.sort_by_key(|(_, weeks, _)| Reverse(weeks.iter().sum::<u64>()));
    all.truncate(SOURCES);
    Ok(all)
}

/// Returns the members with the same address or telephone number, by identity.
fn duplicates(mirror: &Mirror, board: &Board) -> Result<HashMap<String, Vec<String>>, Error> {
    let of = |kind| {
        let columns = board.members.columns().iter().filter(|one| contact(one) == Some(kind));
        columns.map(name).collect::<Vec<String>>()
    };
    let [mails, phones] = [of(Contact::Mail), of(Contact::Phone)];
    let [mails, phones] =
        [&mails, &phones].map(|names| names.iter().map(|name| &**name).collect::<Vec<&str>>());
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for one in queries::duplicates(mirror, board.members.name(), &mails, &phones)? {
        for id in &one.ids {
            let others = all.entry(id.clone()).or_default();
            let new = one.ids.iter().filter(|other| *other != id && !others.contains(other));
            let new: Vec<String> = new.take(DUPLICATES).cloned().collect();
            others.extend(new);
        }
    }
    Ok(all)
}

/// Returns the text of a column.
pub(crate) fn label(column: Option<&str>) -> &str {
    match column {
        None => "Unknown",
        Some("") => "(empty)",
        Some(value) => value,
    }
}

/// Returns the number of members of a group.
pub(crate) fn total(group: &BoardGroup) -> u64 {
    group.cells.iter().map(|cell| cell.count).sum()
}

/// Returns the title of a group, or else its identity.
pub(crate) fn title(group: &BoardGroup) -> &str {
    group.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&group.id)
}

/// After how many days a member counts as waiting. A reader can choose.
pub(crate) const WAITS: [i64; 3] = [7, 14, 30];

/// For how many weeks new members are counted.
pub(crate) const WEEKS: usize = 12;

/// The same in days.
const ARRIVALS: i64 = 12 * 7;

/// Maximum number of sources.
const SOURCES: usize = 50;

/// Maximum number of members that a duplicate value names.
const DUPLICATES: usize = 20;
