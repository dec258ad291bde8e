//! The content of a mirror in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::engine::Before;
use crate::engine::known::Known;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::fields::hash::Hash;
use crate::fields::row::Row;
use crate::fields::shape::Shape;
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::store::kept::Times;
use crate::store::memory::spells::Spells;
use crate::store::upkeep_store::Removal;

/// Everything that a transaction may change.
#[derive(Clone, Default)]
pub(crate) struct Content {
    pub(crate) tables: BTreeMap<String, Table>,
    pub(crate) shapes: Vec<Arc<Shape>>,
    pub(crate) changes: Vec<Change>,
    pub(crate) pruned: i64,
    pub(crate) last: i64,
    pub(crate) suppressed: BTreeSet<(String, Hash)>,
    pub(crate) consumers: BTreeMap<String, Consumer>,
    pub(crate) notes: BTreeMap<String, String>,
    pub(crate) runs: Vec<PastRun>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) spells: Spells,
}

impl Content {
    pub(crate) fn suppressed(&self, table: &str) -> HashSet<Hash> {
        let suppressed = self.suppressed.iter().filter(|(one, _)| one == table);
        suppressed.map(|(_, id)| *id).collect()
    }

    /// Removes rows and changes. Returns how many.
    pub(crate) fn remove(&mut self, removal: &Removal) -> (u64, u64) {
        let before = (self.rows(), self.changes.len());
        for (name, table) in &mut self.tables {
            table.rows.retain(|_, stored| {
                let gone_at = stored.times.gone_at;
                gone_at.is_none_or(|at| removal.gone_before.is_none_or(|before| at >= before))
            });
            let Table { rows, keys, .. } = table;
            keys.retain(|_, key| rows.contains_key(key));
            self.spells.keep_rows(name, |id| keys.contains_key(id));
        }
        self.changes.retain(|change| change.number > removal.until);
        self.pruned = self.pruned.max(removal.until);
        let after = (self.rows(), self.changes.len());
        ((before.0 - after.0) as u64, (before.1 - after.1) as u64)
    }

    fn rows(&self) -> usize {
        self.tables.values().map(|table| table.rows.len()).sum()
    }
}

/// The table of a scope.
#[derive(Clone, Default)]
pub(crate) struct Table {
    pub(crate) scope: String,
    pub(crate) completed_at: Option<i64>,
    pub(crate) counts: Before,
    /// How many records of the last list were rejected.
    pub(crate) rejected: u64,
    /// The first of them.
    pub(crate) rejections: Vec<Rejection>,
    pub(crate) shape: i64,
    pub(crate) rows: BTreeMap<i64, Stored>,
    pub(crate) keys: HashMap<String, i64>,
}

/// A row.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) known: Known,
    pub(crate) id: String,
    pub(crate) times: Times,
    pub(crate) row: Row<'static>,
}
