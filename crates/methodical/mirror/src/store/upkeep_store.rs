//! The part of the trait of stores that has past runs, samples, backups and clean-ups.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::keep::backup::{Backup, Existing};

/// A place that keeps past runs and samples, and is backed up, checked and cleaned up.
pub(crate) trait UpkeepStore {
    /// Returns whether erased values may remain in the log of the database.
    fn has_traces(&self) -> bool {
        false
    }

    /// Writes the last committed state to a file.
    fn backup(&mut self, _to: &Path, _existing: Existing, _at: i64) -> Result<(), Error> {
        let text = "cannot back up the mirror: it is not a SQLite file; use the tools of its database, such as `pg_dump`";
        Err(Error::new(ErrorKind::Store, text))
    }

    /// Returns the backups that were made, by path.
    fn backups(&mut self) -> Result<Vec<Backup>, Error> {
        Ok(Vec::new())
    }

    /// Removes a backup from the list. Returns whether it was there.
    fn drop_backup(&mut self, _path: &Path) -> Result<bool, Error> {
        Ok(false)
    }

    /// Removes rows and changes in a transaction, unless it is a dry run. Returns how many. Fails if another process syncs.
    fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error>;

    /// Gives free space back to the operating system if there is much of it. Returns how many bytes.
    fn compact(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    /// Returns the damage that the database finds in itself, without values of records.
    fn damage(&mut self) -> Result<Vec<String>, Error>;

    /// Adds runs and samples in one transaction, and removes the oldest ones.
    fn add_history(&mut self, runs: &[PastRun], samples: &[Sample]) -> Result<(), Error>;

    /// Returns the last runs, the latest one first.
    fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error>;

    /// Returns the rejected records of the last list of a table, at most `limit`, in the order of the list.
    fn rejections(&mut self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error>;

    /// Returns the samples of a gauge at or after a time, the earliest one first.
    fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error>;
}

/// The rows and changes to remove.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removal {
    /// Records that were gone or forgotten before this time; `None` for no records.
    pub(crate) gone_before: Option<i64>,
    /// The changes up to this number.
    pub(crate) until: i64,
    pub(crate) is_dry_run: bool,
}

/// Maximum number of samples of each gauge.
pub(crate) const SAMPLES_KEPT: u32 = 100_000;
