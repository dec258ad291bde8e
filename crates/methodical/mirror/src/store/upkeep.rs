//! The past runs, samples, backups and clean-ups of a SQLite file.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::keep::backup::{Backup, Existing};
use crate::store::data::Removal;
use crate::store::failure::failed;
use crate::store::{Store, backup, damage, history, purge};

impl Store {
    /// Removes rows and changes in a transaction, unless it is a dry run. Returns how many. Fails if another process syncs.
    pub(crate) fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error> {
        self.lock()?;
        let removed = purge::remove(&self.connection, removal)?;
        self.run(if removal.is_dry_run { "ROLLBACK" } else { "COMMIT" })?;
        Ok(removed)
    }

    /// Gives free space back to the operating system if there is much of it. Returns how many bytes.
    pub(crate) fn compact(&mut self) -> Result<u64, Error> {
        purge::compact(&self.connection).map_err(failed)
    }

    /// Returns the damage that the database finds in itself, without values of records.
    pub(crate) fn damage(&mut self) -> Result<Vec<String>, Error> {
        damage::find(&self.connection)
    }

    /// Returns whether erased values may remain in the log of the database.
    pub(crate) fn has_traces(&self) -> bool {
        self.has_traces
    }

    /// Writes the last committed state to a file.
    pub(crate) fn backup(&mut self, to: &Path, existing: Existing, at: i64) -> Result<(), Error> {
        let Some(path) = &self.path else {
            let text = "cannot back up the mirror: it is in memory; use a file";
            return Err(Error::new(ErrorKind::Store, text));
        };
        backup::write(path, &self.connection, to, existing, at)
    }

    /// Returns the backups that were made, by path.
    pub(crate) fn backups(&mut self) -> Result<Vec<Backup>, Error> {
        self.path.as_deref().map_or(Ok(Vec::new()), backup::all)
    }

    /// Removes a backup from the list. Returns whether it was there.
    pub(crate) fn drop_backup(&mut self, path: &Path) -> Result<bool, Error> {
        self.path.as_deref().map_or(Ok(false), |mirror| backup::remove(mirror, path))
    }

    /// Adds runs and samples in one transaction, and removes the oldest ones.
    pub(crate) fn add_history(
        &mut self,
        runs: &[PastRun],
        samples: &[Sample],
    ) -> Result<(), Error> {
        history::add(&mut self.connection, runs, samples).map_err(failed)
    }

    /// Returns the last runs, the latest one first.
    pub(crate) fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error> {
        history::runs(&self.connection, limit).map_err(failed)
    }

    /// Returns the rejected records of the last list of a table, at most `limit`, in the order of the list.
    pub(crate) fn rejections(
        &mut self,
        table: &str,
        limit: usize,
    ) -> Result<Vec<Rejection>, Error> {
        history::rejections(&self.connection, table, limit).map_err(failed)
    }

    /// Returns the samples of a gauge at or after a time, the earliest one first.
    pub(crate) fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        history::samples(&self.connection, gauge, since).map_err(failed)
    }
}
