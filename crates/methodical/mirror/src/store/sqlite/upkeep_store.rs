//! The past runs, samples, backups and clean-ups of a SQLite file.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::keep::backup::{Backup, Existing};
use crate::store::sqlite::failure::failed;
use crate::store::sqlite::{SqliteStore, backup, damage, history, purge};
use crate::store::upkeep_store::{Removal, UpkeepStore};

impl UpkeepStore for SqliteStore {
    fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error> {
        self.lock()?;
        let removed = purge::remove(&self.connection, removal)?;
        self.run(if removal.is_dry_run { "ROLLBACK" } else { "COMMIT" })?;
        Ok(removed)
    }

    fn compact(&mut self) -> Result<u64, Error> {
        purge::compact(&self.connection).map_err(failed)
    }

    fn damage(&mut self) -> Result<Vec<String>, Error> {
        damage::find(&self.connection)
    }

    fn has_traces(&self) -> bool {
        self.has_traces
    }

    fn backup(&mut self, to: &Path, existing: Existing, at: i64) -> Result<(), Error> {
        let Some(path) = &self.path else {
            let text = "cannot back up the mirror: it is in memory; use a file";
            return Err(Error::new(ErrorKind::Store, text));
        };
        backup::write(path, &self.connection, to, existing, at)
    }

    fn backups(&mut self) -> Result<Vec<Backup>, Error> {
        self.path.as_deref().map_or(Ok(Vec::new()), backup::all)
    }

    fn drop_backup(&mut self, path: &Path) -> Result<bool, Error> {
        self.path.as_deref().map_or(Ok(false), |mirror| backup::remove(mirror, path))
    }

    fn add_history(&mut self, runs: &[PastRun], samples: &[Sample]) -> Result<(), Error> {
        history::add(&mut self.connection, runs, samples).map_err(failed)
    }

    fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error> {
        history::runs(&self.connection, limit).map_err(failed)
    }

    fn rejections(&mut self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error> {
        history::rejections(&self.connection, table, limit).map_err(failed)
    }

    fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        history::samples(&self.connection, gauge, since).map_err(failed)
    }
}
