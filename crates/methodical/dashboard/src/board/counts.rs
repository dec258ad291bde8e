//! The figures of a board: counts, moves, and who waits.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use methodical_mirror::queries::{self, Arrivals, BoardGroup, Move, Passage};
use methodical_mirror::{Error, Mirror, TableStatus};

use crate::cells::{Contact, contact};
use crate::outline::{Board, Outline};
use crate::records::view::name;
use crate::time::{DAY, midnight};

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
                boards.insert(board.placements.table, Arc::new(Counts::read(mirror, board, now)?));
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
    /// The sum of each column.
    pub(crate) sums: Vec<u64>,
    /// The moves since the day before.
    pub(crate) moves: Vec<Move>,
    /// The members that came in the last weeks, by day and source.
    pub(crate) arrivals: Vec<Arrivals>,
    /// How many members of each group had each value, and how long.
    pub(crate) passages: Vec<Passage>,
    /// The other members that may be the same person, by identity.
    pub(crate) duplicates: HashMap<String, Vec<String>>,
    /// How many have had each value for that number of days.
    waits: Vec<Wait>,
}

/// A number of days, and how many have had each value for at least that time.
type Wait = (i64, Vec<(Option<String>, u64)>);

impl Counts {
    /// Counts a board.
    pub(crate) fn read(mirror: &Mirror, board: &Board, now: i64) -> Result<Self, Error> {
        let table = board.placements.table;
        let counted = queries::board(mirror, table, board.known_values, true)?;
        let (columns, mut groups) = (counted.values, counted.groups);
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
        let members = board.members.name();
        Ok(Self {
            columns,
            groups,
            sums,
            moves: queries::moves(mirror, table, today - DAY..i64::MAX)?,
            arrivals: queries::arrivals(mirror, members, None, today - ARRIVALS * DAY)?,
            passages: queries::passages(mirror, table, None)?,
            duplicates: duplicates(mirror, board)?,
            waits,
        })
    }

    /// Returns how many have had each value for that number of days, without those whose value is the end.
    pub(crate) fn waiting(&self, days: i64) -> impl Iterator<Item = (Option<&str>, u64)> {
        let of_days = self.waits.iter().filter(move |(one, _)| *one == days);
        let all = of_days.flat_map(|(_, all)| all).map(|(value, count)| (value.as_deref(), *count));
        all.filter(|(value, _)| !self.is_final(*value))
    }

    /// Returns whether members seldom leave a value: fewer than one in ten did. The first value is never one of them.
    pub(crate) fn is_final(&self, value: Option<&str>) -> bool {
        let is_first = self.columns.first().is_some_and(|first| first.as_deref() == value);
        let of_value = self.passages.iter().filter(|one| Some(&*one.value) == value);
        let (ever, left) =
            of_value.fold((0, 0), |(ever, left), one| (ever + one.ever, left + one.left));
        !is_first && left * 10 < ever
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

/// For how many days new members are counted.
const ARRIVALS: i64 = 12 * 7;

/// Maximum number of members that a duplicate value names.
const DUPLICATES: usize = 20;
