//! The records that a list lacks, and the rows that do not have their hash.

use crate::engine::known::State;
use crate::error::Error;
use crate::feed::change::ChangeKind;
use crate::fields::hash::Hash;
use crate::keep::contents;
use crate::keep::filter::Filter;
use crate::recovery::follow;
use crate::run::Run;
use crate::store::data::{Amendment, Live, Mark, PAGE};

impl Run<'_> {
    /// Invalidates the hashes of the rows whose contents have another one, so that the list replaces them.
    pub(crate) fn check_rows(&mut self) -> Result<(), Error> {
        if self.reader.is_reduced() {
            return Ok(());
        }
        let (filter, mut after) = (Filter::new().state(State::Present).state(State::Missing), 0);
        loop {
            let page = self.store.records(&self.table, &filter, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.known.key;
            for kept in &page {
                if kept.known.hash != Some(contents::hash(kept, &self.reader.records)?) {
                    self.report.damaged += 1;
                    self.store.amend(&self.table, kept.known.key, Amendment::Hash(DAMAGED))?;
                }
            }
        }
    }

    /// Leaves the present and missing records of a choice as they are: the list says nothing about them.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str, bool) -> bool) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let page = self.store.live_after(&self.table, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.key;
            for record in page.iter().filter(|record| is_kept(&record.id, record.misses > 0)) {
                self.comparison.keep(record.key, record.misses > 0);
                self.report.unchanged += u64::from(record.misses == 0);
            }
        }
    }

    /// Marks the records that the list lacks.
    pub(crate) fn mark_absent(&mut self) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let page = self.store.live_after(&self.table, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.key;
            for record in &page {
                if !self.comparison.has(record.key) {
                    self.mark_one(record)?;
                }
            }
        }
    }

    fn mark_one(&mut self, record: &Live) -> Result<(), Error> {
        let misses = record.misses.saturating_add(1);
        let count = match record.misses {
            0 => &mut self.after.present,
            _ => &mut self.after.missing,
        };
        *count = count.saturating_sub(1);
        if misses == 1
            && let Some(spells) = self.spells
        {
            spells.end(&mut self.store, &self.table, &record.id)?;
        }
        if misses >= self.rules.confirm {
            self.report.gone += 1;
            self.store.erase(&self.table, record.key, State::Gone, self.at)?;
            self.emit(&record.id, ChangeKind::Gone, &[])?;
            let (store, at) = (&mut self.store, self.at);
            return follow::erase(store, &self.referring, &record.id, State::Gone, at);
        }
        self.after.missing += 1;
        self.store.mark(&self.table, record.key, Mark::Missing { misses, at: self.at })?;
        if misses > 1 {
            return Ok(());
        }
        self.report.missing += 1;
        self.emit(&record.id, ChangeKind::Missing, &[])
    }
}

/// A hash that no contents have.
const DAMAGED: Hash = Hash::from_bytes([0; 16]);
