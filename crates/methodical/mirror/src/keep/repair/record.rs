//! Repairs one record.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::known::State;
use crate::error::Error;
use crate::feed::change::ChangeKind;
use crate::fields::hash::Hasher;
use crate::fields::omit;
use crate::keep::check::fold::Fold;
use crate::keep::contents;
use crate::keep::finding::{Check, FindingKind};
use crate::keep::forget::erase_known;
use crate::recovery::follow;
use crate::recovery::spells::value;
use crate::store::Store;
use crate::store::data::{Amendment, Kept, NewChange, SpellStep, SpellsOf, StepKind};

/// The repair of records in one transaction.
pub(crate) struct Records {
    at: i64,
    fold: Fold,
    hasher: Hasher,
    /// The recovered tables, with the column of the value.
    recovered: BTreeMap<String, String>,
    /// The mirror omits personal data.
    is_reduced: bool,
}

impl Records {
    pub(crate) fn new(store: &mut Store, at: i64) -> Result<Self, Error> {
        let pruned = store.feed()?.pruned;
        Ok(Self {
            at,
            fold: Fold::of(store, pruned, &mut Check::default())?,
            hasher: Hasher::new(&store.identity().secret, "record"),
            recovered: follow::recovered(store)?,
            is_reduced: omit::is_on(store)?,
        })
    }

    /// Repairs these findings of a record.
    pub(crate) fn one(
        &mut self,
        store: &mut Store,
        table: &str,
        id: &str,
        kinds: &BTreeSet<FindingKind>,
    ) -> Result<(), Error> {
        let has = |kind| kinds.contains(&kind);
        let Some(kept) = store.record(table, id)? else {
            store.erase_spells(table, SpellsOf::Record(id))?;
            return if has(FindingKind::Feed) {
                self.append(store, table, id, ChangeKind::Gone)
            } else {
                Ok(())
            };
        };
        let (key, state) = (kept.known.key, kept.known.state);
        if has(FindingKind::Forgotten) {
            return erase_known(store, table, kept.known, id, self.at);
        }
        if has(FindingKind::Erasure) {
            store.erase(table, key, state, kept.times.gone_at.unwrap_or(self.at))?;
        }
        if has(FindingKind::Hash) {
            let hash = contents::hash(&kept, &self.hasher)?;
            store.amend(table, key, Amendment::Hash(hash))?;
        }
        let is_live = matches!(state, State::Present | State::Missing);
        let column = self.value_column(table, &kept);
        match column {
            Some(column) if is_live && (has(FindingKind::Feed) || has(FindingKind::Spell)) => {
                self.begin_anew(store, table, &kept, column)
            }
            _ => {
                if has(FindingKind::Spell) {
                    self.end_spells(store, table, &kept, column.is_some())?;
                }
                let found = if state == State::Forgotten { State::Gone } else { state };
                let expected = self.fold.contradicts(table, &kept).unwrap_or(found);
                self.lead(store, table, id, expected, found)
            }
        }
    }

    /// Returns the index of the column whose values have spells.
    fn value_column(&self, table: &str, kept: &Kept) -> Option<usize> {
        let value = self.recovered.get(table)?;
        let index = kept.shape.columns.iter().position(|column| column.name == *value)?;
        let column = kept.shape.columns.get(index)?;
        (!(self.is_reduced && column.is_personal)).then_some(index)
    }

    /// Lets a placement leave and return in the feed, and begins a spell.
    fn begin_anew(
        &self,
        store: &mut Store,
        table: &str,
        kept: &Kept,
        column: usize,
    ) -> Result<(), Error> {
        let (at, id, is_missing) = (self.at, &*kept.id, kept.known.state == State::Missing);
        store.amend(table, kept.known.key, Amendment::ChangedAt(at))?;
        store.write_spell(&SpellStep { table, id, kind: StepKind::End { at } })?;
        let value = value(&kept.row, column);
        let begin = StepKind::Begin { value, at, began_before: true };
        store.write_spell(&SpellStep { table, id, kind: begin })?;
        self.append(store, table, id, ChangeKind::Gone)?;
        self.append(store, table, id, ChangeKind::Returned)?;
        if is_missing {
            // The begin is sent before the end.
            store.known(table, &[])?;
            store.write_spell(&SpellStep { table, id, kind: StepKind::End { at } })?;
            self.append(store, table, id, ChangeKind::Missing)?;
        }
        Ok(())
    }

    /// Ends or removes the spells of a record that is gone or forgotten, or whose values are personal.
    fn end_spells(
        &self,
        store: &mut Store,
        table: &str,
        kept: &Kept,
        has_spells: bool,
    ) -> Result<(), Error> {
        let id = &*kept.id;
        if has_spells && kept.known.state == State::Gone {
            let kind = StepKind::End { at: kept.times.gone_at.unwrap_or(self.at) };
            return store.write_spell(&SpellStep { table, id, kind });
        }
        store.erase_spells(table, SpellsOf::Record(id))
    }

    /// Appends the changes that lead from one state to another.
    fn lead(
        &self,
        store: &mut Store,
        table: &str,
        id: &str,
        from: State,
        to: State,
    ) -> Result<(), Error> {
        let kinds: &[ChangeKind] = match (from, to) {
            (State::Present, State::Missing) => &[ChangeKind::Missing],
            (State::Gone, State::Missing) => &[ChangeKind::Returned, ChangeKind::Missing],
            (State::Missing | State::Gone, State::Present) => &[ChangeKind::Returned],
            (State::Present | State::Missing, State::Gone) => &[ChangeKind::Gone],
            _ => &[],
        };
        kinds.iter().try_for_each(|kind| self.append(store, table, id, *kind))
    }

    fn append(
        &self,
        store: &mut Store,
        table: &str,
        id: &str,
        kind: ChangeKind,
    ) -> Result<(), Error> {
        store.append(&NewChange { at: self.at, table, id, kind, fields: &[] })
    }
}
