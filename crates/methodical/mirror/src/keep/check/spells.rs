//! The spells of a recovered table, compared with its rows and the feed.

use std::hash::{BuildHasher as _, RandomState};

use crate::engine::known::State;
use crate::error::Error;
use crate::feed::change::{Change, ChangeKind};
use crate::keep::finding::{Check, Finding, FindingKind};
use crate::keep::spell::SpellFilter;
use crate::recovery::spells::value;
use crate::store::Store;
use crate::store::data::{Direction, Kept, PAGE, SpellPage};

/// The begins of spells that the feed leads to, since a placement was gone for the last time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begins {
    count: u32,
    /// The sum of their times, which is the same for the same times.
    sum: i64,
}

impl Begins {
    /// Adds a change of a placement that was gone or not before.
    pub(crate) fn add(&mut self, change: &Change, was_gone: bool) {
        match change.kind {
            ChangeKind::Gone => *self = Self::default(),
            ChangeKind::Added | ChangeKind::ValueChanged => self.begin(change.at),
            ChangeKind::Returned if was_gone => self.begin(change.at),
            ChangeKind::Returned | ChangeKind::Changed | ChangeKind::Missing => {}
        }
    }

    fn begin(&mut self, at: i64) {
        self.count = self.count.saturating_add(1);
        self.sum = self.sum.wrapping_add(at);
    }

    /// Takes out one of the last spells.
    fn take(&mut self, began_at: i64) {
        if self.count > 0 {
            self.count -= 1;
            self.sum = self.sum.wrapping_sub(began_at);
        }
    }

    fn is_even(self) -> bool {
        self.count == 0 && self.sum == 0
    }
}

/// The spells of a table.
pub(crate) struct Spells {
    value: String,
    /// The mirror omits personal data.
    is_reduced: bool,
    hasher: RandomState,
    /// By row.
    rows: Vec<Spelled>,
}

/// The spells of a placement.
#[derive(Clone, Copy, Default)]
struct Spelled {
    /// The begins that the feed leads to, without those of the spells that exist.
    begins: Begins,
    latest: Option<Latest>,
    /// An earlier spell has no end.
    is_open_before: bool,
}

/// The latest spell of a placement.
#[derive(Clone, Copy)]
struct Latest {
    began_at: i64,
    has_ended: bool,
    /// The hash of the value.
    value: u64,
}

impl Spells {
    /// Reads the spells of a table with this column of values. A spell must belong to a row.
    pub(crate) fn of(
        store: &mut Store,
        table: &str,
        value: &str,
        is_reduced: bool,
        begins: &[Begins],
        check: &mut Check,
    ) -> Result<Self, Error> {
        let rows =
            begins.iter().map(|begins| Spelled { begins: *begins, ..Spelled::default() }).collect();
        let mut spells =
            Self { value: value.to_owned(), is_reduced, hasher: RandomState::new(), rows };
        let (filter, mut direction) = (SpellFilter::new(), Direction::Before(i64::MAX));
        loop {
            let page =
                store.spells(&SpellPage { table, filter: &filter, direction, limit: PAGE })?;
            let Some(last) = page.last() else { return Ok(spells) };
            direction = Direction::Before(last.number);
            let ids: Vec<&str> = page.iter().map(|spell| &*spell.id).collect();
            for (spell, known) in page.iter().zip(store.known(table, &ids)?) {
                let Some(key) = known.and_then(|known| usize::try_from(known.key).ok()) else {
                    let (table, id) = (Some(table.to_owned()), Some(spell.id.clone()));
                    let cause = "it has a spell, and the table does not have it".to_owned();
                    check.add(Finding { kind: FindingKind::Spell, table, id, cause });
                    continue;
                };
                if key >= spells.rows.len() {
                    spells.rows.resize(key + 1, Spelled::default());
                }
                let value = spells.hasher.hash_one(spell.value.as_deref());
                let Some(row) = spells.rows.get_mut(key) else { continue };
                row.begins.take(spell.began_at);
                row.is_open_before |= row.latest.is_some() && spell.ended_at.is_none();
                let (began_at, has_ended) = (spell.began_at, spell.ended_at.is_some());
                row.latest.get_or_insert(Latest { began_at, has_ended, value });
            }
        }
    }

    /// Returns what is wrong with the spells of a placement.
    pub(crate) fn contradicts(&self, kept: &Kept) -> Option<&'static str> {
        let key = usize::try_from(kept.known.key).ok()?;
        let row = self.rows.get(key).copied().unwrap_or_default();
        let mut columns = kept.shape.columns.iter().enumerate();
        let (column, found) = columns.find(|(_, column)| column.name == self.value)?;
        if self.is_reduced && found.is_personal || kept.known.state == State::Forgotten {
            return row.latest.map(|_| "it has spells, which were to be erased");
        }
        if row.is_open_before {
            return Some("it has a spell without an end before the last one");
        }
        let is_current = row.latest.is_some_and(|latest| {
            latest.began_at == kept.times.changed_at
                && latest.value == self.hasher.hash_one(value(&kept.row, column))
        });
        let has_ended = row.latest.is_none_or(|latest| latest.has_ended);
        match kept.known.state {
            State::Present if !is_current || has_ended => {
                Some("its last spell is not that of its value")
            }
            State::Missing if !is_current || !has_ended => {
                Some("its last spell is not the ended one of its value")
            }
            State::Gone if !has_ended => Some("it is gone, and its last spell has no end"),
            State::Present | State::Missing if !row.begins.is_even() => {
                Some("its spells are not those that the feed leads to")
            }
            _ => None,
        }
    }
}
