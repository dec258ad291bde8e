//! Brings all tables of a service up to date.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::Arc;

use methodical_client::blocking;
use methodical_client::transport::{self, Instant};
use methodical_model::Mirrored;

use crate::error::{Error, ErrorKind};
use crate::gauge::sample::{Sample, SampleReport};
use crate::history::past_run::{Outcome, PastRun};
use crate::history::report::Report;
use crate::mirror::{Clock, Mirror, lock, now};
use crate::recovery::coverage::{Coverage, GroupFailure};
use crate::recovery::target::Target;
use crate::recovery::write::Recovered;
use crate::sync::budget::Budget;
use crate::sync::options::SyncOptions;
use crate::sync::plan::Plan;
use crate::sync::recover::recover;
use crate::sync::summary::{SyncError, SyncReport, TableReport};

impl Mirror {
    /// Brings all tables of a service up to date, one after the other. Each is committed on its own, so an error of one
    /// does not undo the others. Then the values of recovered tables are asked for, and samples of gauges are taken.
    ///
    /// One sync runs at a time: the mirror is locked to the end of the sync.
    ///
    /// # Errors
    ///
    /// [`SyncError`] if a table failed; its report has the errors, and what was committed. The errors are those of
    /// [`sync`](Self::sync), and [`ErrorKind::Table`](crate::ErrorKind::Table) if the service lacks a table of the
    /// options, and [`Busy`](crate::ErrorKind::Busy) if another process syncs the mirror.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::blocking;
    /// use methodical_mirror::model::Mirrored;
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
        let (plan, mut progress) = begin::<S>(options, &self.clock)?;
        let _held = lock(&self.store).hold().map_err(SyncError::refused)?;
        for list in plan.lists.iter().filter(|list| options.has_table(list.table().name())) {
            let begun = progress.begun();
            let result = list.sync(self, client, options, &progress.budget);
            progress.add(list.table().name(), result, begun);
        }
        for recovery in plan
            .recoveries
            .iter()
            .filter(|one| options.recovers && options.has_table(one.target().table.name()))
        {
            let (target, begun) = (recovery.target(), progress.begun());
            let result = progress
                .check(&target)
                .and_then(|()| recover(self, client, &**recovery, options, &progress.budget));
            progress.add_recovered(target.table.name(), result, begun);
        }
        let gauges = if options.samples && !progress.is_busy() { &*plan.gauges } else { &[] };
        for gauge in gauges {
            let result = gauge.measure(client, now(&self.clock), &progress.budget);
            progress.report.samples.push(SampleReport::new(gauge.gauge().name(), result));
        }
        let (runs, samples) = (take(&mut progress.runs), progress.samples());
        if !progress.is_busy() {
            progress.report.error = lock(&self.store).add_history(&runs, &samples).err();
        }
        progress.finish()
    }
}

/// Returns what the service has, and the empty report.
fn begin<S: Mirrored>(
    options: &SyncOptions,
    clock: &Clock,
) -> Result<(Plan<S>, Progress), SyncError> {
    let plan = Plan::<S>::of_service();
    let lists = plan.lists.iter().map(|list| list.table().name());
    let recovered = plan.recoveries.iter().map(|one| one.target().table.name());
    let existing: BTreeSet<&str> = lists.chain(recovered).collect();
    options.check(&existing).map_err(SyncError::refused)?;
    let budget = Budget::per_second(options.calls_per_second);
    let (clock, start) = (Arc::clone(clock), transport::now());
    let (report, runs) = (SyncReport::default(), Vec::new());
    Ok((plan, Progress { budget, clock, start, report, runs }))
}

/// The report under construction.
struct Progress {
    budget: Budget,
    clock: Clock,
    start: Instant,
    report: SyncReport,
    runs: Vec<PastRun>,
}

/// When a table was begun, by both clocks, and how many calls were made before.
type Begun = (Instant, i64, u64);

impl Progress {
    fn begun(&self) -> Begun {
        (transport::now(), now(&self.clock), self.budget.calls())
    }

    fn add(&mut self, table: &'static str, result: Result<Report, Error>, begun: Begun) {
        let result = result.map(|report| (report, None, Vec::new()));
        self.push(table, result, begun);
    }

    fn add_recovered(
        &mut self,
        table: &'static str,
        result: Result<Recovered, Error>,
        begun: Begun,
    ) {
        let parts = |one: Recovered| (one.report, Some(one.coverage), one.failures);
        self.push(table, result.map(parts), begun);
    }

    fn push(&mut self, table: &'static str, result: Result<Parts, Error>, begun: Begun) {
        let (start, started_at, calls) = begun;
        let calls = self.budget.calls().saturating_sub(calls);
        let (result, coverage, failures) = match result {
            Ok((report, coverage, failures)) => (Ok(report), coverage, failures),
            Err(error) => (Err(error), None, Vec::new()),
        };
        let elapsed = transport::now().saturating_duration_since(start);
        let report = TableReport { table, result, coverage, failures, calls, elapsed };
        self.runs.extend(past_run(&report, started_at, now(&self.clock)));
        self.report.tables.push(report);
    }

    /// Returns whether another process syncs. It takes a sample, too, and a write would wait for its end.
    fn is_busy(&self) -> bool {
        self.report.failures().any(|error| error.kind() == ErrorKind::Busy)
    }

    /// Returns the samples that were taken.
    fn samples(&self) -> Vec<Sample> {
        let samples = self.report.samples.iter();
        samples.filter_map(|sample| sample.result.as_ref().ok().cloned()).collect()
    }

    /// Refuses a recovery if the list of its members or groups has failed.
    fn check(&self, target: &Target) -> Result<(), Error> {
        let names = [target.members.name(), target.groups.name()];
        for report in self.report.tables.iter().filter(|report| names.contains(&report.table)) {
            if let Err(error) = &report.result {
                let text = format!(
                    "cannot recover `{}`: the list `{}` failed",
                    target.value, report.table
                );
                return Err(Error::new(error.kind(), text));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<SyncReport, SyncError> {
        self.report.calls = self.budget.calls();
        self.report.elapsed = transport::now().saturating_duration_since(self.start);
        self.report.checked()
    }
}

/// The parts of a successful report.
type Parts = (Report, Option<Coverage>, Vec<GroupFailure>);

/// Returns a table's line of the history; `None` if another process synced.
fn past_run(report: &TableReport, started_at: i64, ended_at: i64) -> Option<PastRun> {
    let error = report.errors().next();
    let outcome = match (&report.result, error) {
        (Ok(_), None) => Outcome::Complete,
        (Ok(_), Some(_)) => Outcome::Partial,
        (Err(error), _) if error.kind() == ErrorKind::Busy => return None,
        (Err(error), _) => Outcome::of_error(error),
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
