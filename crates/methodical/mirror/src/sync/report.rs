//! The result of a sync of all tables.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::history::{Report, SampleReport};
use crate::recovery::coverage::{Coverage, GroupFailure};

/// The result of [`Mirror::sync_all`](crate::Mirror::sync_all).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SyncReport {
    /// One report for each table, in the order of the service: first lists, then recovered tables.
    pub tables: Vec<TableReport>,
    /// One sample for each gauge of the service.
    pub samples: Vec<SampleReport>,
    /// An error that belongs to no table: the options do not fit the service or another process syncs, so that nothing was
    /// begun, or the history and the samples could not be written.
    pub error: Option<Error>,
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
    /// How many values are known, if the table is a recovered one.
    pub coverage: Option<Coverage>,
    /// The groups of a recovered table whose values could not be recovered.
    pub failures: Vec<GroupFailure>,
    /// How many calls were made for it, counted as in [`SyncReport::calls`].
    pub calls: u64,
    /// Duration of its sync.
    pub elapsed: Duration,
}

impl SyncReport {
    /// Returns all errors: those of tables, groups and gauges, and the one that belongs to none of them.
    pub fn failures(&self) -> impl Iterator<Item = &Error> {
        let samples = self.samples.iter().filter_map(|sample| sample.result.as_ref().err());
        self.tables.iter().flat_map(TableReport::errors).chain(samples).chain(&self.error)
    }

    /// Returns an error with this report if any part of the sync failed.
    pub(crate) fn checked(self) -> Result<Self, SyncError> {
        if self.failures().next().is_none() { Ok(self) } else { Err(SyncError(Box::new(self))) }
    }
}

impl TableReport {
    /// Returns its errors: its own, and those of its groups.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Error> {
        let groups = self.failures.iter().map(|failure| &failure.error);
        self.result.as_ref().err().into_iter().chain(groups)
    }
}

/// The error of a sync of all tables: a table, a group of a recovered one, or a gauge failed. The others were
/// committed.
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
        Self(Box::new(SyncReport { error: Some(error), ..SyncReport::default() }))
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyncReport { tables, samples, error, .. } = &*self.0;
        let failed = tables.iter().filter(|table| table.errors().next().is_some()).count();
        let mut parts = Vec::new();
        if failed > 0 {
            parts.push(format!("cannot sync {failed} of {} tables", tables.len()));
        }
        for table in tables {
            let mut errors = table.errors();
            let Some(error) = errors.next() else { continue };
            let more = match errors.count() {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            parts.push(format!("`{}`: {error}{more}", table.table));
        }
        let samples = samples.iter().filter_map(|sample| sample.result.as_ref().err());
        parts.extend(samples.chain(error).map(ToString::to_string));
        f.write_str(&parts.join("; "))
    }
}

impl StdError for SyncError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source: &(dyn StdError + 'static) = self.0.failures().next()?;
        Some(source)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::time::Duration;

    use super::{SyncError, SyncReport, TableReport};
    use crate::error::{Error, ErrorKind};
    use crate::history::{Report, SampleReport};
    use crate::recovery::coverage::GroupFailure;

    fn table(table: &'static str, result: Result<Report, Error>, groups: &[&str]) -> TableReport {
        let failures = groups.iter().map(|group| GroupFailure {
            group: (*group).to_owned(),
            error: Error::new(ErrorKind::Call, format!("cannot ask for {group}")),
        });
        let failures = failures.collect();
        TableReport { table, result, coverage: None, failures, calls: 0, elapsed: Duration::ZERO }
    }

    #[test]
    fn the_text_has_the_first_error_of_each_part() {
        let error = |kind, text: &'static str| Error::new(kind, text);
        let report = SyncReport {
            tables: vec![
                table("album", Ok(Report::default()), &[]),
                table("photo", Err(error(ErrorKind::DeletionGuard, "cannot commit")), &[]),
                table("photo_album", Ok(Report::default()), &["a", "b", "c"]),
            ],
            samples: vec![SampleReport {
                gauge: "storage",
                result: Err(error(ErrorKind::Gauge, "cannot read `storage`")),
            }],
            error: Some(error(ErrorKind::Store, "cannot write the history")),
            ..SyncReport::default()
        };
        let error = report.checked().unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot sync 2 of 3 tables; `photo`: cannot commit; \
             `photo_album`: cannot ask for a (and 2 more); cannot read `storage`; \
             cannot write the history"
        );
        assert_eq!(
            (error.kind(), error.report().failures().count()),
            (ErrorKind::DeletionGuard, 6)
        );
        assert_eq!(error.source().unwrap().to_string(), "cannot commit");
    }

    #[test]
    fn options_that_are_refused_have_only_their_error() {
        let error = SyncError::refused(Error::new(ErrorKind::Table, "cannot sync `fotos`"));
        assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Table, "cannot sync `fotos`"));
        assert!(SyncReport::default().checked().is_ok());
    }
}
