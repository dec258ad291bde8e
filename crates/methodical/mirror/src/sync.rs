//! Brings all tables of a service up to date.

pub(crate) mod options;
mod plan;
mod recover;
pub(crate) mod report;

use std::collections::BTreeSet;

use methodical_client::blocking;
use methodical_client::transport::{Instant, now};
use methodical_model::tables::{Mirrored, Table};

use crate::error::{Error, ErrorKind};
use crate::history::{PastRun, Report, Sample, SampleReport};
use crate::mirror::Mirror;
use crate::recovery::Target;
use crate::store::table::Outcome;
use crate::sync::options::{Budget, SyncOptions};
use crate::sync::plan::Plan;
use crate::sync::recover::{Recovered, recover};
use crate::sync::report::{Coverage, GroupFailure, SyncError, SyncReport, TableReport};

impl Mirror {
    /// Brings all tables of a service up to date, one after the other. Each is committed on its own, so an error of one
    /// does not undo the others. Then the values of recovered tables are asked for, and samples of gauges are taken.
    ///
    /// One sync runs at a time: the mirror is locked to the end of the sync. The scope of a list is named after its query. An
    /// async program calls it on a thread for blocking work. To transfer less, give the client a transport that asks for gzip.
    ///
    /// # Errors
    ///
    /// [`SyncError`] if a table failed; its report has the errors, and what was committed. The errors are [`ErrorKind::Call`]
    /// if a call failed or a list was not complete, those of [`begin`](Self::begin) and [`Run::finish`](crate::Run::finish),
    /// and [`ErrorKind::Table`] if the service lacks a table of the options.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::blocking;
    /// use methodical_mirror::model::tables::Mirrored;
    /// use methodical_mirror::{Mirror, SyncError, SyncOptions};
    ///
    /// fn sync<S: Mirrored>(mirror: &mut Mirror, client: &blocking::Client<S>) -> Result<(), SyncError> {
    ///     let report = mirror.sync_all(client, &SyncOptions::new())?;
    ///     for table in &report.tables {
    ///         println!("{}: {:?}", table.table, table.result);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn sync_all<S: Mirrored>(
        &mut self,
        client: &blocking::Client<S>,
        options: &SyncOptions,
    ) -> Result<SyncReport, SyncError> {
        let (plan, start) = (Plan::<S>::of_service(), now());
        let lists = plan.lists.iter().map(|(table, _)| table.name());
        let recovered = plan.recoveries.iter().map(|(target, _)| target.table.name());
        let existing: BTreeSet<&str> = lists.chain(recovered).collect();
        options.check(&existing).map_err(SyncError::refused)?;
        let _held = self.store().hold().map_err(SyncError::refused)?;
        let mut progress = Progress {
            budget: Budget::per_second(options.calls_per_second),
            report: SyncReport::default(),
            runs: Vec::new(),
        };
        let is_synced = |table: &str| options.has_table(table);
        for (table, sync) in plan.lists.iter().filter(|(table, _)| is_synced(table.name())) {
            progress.table(self, table.name(), |mirror, budget| {
                let report = sync(mirror, client, options, budget)?;
                Ok((report, None, Vec::new()))
            });
        }
        let recoveries = plan.recoveries.iter().filter(|_| options.recovers);
        for (target, ask) in recoveries.filter(|(target, _)| is_synced(target.table.name())) {
            let failed = progress.failed_list(target);
            progress.table(self, target.table.name(), |mirror, budget| {
                failed.map_or(Ok(()), Err)?;
                let ask = |group: &str, value: Option<&str>| ask(client, group, value, budget);
                let Recovered { report, coverage, failures } =
                    recover(mirror, target, options, ask)?;
                Ok((report, Some(coverage), failures))
            });
        }
        // Another process that syncs takes a sample, too, and a write would wait for its end.
        let is_busy = progress.report.failures().any(|error| error.kind() == ErrorKind::Busy);
        let gauges = if is_busy { &[] } else { &*plan.gauges };
        for (gauge, measure) in gauges {
            let result = measure(client, self.now(), &progress.budget);
            progress.report.samples.push(SampleReport { gauge: gauge.name(), result });
        }
        let Progress { budget, mut report, runs } = progress;
        if !is_busy {
            let samples = report.samples.iter().filter_map(|one| one.result.as_ref().ok());
            let samples: Vec<Sample> = samples.cloned().collect();
            report.error = self.store().add_history(&runs, &samples).err();
        }
        (report.calls, report.elapsed) = (budget.calls(), elapsed(start));
        report.checked()
    }
}

/// Returns the tables that a mirror of a service has.
pub fn described<S: Mirrored>() -> Vec<&'static Table> {
    let plan = Plan::<S>::of_service();
    let recovered = plan.recoveries.iter().map(|(target, _)| target.table);
    plan.lists.iter().map(|(table, _)| *table).chain(recovered).collect()
}

/// The report under construction.
struct Progress {
    budget: Budget,
    report: SyncReport,
    runs: Vec<PastRun>,
}

/// The parts of a successful report.
type Parts = (Report, Option<Coverage>, Vec<GroupFailure>);

impl Progress {
    /// Syncs a table, and adds its report.
    fn table(
        &mut self,
        mirror: &mut Mirror,
        table: &'static str,
        sync: impl FnOnce(&mut Mirror, &Budget) -> Result<Parts, Error>,
    ) {
        let (start, started_at, calls) = (now(), mirror.now(), self.budget.calls());
        let (result, coverage, failures) = match sync(mirror, &self.budget) {
            Ok((report, coverage, failures)) => (Ok(report), coverage, failures),
            Err(error) => (Err(error), None, Vec::new()),
        };
        let (calls, elapsed) = (self.budget.calls().saturating_sub(calls), elapsed(start));
        let report = TableReport { table, result, coverage, failures, calls, elapsed };
        self.runs.extend(past_run(&report, started_at, mirror.now()));
        self.report.tables.push(report);
    }

    /// Returns the error of a recovery if the list of its members or groups has failed.
    fn failed_list(&self, target: &Target) -> Option<Error> {
        let names = [target.members.name(), target.groups.name()];
        let mut reports = self.report.tables.iter().filter(|one| names.contains(&one.table));
        reports.find_map(|report| {
            let error = report.result.as_ref().err()?;
            let text =
                format!("cannot recover `{}`: the list `{}` failed", target.value, report.table);
            Some(Error::new(error.kind(), text))
        })
    }
}

fn elapsed(start: Instant) -> std::time::Duration {
    now().saturating_duration_since(start)
}

/// Returns a table's line of the history; `None` if another process synced.
fn past_run(report: &TableReport, started_at: i64, ended_at: i64) -> Option<PastRun> {
    let error = report.errors().next();
    let outcome = match (&report.result, error) {
        (Ok(_), None) => Outcome::Complete,
        (Ok(_), Some(_)) => Outcome::Partial,
        (Err(error), _) if error.kind() == ErrorKind::Busy => return None,
        (Err(error), _) => Outcome::from_error(error),
    };
    Some(PastRun {
        started_at,
        ended_at,
        table: report.table.to_owned(),
        outcome,
        reason: error.map(ToString::to_string),
        report: report.result.as_ref().cloned().unwrap_or_default(),
        calls: report.calls,
    })
}
