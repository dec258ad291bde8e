//! The past runs, samples and clean-ups of a schema of PostgreSQL.

use crate::error::Error;
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::store::postgres::{PostgresStore, history, purge};
use crate::store::upkeep_store::{Removal, UpkeepStore};

impl UpkeepStore for PostgresStore {
    fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error> {
        let removal = *removal;
        self.begin_with(move |session, schema| {
            let removed = purge::remove(session, schema, &removal)?;
            if !removal.is_dry_run {
                session.commit()?;
            }
            Ok(removed)
        })
    }

    /// PostgreSQL reports damage when it reads a page.
    fn damage(&mut self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    fn add_history(&mut self, runs: &[PastRun], samples: &[Sample]) -> Result<(), Error> {
        let (runs, samples) = (runs.to_vec(), samples.to_vec());
        self.call(move |session, schema| history::add(session, schema, &runs, &samples))
    }

    fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error> {
        self.call(move |session, schema| history::runs(session, schema, limit))
    }

    fn rejections(&mut self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error> {
        let table = table.to_owned();
        self.call(move |session, schema| history::rejections(session, schema, &table, limit))
    }

    fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        let gauge = gauge.to_owned();
        self.call(move |session, schema| history::samples(session, schema, &gauge, since))
    }
}
