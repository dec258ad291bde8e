//! A store in memory: the reference for the others, and for programs that keep nothing.

pub(crate) mod accept;
mod content;
mod feed_store;
mod lease;
mod record_store;
mod spells;
mod upkeep_store;

use std::collections::HashSet;
use std::sync::Arc;

use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::engine::known_rows::KnownRows;
use crate::error::{Error, ErrorKind};
use crate::feed::change::Change;
use crate::feed::cursor::Identity;
use crate::fields::hash::{Hash, Secret, fill};
use crate::fields::shape::Shape;
use crate::history::report::Rejection;
use crate::keep::filter::Filter;
use crate::keep::spell::Spell;
use crate::store::amend::Amendment;
use crate::store::kept::{Kept, Live, Times};
use crate::store::memory::content::{Content, Stored, Table};
use crate::store::memory::lease::Leases;
use crate::store::record_store::RecordStore as _;
use crate::store::spells::{SpellPage, SpellStep, SpellsOf};
use crate::store::{
    End, Erased, Mark, NewChange, NewRows, Omitted, PAGE, Scope, Start, Store, Written, other_scope,
};

/// A mirror in memory.
pub(crate) struct MemoryStore {
    identity: Identity,
    content: Content,
    leases: Leases,
    /// The content before the transaction.
    saved: Option<Content>,
}

impl MemoryStore {
    pub(crate) fn new() -> Result<Self, Error> {
        let mut id = [0; 16];
        fill(&mut id)?;
        let identity = Identity { id, secret: Secret::random()?, source: String::new() };
        let (content, leases) = (Content::default(), Leases::default());
        Ok(Self { identity, content, leases, saved: None })
    }

    fn table(&mut self, name: &str) -> Result<&mut Table, Error> {
        let unknown = || Error::new(ErrorKind::Table, format!("the mirror has no table `{name}`"));
        self.content.tables.get_mut(name).ok_or_else(unknown)
    }

    fn stored(&mut self, table: &str, key: i64) -> Result<&mut Stored, Error> {
        let unknown = || Error::new(ErrorKind::Store, "the mirror lacks a row");
        self.table(table)?.rows.get_mut(&key).ok_or_else(unknown)
    }

    fn shape(&self, number: i64) -> Result<Arc<Shape>, Error> {
        let shape = usize::try_from(number).ok().and_then(|number| self.content.shapes.get(number));
        shape.cloned().ok_or_else(|| Error::new(ErrorKind::Store, "the mirror lacks a shape"))
    }
}

impl Store for MemoryStore {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn begin(&mut self, scope: Scope<'_>, shape: &Shape) -> Result<Start, Error> {
        self.saved = Some(self.content.clone());
        let content = &mut self.content;
        let number = content.shapes.iter().position(|one| **one == *shape);
        let number = number.unwrap_or_else(|| {
            content.shapes.push(Arc::new(shape.clone()));
            content.shapes.len() - 1
        });
        let table = content.tables.entry(scope.table.to_owned()).or_default();
        if table.scope.is_empty() {
            scope.name.clone_into(&mut table.scope);
        }
        if table.scope != scope.name {
            return Err(other_scope(scope, &table.scope));
        }
        table.shape = i64::try_from(number).unwrap_or_default();
        table.rejected = 0;
        table.rejections.clear();
        Ok(Start {
            is_first: table.completed_at.is_none(),
            shape: table.shape,
            before: table.counts,
            next_key: table.rows.last_key_value().map_or(1, |(key, _)| key + 1),
            suppressed: content.suppressed(scope.table),
        })
    }

    fn begin_forgetting(&mut self, table: &str) -> Result<Option<Before>, Error> {
        self.saved = Some(self.content.clone());
        Ok(self.content.tables.get(table).map(|table| table.counts))
    }

    fn begin_reading(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn known(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Option<Known>>, Error> {
        let table = self.table(table)?;
        let known = |id: &&str| Some(table.rows.get(table.keys.get(*id)?)?.known);
        Ok(ids.iter().map(known).collect())
    }

    fn known_after(&mut self, table: &str, key: i64, rows: &mut KnownRows) -> Result<(), Error> {
        let after = self.table(table)?.rows.range(key + 1..).take(PAGE);
        after.for_each(|(_, stored)| rows.push(&stored.id, stored.known));
        Ok(())
    }

    fn rows(&mut self, table: &str, keys: &[i64]) -> Result<Vec<Kept>, Error> {
        let kept = |key: &i64| {
            let Stored { known, id, times, row } = self.stored(table, *key)?.clone();
            Ok(Kept { known, id, times, row, shape: self.shape(known.shape)? })
        };
        keys.iter().map(kept).collect()
    }

    fn live_after(&mut self, table: &str, key: i64) -> Result<Vec<Live>, Error> {
        let rows = self.table(table)?.rows.range(key + 1..);
        let is_live =
            |stored: &&Stored| matches!(stored.known.state, State::Present | State::Missing);
        let live = |stored: &Stored| Live {
            key: stored.known.key,
            id: stored.id.clone(),
            misses: stored.known.misses,
        };
        Ok(rows.map(|(_, stored)| stored).filter(is_live).take(PAGE).map(live).collect())
    }

    fn write(&mut self, table: &str, written: &Written<'_>) -> Result<(), Error> {
        let table = self.table(table)?;
        let Written { key, shape, hashes: (hash, text), .. } = *written;
        let (hash, text) = (Some(hash), Some(text));
        let known = Known { key, state: State::Present, misses: 0, shape, hash, text };
        table.keys.insert(written.id.to_owned(), key);
        let (id, row) = (written.id.to_owned(), written.row.clone().into_owned());
        let before = table.rows.get(&key).map(|stored| stored.times);
        let first_seen = before.map_or(written.at, |times| times.first_seen);
        let unchanged = before.filter(|_| !written.is_changed);
        let changed_at = unchanged.map_or(written.at, |times| times.changed_at);
        let times = Times { first_seen, changed_at, ..Times::default() };
        table.rows.insert(key, Stored { known, id, times, row });
        Ok(())
    }

    fn insert(&mut self, table: &str, _at: i64, rows: &mut NewRows<'_>) -> Result<(), Error> {
        rows(&mut |written| {
            if self.table(table)?.keys.contains_key(written.id) {
                return Ok(false);
            }
            self.write(table, written).map(|()| true)
        })
    }

    fn mark(&mut self, table: &str, key: i64, mark: Mark) -> Result<(), Error> {
        let Stored { known, times, .. } = self.stored(table, key)?;
        (known.state, known.misses, times.missing_since) = match mark {
            Mark::Present => (State::Present, 0, None),
            Mark::Missing { misses, at } => {
                (State::Missing, misses, times.missing_since.or(Some(at)))
            }
        };
        Ok(())
    }

    fn erase(&mut self, table: &str, key: i64, state: State, at: i64) -> Result<(), Error> {
        let shape = self.stored(table, key)?.known.shape;
        let shape = self.shape(shape)?;
        let stored = self.stored(table, key)?;
        stored.row.erase(&shape);
        stored.known = Known { state, misses: 0, hash: None, text: None, ..stored.known };
        stored.times.gone_at = Some(at);
        Ok(())
    }

    fn omit(&mut self, table: &str, omitted: &[Omitted]) -> Result<(), Error> {
        for Omitted { key, row } in omitted {
            self.stored(table, *key)?.row = row.clone();
        }
        Ok(())
    }

    fn append(&mut self, change: &NewChange<'_>) -> Result<(), Error> {
        self.content.last += 1;
        self.content.changes.push(Change {
            number: self.content.last,
            at: change.at,
            table: change.table.to_owned(),
            id: change.id.to_owned(),
            kind: change.kind,
            fields: change.fields.to_vec(),
        });
        Ok(())
    }

    fn reject(&mut self, scope: &str, index: u64, reason: &str) -> Result<(), Error> {
        let mut tables = self.content.tables.values_mut();
        if let Some(table) = tables.find(|table| table.scope == scope) {
            table.rejected += 1;
            if table.rejections.len() < REJECTIONS_KEPT {
                table.rejections.push(Rejection { index, reason: reason.to_owned() });
            }
        }
        Ok(())
    }

    fn commit(&mut self, end: &End<'_>) -> Result<(), Error> {
        if let Some(table) = self.content.tables.get_mut(end.table) {
            table.counts = end.after;
            table.completed_at = end.completed_at.or(table.completed_at);
        }
        self.saved = None;
        Ok(())
    }

    fn roll_back(&mut self) {
        if let Some(saved) = self.saved.take() {
            self.content = saved;
        }
    }

    fn suppressed(&mut self, table: &str) -> Result<HashSet<Hash>, Error> {
        Ok(self.content.suppressed(table))
    }

    fn suppress(&mut self, table: &str, id: Hash, _at: i64) -> Result<(), Error> {
        self.content.suppressed.insert((table.to_owned(), id));
        Ok(())
    }

    fn unsuppress(&mut self, table: &str, id: Hash) -> Result<bool, Error> {
        Ok(self.content.suppressed.remove(&(table.to_owned(), id)))
    }

    fn note(&mut self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.content.notes.get(name).cloned())
    }

    fn set_note(&mut self, name: &str, text: &str) -> Result<(), Error> {
        self.content.notes.insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn erase_where(&mut self, erased: &Erased<'_>) -> Result<Vec<String>, Error> {
        let Erased { table, column, text, kept, state, at } = *erased;
        let filter = Filter::new().state(State::Present).state(State::Missing).column(column, text);
        let found = self.records(table, &filter, 0, usize::MAX)?;
        for Kept { known, shape, .. } in &found {
            self.erase(table, known.key, state, at)?;
            let cells = &mut self.stored(table, known.key)?.row.cells;
            let emptied = (cells.iter_mut().enumerate().zip(&shape.columns)).filter(
                |((index, _), column)| *index != shape.identity && !kept.contains(&column.name),
            );
            emptied.for_each(|((_, cell), _)| *cell = None);
            let counts = &mut self.table(table)?.counts;
            let count = match known.state {
                State::Missing => &mut counts.missing,
                _ => &mut counts.present,
            };
            *count = count.saturating_sub(1);
        }
        Ok(found.into_iter().map(|kept| kept.id).collect())
    }

    fn amend(&mut self, table: &str, key: i64, amendment: Amendment) -> Result<(), Error> {
        let stored = self.stored(table, key)?;
        match amendment {
            Amendment::Hash(hash) => (stored.known.hash, stored.known.text) = (Some(hash), None),
            Amendment::ChangedAt(at) => stored.times.changed_at = at,
        }
        Ok(())
    }

    fn set_counts(&mut self, table: &str, counts: Before) -> Result<(), Error> {
        self.table(table)?.counts = counts;
        Ok(())
    }

    fn write_spell(&mut self, step: &SpellStep<'_>) -> Result<(), Error> {
        self.content.spells.write(step);
        Ok(())
    }

    fn erase_spells(&mut self, table: &str, of: SpellsOf<'_>) -> Result<(), Error> {
        self.content.spells.erase(table, of);
        Ok(())
    }

    fn spells(&mut self, page: &SpellPage<'_>) -> Result<Vec<Spell>, Error> {
        Ok(self.content.spells.read(page))
    }
}

/// Maximum number of rejected records of a table that are kept.
const REJECTIONS_KEPT: usize = 1000;
