//! The past runs, samples and clean-ups of a store in memory.

use crate::error::Error;
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::store::memory::MemoryStore;
use crate::store::memory::content::Content;
use crate::store::upkeep_store::{Removal, SAMPLES_KEPT, UpkeepStore};

impl UpkeepStore for MemoryStore {
    fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error> {
        let mut content = self.content.clone();
        let removed = content.remove(removal);
        if !removal.is_dry_run {
            self.content = content;
        }
        Ok(removed)
    }

    /// A mirror in memory has no database that could be damaged.
    fn damage(&mut self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    fn add_history(&mut self, runs: &[PastRun], samples: &[Sample]) -> Result<(), Error> {
        let Content { runs: all, samples: taken, .. } = &mut self.content;
        all.extend_from_slice(runs);
        all.drain(..all.len().saturating_sub(size(PastRun::KEPT)));
        for sample in samples {
            taken.push(sample.clone());
            let of_gauge = taken.iter().filter(|one| one.gauge == sample.gauge).count();
            let oldest = taken.iter().position(|one| one.gauge == sample.gauge);
            if of_gauge > size(SAMPLES_KEPT)
                && let Some(oldest) = oldest
            {
                taken.remove(oldest);
            }
        }
        Ok(())
    }

    fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error> {
        Ok(self.content.runs.iter().rev().take(limit).cloned().collect())
    }

    fn rejections(&mut self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error> {
        let table = self.content.tables.get(table);
        let rejections = table.map(|table| &*table.rejections).unwrap_or_default();
        Ok(rejections.iter().take(limit).cloned().collect())
    }

    fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        let samples = self.content.samples.iter();
        Ok(samples.filter(|one| one.gauge == gauge && one.at >= since).cloned().collect())
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
