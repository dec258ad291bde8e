//! Brings all tables of a service up to date.

mod recover;
pub(crate) mod report;

use std::error::Error as StdError;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use methodical_client::blocking::{Client, Records};
use methodical_client::{Entry, ErrorKind as ClientErrorKind};
use methodical_model::tables::{Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_model::{ListOperation, Operation, PagedOperation, Record, Service};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::fields::Shape;
use crate::fields::json::write;
use crate::fields::row::Row;
use crate::history::{PastRun, Sample, SampleReport, decimal, field};
use crate::mirror::Mirror;
use crate::recovery::Target;
use crate::recovery::asking::{Answer, Fault};
use crate::store::table::Outcome;
use crate::sync::recover::{Parts, recover};
use crate::sync::report::{SyncError, SyncOptions, SyncProgress, SyncReport, TableReport};

impl Mirror {
    /// Brings all tables of a service up to date, one by one. Each table is committed separately, so an error in one
    /// does not undo the others. Then requests the values of recovered tables and samples the gauges.
    ///
    /// One sync runs at a time: the mirror is locked until the sync ends. The scope of a list is named after its query.
    /// In an async program, call this on a thread for blocking work. To transfer less, give the client a transport that
    /// requests gzip; to call less often, set its [requests per
    /// second](methodical_client::ClientBuilder::requests_per_second).
    ///
    /// # Errors
    ///
    /// Returns [`SyncError`] if a table, a group or a gauge failed, or if another process is syncing. Its report
    /// contains the errors and what was committed. An error is of kind [`ErrorKind::Call`] if a call failed or a list
    /// was incomplete. The others are the errors of [`begin`](Self::begin) and [`Run::finish`](crate::Run::finish).
    ///
    /// ```
    /// use methodical_mirror::client::blocking;
    /// use methodical_mirror::model::tables::Mirrored;
    /// use methodical_mirror::{Mirror, SyncError, SyncOptions};
    ///
    /// fn sync<S: Mirrored>(mirror: &mut Mirror, client: &blocking::Client<S>) -> Result<(), SyncError> {
    ///     let report = mirror.sync_all(client, &SyncOptions::default())?;
    ///     for table in &report.tables {
    ///         println!("{}: {:?}", table.table, table.result);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn sync_all<S: Mirrored>(
        &mut self,
        client: &Client<S>,
        options: &SyncOptions,
    ) -> Result<SyncReport, SyncError> {
        let _held = self.store().hold().map_err(|error| {
            SyncError(Box::new(SyncReport { error: Some(error), ..SyncReport::default() }))
        })?;
        let (calls, report) = (AtomicU64::new(0), SyncReport::default());
        let mut sync = Sync { mirror: self, client, options, calls, report, runs: Vec::new() };
        S::visit(&mut sync);
        let Sync { calls, mut report, runs, .. } = sync;
        if !report.is_busy() {
            report.error = self.store().add_history(&runs, &report.samples).err();
        }
        report.calls = calls.into_inner();
        let is_complete = report.failures().next().is_none();
        if is_complete { Ok(report) } else { Err(SyncError(Box::new(report))) }
    }
}

/// A sync of all tables, with the report under construction.
struct Sync<'a, S> {
    mirror: &'a mut Mirror,
    client: &'a Client<S>,
    options: &'a SyncOptions,
    calls: AtomicU64,
    report: SyncReport,
    runs: Vec<PastRun>,
}

impl<S: Service> MirrorVisitor<S> for Sync<'_, S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + std::marker::Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.sync_list(table, &query, |client| client.stream(&query));
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.sync_list(table, &query, |client| Ok(client.stream_all(&query)));
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + std::marker::Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        if !self.options.recovers {
            return;
        }
        let Recovery { table, members, groups, value, known_values, .. } = recovery;
        let target = Target { table, members, groups, value, known_values };
        let (failed, client, options) = (self.failed_list(&target), self.client, self.options);
        self.sync_table(table, |mirror, calls| {
            failed.map_or(Ok(()), Err)?;
            let shape = Shape::of(members)?;
            let ask = |group: &str, value: Option<&str>| {
                ask(client, &recovery, &shape, group, value, calls)
            };
            recover(mirror, &target, options, ask)
        });
    }

    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + std::marker::Sync + 'static,
    {
        // The process that is syncing also takes samples, and a write would wait for it.
        if self.report.is_busy() {
            return;
        }
        self.calls.fetch_add(1, Relaxed);
        let response = self.client.send(&query).map(|output| serde_json::to_string(&output));
        let result = sample(gauge, self.mirror.now(), response);
        self.report.samples.push(SampleReport { gauge: gauge.name(), result });
    }
}

impl<S: Service> Sync<'_, S> {
    /// Syncs a table and adds its report.
    fn sync_table(
        &mut self,
        table: &'static Table,
        sync: impl FnOnce(&mut Mirror, &AtomicU64) -> Result<Parts, Error>,
    ) {
        let table = table.name();
        let (started_at, before) = (self.mirror.now(), self.calls.load(Relaxed));
        let (result, coverage, failures) = match sync(self.mirror, &self.calls) {
            Ok((report, coverage, failures)) => (Ok(report), coverage, failures),
            Err(error) => (Err(error), None, Vec::new()),
        };
        let calls = self.calls.load(Relaxed).saturating_sub(before);
        let report = TableReport { table, result, coverage, failures, calls };
        self.runs.extend(past_run(&report, started_at, self.mirror.now()));
        self.report.tables.push(report);
    }

    fn sync_list<O: ListOperation<Service = S>>(
        &mut self,
        table: &'static Table,
        query: &O,
        open: impl FnOnce(&Client<S>) -> Result<Records<O::Item, O::Metadata>, methodical_client::Error>,
    ) where
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let (client, options) = (self.client, self.options);
        self.sync_table(table, |mirror, calls| {
            let mut run = mirror.begin(&scope(query)?, table, options.rules_of(table.name()))?;
            let (table, mut received) = (table.name(), 0);
            options.report(SyncProgress::Records { table, received });
            calls.fetch_add(1, Relaxed);
            let mut records = open(client).map_err(called)?;
            while let Some(entry) = records.next_json_with(|record, json| run.model(&record, json))
            {
                match entry.map_err(called)? {
                    Entry::Record(taken) => taken?,
                    // The error's text contains no values.
                    Entry::Rejected(rejected) => run.reject(&rejected.error().to_string())?,
                }
                received += 1;
                if received % INTERVAL == 0 {
                    options.report(SyncProgress::Records { table, received });
                }
            }
            options.report(SyncProgress::Records { table, received });
            Ok((run.finish()?, None, Vec::new()))
        });
    }

    /// Returns the error of a recovery if the list of its members or groups was not synced; otherwise `None`.
    fn failed_list(&self, target: &Target) -> Option<Error> {
        let names = [target.members.name(), target.groups.name()];
        let mut reports = self.report.tables.iter().filter(|one| names.contains(&one.table));
        reports.find_map(|report| {
            let error = report.result.as_ref().err()?;
            let text = format!(
                "cannot recover `{}`: the list `{}` was not synced",
                target.value, report.table
            );
            Some(Error::new(error.kind(), text))
        })
    }
}

fn scope<O: Operation>(query: &O) -> Result<String, Error> {
    let query = query.query().map_err(called)?;
    Ok(match query.path() {
        "" => query.as_str().to_owned(),
        path => format!("{path}?{}", query.as_str()),
    })
}

/// Converts the error of a call. The report names the table or gauge, so the text need not.
fn called(error: impl StdError + Send + std::marker::Sync + 'static) -> Error {
    Error::new(ErrorKind::Call, error.to_string()).because(error)
}

/// Requests the identities of a group's members: all, or only those with `value`. Counts the request in `calls`.
fn ask<S: Service, O: ListOperation<Service = S>>(
    client: &Client<S>,
    recovery: &Recovery<O>,
    shape: &Shape,
    group: &str,
    value: Option<&str>,
    calls: &AtomicU64,
) -> Answer
where
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    let failed = |error: &dyn fmt::Display| {
        let text = format!("cannot request the `{}` of the group: {error}", recovery.value);
        Error::new(ErrorKind::Call, text)
    };
    let refused = |error: methodical_client::Error| {
        let is_refused = matches!(
            error.kind(),
            ClientErrorKind::NotFound | ClientErrorKind::Status | ClientErrorKind::NotSuccess
        ) && !error.is_transient();
        let error = failed(&error).because(error);
        if is_refused { Fault::Refused(error) } else { Fault::Failed(error) }
    };
    let query = match value {
        None => (recovery.of_group)(group),
        Some(value) => (recovery.of_value)(group, value),
    };
    let query = query.map_err(|error| Fault::Refused(failed(&error).because(error)))?;
    calls.fetch_add(1, Relaxed);
    let mut records = client.stream(&query).map_err(refused)?;
    let (mut ids, mut json, mut is_rejected) = (Vec::new(), Vec::new(), false);
    loop {
        let identity = |record: <O::Item as Record>::Ref<'_>, _: &str| {
            let text = write(&record, &mut json)?;
            Ok::<_, Error>(Row::of(text, shape)?.identity(shape)?.into_owned())
        };
        match records.next_json_with(identity) {
            None if is_rejected => return Err(Fault::Rejected),
            None => return Ok(ids),
            Some(Ok(Entry::Record(Ok(id)))) => ids.push(id),
            Some(Ok(Entry::Record(Err(_)) | Entry::Rejected(_))) => is_rejected = true,
            Some(Err(error)) => return Err(refused(error)),
        }
    }
}

fn sample(
    gauge: Gauge,
    at: i64,
    json: Result<serde_json::Result<String>, methodical_client::Error>,
) -> Result<Sample, Error> {
    let json = json
        .map_err(called)?
        .map_err(|error| Error::new(ErrorKind::Gauge, "the response is not JSON").because(error))?;
    let amount = field(&json, gauge.value())?.unwrap_or_default();
    decimal(&amount).map_err(|error| {
        let field = gauge.value().join(".");
        let text = format!("`{field}` is not a decimal number of at most 28 digits");
        Error::new(ErrorKind::Gauge, text).because(error)
    })?;
    let unit = gauge.unit().map(|path| field(&json, path)).transpose()?.flatten();
    Ok(Sample { at, gauge: gauge.name().to_owned(), amount, unit })
}

/// Returns a table's entry for the history; `None` if another process was syncing.
fn past_run(report: &TableReport, started_at: i64, ended_at: i64) -> Option<PastRun> {
    let error = report.errors().next();
    let outcome = match (&report.result, error) {
        (Ok(_), None) => Outcome::Complete,
        (Ok(_), Some(_)) => Outcome::Partial,
        (Err(error), _) => match error.kind() {
            ErrorKind::Busy => return None,
            ErrorKind::DeletionGuard | ErrorKind::Filter => Outcome::Refused,
            _ => Outcome::Failed,
        },
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

/// Number of records between two progress reports.
const INTERVAL: u64 = 256;
