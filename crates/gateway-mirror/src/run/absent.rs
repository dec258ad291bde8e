//! The records that a list lacks.

use crate::engine::known::State;
use crate::error::Error;
use crate::feed::change::ChangeKind;
use crate::recovery::follow;
use crate::run::Run;
use crate::store::Mark;
use crate::store::kept::Live;

impl Run<'_> {
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
            spells.end(&mut **self.store, &self.table, &record.id)?;
        }
        if misses >= self.rules.confirm {
            self.report.gone += 1;
            self.store.erase(&self.table, record.key, State::Gone, self.at)?;
            self.emit(&record.id, ChangeKind::Gone, &[])?;
            let (store, at) = (&mut **self.store, self.at);
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
