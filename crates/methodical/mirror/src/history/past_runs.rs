//! The history of a mirror: the last runs, and the last success.

use crate::error::Error;
use crate::history::past_run::PastRun;
use crate::history::report::Rejection;
use crate::mirror::{Mirror, lock};

impl Mirror {
    /// Returns the last syncs of tables by [`sync_all`](Self::sync_all), at most `limit`, the latest one first. A sync that
    /// was refused because another process synced is not among them, nor one that was killed.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for run in mirror.runs(10)? {
    ///         println!("{} {} {}", run.ended_at, run.table, run.outcome.as_str());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn runs(&self, limit: usize) -> Result<Vec<PastRun>, Error> {
        lock(&self.store).runs(limit)
    }

    /// Returns the records that the last list of a table had and that were rejected, at most `limit`, in the order of the list.
    /// A mirror in memory keeps the first 1,000.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for rejection in mirror.rejections("photo", 10)? {
    ///         println!("record {}: {}", rejection.index, rejection.reason);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn rejections(&self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error> {
        lock(&self.store).rejections(table, limit)
    }

    /// Returns since when the mirror is up to date, in seconds since 1970 (UTC): the earliest of the times at which the last
    /// list of each table was complete. `None` if a table, or every one, has had none.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// # let mirror = methodical_mirror::Mirror::in_memory()?;
    /// assert_eq!(mirror.last_success()?, None);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn last_success(&self) -> Result<Option<i64>, Error> {
        let tables = lock(&self.store).tables()?;
        let times: Option<Vec<i64>> = tables.iter().map(|table| table.completed_at).collect();
        Ok(times.and_then(|times| times.into_iter().min()))
    }
}
