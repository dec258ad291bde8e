//! The open transaction of a command that creates a revision, the same for every database.

use crate::error::Error;
use crate::store::merge_sql::Target;
use crate::store::tally_sql::Added;

/// An open transaction. Every parameter and every column of the statements here is an integer.
pub(crate) trait Session {
    /// The query for the current time, in seconds since 1970.
    const NOW: &'static str;

    /// The statements on the rows that [`insert`](Self::insert) added.
    const ADDED: Added;

    /// Runs a statement and returns the number of affected rows.
    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error>;

    /// Runs a statement that adds staged rows, and returns their number.
    fn insert(
        &mut self,
        sql: &'static str,
        target: &Target,
        parameters: &[i64],
    ) -> Result<u64, Error>;

    /// Runs a query and returns its first row.
    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error>;

    /// Returns the stored text of the credit balance of an account.
    fn credits(&mut self, account: i64) -> Result<String, Error>;
}
