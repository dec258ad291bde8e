//! Brings all tables of a service up to date.

use std::collections::BTreeSet;

use gateway_client_core::transport::Instant;
use gateway_client_core::{Client, blocking};
use gateway_model_core::Mirrored;

use crate::error::Error;
use crate::mirror::Mirror;
use crate::options::SyncOptions;
use crate::report::Report;
use crate::summary::{SyncError, SyncReport, TableReport};
use crate::sync::budget::Budget;
use crate::sync::plan::Plan;

impl Mirror {
    /// Brings all tables of a service up to date, one after the other. Each is committed on its own, so an error of one
    /// does not undo the others.
    ///
    /// # Errors
    ///
    /// [`SyncError`] if a table failed; its report has the errors, and what was committed. The errors are those of
    /// [`sync`](Self::sync), and [`ErrorKind::Table`](crate::ErrorKind::Table) if the service lacks a table of the
    /// options.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_mirror::client::Client;
    /// use gateway_mirror::model::Mirrored;
    /// use gateway_mirror::{Mirror, SyncError, SyncOptions};
    ///
    /// async fn sync<S: Mirrored>(mirror: &mut Mirror, client: &Client<S>) -> Result<(), SyncError> {
    ///     let report = mirror.sync_all(client, &SyncOptions::new()).await?;
    ///     for table in &report.tables {
    ///         println!("{}: {:?}", table.table, table.result);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn sync_all<S: Mirrored>(
        &mut self,
        client: &Client<S>,
        options: &SyncOptions,
    ) -> Result<SyncReport, SyncError> {
        let (plan, mut progress) = begin::<S>(options)?;
        for list in plan.lists.iter().filter(|list| options.has_table(list.table().name())) {
            let begun = progress.begun();
            let result = list.sync(self, client, options.rules, &progress.budget).await;
            progress.add(list.table().name(), result, begun);
        }
        progress.finish()
    }

    /// Brings all tables of a service up to date, as [`sync_all`](Self::sync_all) does, without `async`.
    ///
    /// # Errors
    ///
    /// Those of [`sync_all`](Self::sync_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_mirror::client::blocking;
    /// use gateway_mirror::model::Mirrored;
    /// use gateway_mirror::{Mirror, SyncError, SyncOptions};
    ///
    /// fn sync<S: Mirrored>(mirror: &mut Mirror, client: &blocking::Client<S>) -> Result<(), SyncError> {
    ///     let report = mirror.sync_all_blocking(client, &SyncOptions::new())?;
    ///     println!("{} calls", report.calls);
    ///     Ok(())
    /// }
    /// ```
    pub fn sync_all_blocking<S: Mirrored>(
        &mut self,
        client: &blocking::Client<S>,
        options: &SyncOptions,
    ) -> Result<SyncReport, SyncError> {
        let (plan, mut progress) = begin::<S>(options)?;
        for list in plan.lists.iter().filter(|list| options.has_table(list.table().name())) {
            let begun = progress.begun();
            let result = list.sync_blocking(self, client, options.rules, &progress.budget);
            progress.add(list.table().name(), result, begun);
        }
        progress.finish()
    }
}

/// Returns what the service has, and the empty report.
fn begin<S: Mirrored>(options: &SyncOptions) -> Result<(Plan<S>, Progress), SyncError> {
    let plan = Plan::<S>::of_service();
    let existing: BTreeSet<&str> = plan.lists.iter().map(|list| list.table().name()).collect();
    options.check(&existing).map_err(SyncError::refused)?;
    let budget = Budget::per_second(options.calls_per_second);
    Ok((plan, Progress { budget, start: Instant::now(), report: SyncReport::default() }))
}

/// The report under construction.
struct Progress {
    budget: Budget,
    start: Instant,
    report: SyncReport,
}

/// When a table was begun, and how many calls were made before.
type Begun = (Instant, u64);

impl Progress {
    fn begun(&self) -> Begun {
        (Instant::now(), self.budget.calls())
    }

    fn add(&mut self, table: &'static str, result: Result<Report, Error>, (start, calls): Begun) {
        let calls = self.budget.calls().saturating_sub(calls);
        let elapsed = start.elapsed();
        self.report.tables.push(TableReport { table, result, calls, elapsed });
    }

    fn finish(mut self) -> Result<SyncReport, SyncError> {
        self.report.calls = self.budget.calls();
        self.report.elapsed = self.start.elapsed();
        self.report.checked()
    }
}
