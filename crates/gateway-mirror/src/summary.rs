//! The result of a sync of all tables.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::report::Report;

/// The result of [`Mirror::sync_all`](crate::Mirror::sync_all).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SyncReport {
    /// One report for each table, in the order of the service: first lists, then recovered tables.
    pub tables: Vec<TableReport>,
    /// Why nothing was begun, if the options do not fit the service.
    pub refused: Option<Error>,
    /// How many calls were made. The further pages of a list, and the retries of the client, are not counted.
    pub calls: u64,
    /// Duration of the whole sync.
    pub elapsed: Duration,
}

/// The result of one table.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableReport {
    /// The name of the table.
    pub table: &'static str,
    /// The counts of the sync. After an error, the table is as it was before.
    pub result: Result<Report, Error>,
    /// How many calls were made for it, counted as in [`SyncReport::calls`].
    pub calls: u64,
    /// Duration of its sync.
    pub elapsed: Duration,
}

impl SyncReport {
    /// Returns the errors of the tables.
    pub fn failures(&self) -> impl Iterator<Item = &Error> {
        let tables = self.tables.iter().filter_map(|table| table.result.as_ref().err());
        self.refused.iter().chain(tables)
    }

    /// Returns an error with this report if any part of the sync failed.
    pub(crate) fn checked(self) -> Result<Self, SyncError> {
        if self.failures().next().is_none() { Ok(self) } else { Err(SyncError(Box::new(self))) }
    }
}

/// The error of a sync of all tables: at least one table failed. The others were committed.
#[derive(Debug)]
pub struct SyncError(Box<SyncReport>);

impl SyncError {
    /// Returns the report, which has the errors and what was committed.
    pub fn report(&self) -> &SyncReport {
        &self.0
    }

    /// Returns the report, which has the errors and what was committed.
    pub fn into_report(self) -> SyncReport {
        *self.0
    }

    /// Returns the kind of the first error.
    pub fn kind(&self) -> ErrorKind {
        self.0.failures().next().map_or(ErrorKind::Store, Error::kind)
    }

    /// Creates the error of options that do not fit the service.
    pub(crate) fn refused(error: Error) -> Self {
        Self(Box::new(SyncReport { refused: Some(error), ..SyncReport::default() }))
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = &self.0.refused {
            return error.fmt(f);
        }
        let tables = &self.0.tables;
        let failed = tables.iter().filter(|table| table.result.is_err()).count();
        write!(f, "cannot sync {failed} of {} tables", tables.len())?;
        for table in tables {
            if let Err(error) = &table.result {
                write!(f, "; `{}`: {error}", table.table)?;
            }
        }
        Ok(())
    }
}

impl StdError for SyncError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.failures().next().map(|error| {
            let error: &(dyn StdError + 'static) = error;
            error
        })
    }
}
