//! The open transaction of a command that creates a revision, the same for every database.

use crate::error::Error;

/// An open transaction. Every parameter and every column of the statements here is an integer.
pub(crate) trait Session {
    /// The query for the current time, in seconds since 1970.
    const NOW: &'static str;

    /// Runs a statement and returns the number of affected rows.
    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error>;

    /// Runs a query and returns its first row.
    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error>;
}
