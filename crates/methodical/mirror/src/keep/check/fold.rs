//! The states that the feed leads to.

use std::collections::{BTreeMap, HashMap};

use crate::engine::known::State;
use crate::error::Error;
use crate::feed::change::{Change, ChangeKind};
use crate::keep::check::spells::Begins;
use crate::keep::finding::{Check, Finding, FindingKind};
use crate::recovery::follow;
use crate::store::Store;
use crate::store::data::{Kept, PAGE};

/// The state of each record after the changes of the feed.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    /// By table and row.
    states: HashMap<String, Vec<Folded>>,
    /// By table and row, for recovered tables.
    begins: HashMap<String, Vec<Begins>>,
    is_pruned: bool,
}

/// The state of a record after its changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Folded {
    /// The feed has no change of the record.
    #[default]
    Unnamed,
    Present,
    Missing,
    Gone,
}

impl Fold {
    /// Reads the feed. A record that it names must have a row, unless it is gone.
    pub(crate) fn of(store: &mut Store, pruned: i64, check: &mut Check) -> Result<Self, Error> {
        let recovered = follow::recovered(store)?.into_keys();
        let begins = recovered.map(|table| (table, Vec::new())).collect();
        let mut fold = Self { is_pruned: pruned > 0, begins, ..Self::default() };
        let mut without_row = BTreeMap::new();
        let mut after = pruned;
        loop {
            let changes = store.changes(after, PAGE)?;
            let Some(last) = changes.last() else { break };
            after = last.number;
            check.changes += changes.len() as u64;
            fold.apply(store, &changes, &mut without_row)?;
        }
        for ((table, id), state) in without_row {
            if state != Folded::Gone {
                let cause = "the feed names it, and the table does not have it".to_owned();
                let (table, id) = (Some(table), Some(id));
                check.add(Finding { kind: FindingKind::Feed, table, id, cause });
            }
        }
        Ok(fold)
    }

    fn apply(
        &mut self,
        store: &mut Store,
        changes: &[Change],
        without_row: &mut BTreeMap<(String, String), Folded>,
    ) -> Result<(), Error> {
        for run in changes.chunk_by(|one, next| one.table == next.table) {
            let Some(Change { table, .. }) = run.first() else { continue };
            let ids: Vec<&str> = run.iter().map(|change| &*change.id).collect();
            let states = self.states.entry(table.clone()).or_default();
            let mut begins = self.begins.get_mut(table);
            for (change, known) in run.iter().zip(store.known(table, &ids)?) {
                let state = Folded::after(change.kind);
                let key = known.and_then(|known| usize::try_from(known.key).ok());
                let Some(key) = key else {
                    without_row.insert((table.clone(), change.id.clone()), state);
                    continue;
                };
                if key >= states.len() {
                    states.resize(key + 1, Folded::Unnamed);
                }
                let Some(folded) = states.get_mut(key) else { continue };
                if let Some(begins) = &mut begins {
                    begins.resize(begins.len().max(key + 1), Begins::default());
                    let was_gone = *folded == Folded::Gone;
                    begins.iter_mut().skip(key).take(1).for_each(|one| one.add(change, was_gone));
                }
                *folded = state;
            }
        }
        Ok(())
    }

    /// Returns the begins of spells of a recovered table, by row; `None` of another table.
    pub(crate) fn begins(&self, table: &str) -> Option<&[Begins]> {
        self.begins.get(table).map(|begins| &**begins)
    }

    /// Returns the state that the feed leads to if the record has another one.
    pub(crate) fn contradicts(&self, table: &str, kept: &Kept) -> Option<State> {
        let key = usize::try_from(kept.known.key).ok()?;
        let folded = self.states.get(table).and_then(|states| states.get(key)).copied();
        let expected = match folded.unwrap_or_default() {
            Folded::Unnamed if self.is_pruned => return None,
            // The first sync of a table emits nothing.
            Folded::Unnamed | Folded::Present => State::Present,
            Folded::Missing => State::Missing,
            Folded::Gone => State::Gone,
        };
        let found = match kept.known.state {
            State::Forgotten => State::Gone,
            state => state,
        };
        (found != expected).then_some(expected)
    }
}

impl Folded {
    fn after(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Added
            | ChangeKind::Changed
            | ChangeKind::ValueChanged
            | ChangeKind::Returned => Self::Present,
            ChangeKind::Missing => Self::Missing,
            ChangeKind::Gone => Self::Gone,
        }
    }
}
