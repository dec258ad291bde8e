//! The lists, recoveries and gauges of a service, as functions that do not name the types of their operations.

use methodical_client::{Entry, ErrorKind as ClientErrorKind, blocking};
use methodical_model::tables::{Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_model::{ListOperation, Operation, PagedOperation, Record, Service};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::fields::Shape;
use crate::fields::row::Layout;
use crate::history::{Report, Sample, decimal, field};
use crate::mirror::Mirror;
use crate::recovery::Target;
use crate::recovery::asking::Answer;
use crate::run::{Run, text, write_json};
use crate::sync::options::{Budget, SyncOptions, SyncProgress};

/// Everything that a mirror reads from a service.
pub(crate) struct Plan<S> {
    pub(crate) lists: Vec<(&'static Table, Box<List<S>>)>,
    pub(crate) recoveries: Vec<(Target, Box<Ask<S>>)>,
    pub(crate) gauges: Vec<(Gauge, Box<Measure<S>>)>,
}

/// Brings the table of a list up to date.
type List<S> =
    dyn Fn(&mut Mirror, &blocking::Client<S>, &SyncOptions, &Budget) -> Result<Report, Error>;

/// Asks for the members of a group, or for those of them with a value.
pub(crate) type Ask<S> =
    dyn Fn(&blocking::Client<S>, &str, Option<&str>, &Budget) -> Answer + Send + Sync;

/// Reads the amount of a gauge at a time.
type Measure<S> = dyn Fn(&blocking::Client<S>, i64, &Budget) -> Result<Sample, Error>;

impl<S: Mirrored> Plan<S> {
    pub(crate) fn of_service() -> Self {
        let mut plan = Self { lists: Vec::new(), recoveries: Vec::new(), gauges: Vec::new() };
        S::visit(&mut plan);
        plan
    }
}

impl<S: Service> MirrorVisitor<S> for Plan<S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let sync: Box<List<S>> = Box::new(move |mirror, client, options, budget| {
            let open = || client.stream(&query);
            sync_list(mirror, (&query, table), options, budget, open, |records, run| {
                records.next_json_with(|record, json| run.model(&record, json))
            })
        });
        self.lists.push((table, sync));
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let sync: Box<List<S>> = Box::new(move |mirror, client, options, budget| {
            let open = || Ok(client.stream_all(&query));
            sync_list(mirror, (&query, table), options, budget, open, |records, run| {
                records.next_json_with(|record, json| run.model(&record, json))
            })
        });
        self.lists.push((table, sync));
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let Recovery { table, members, groups, value, known_values, .. } = recovery;
        let ask: Box<Ask<S>> = Box::new(move |client, group, value, budget| {
            ask(client, &recovery, group, value, budget)
        });
        self.recoveries.push((Target { table, members, groups, value, known_values }, ask));
    }

    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        let measure: Box<Measure<S>> = Box::new(move |client, at, budget| {
            budget.take();
            let json = client.send(&query).map(|output| serde_json::to_string(&output));
            sample(gauge, at, json)
        });
        self.gauges.push((gauge, measure));
    }
}

/// Passes a list to one run: opens it, and passes one entry after the other.
fn sync_list<L, O: Operation>(
    mirror: &mut Mirror,
    (query, table): (&O, &'static Table),
    options: &SyncOptions,
    budget: &Budget,
    open: impl FnOnce() -> Result<L, methodical_client::Error>,
    next: impl Fn(&mut L, &mut Run<'_>) -> Option<Passed>,
) -> Result<Report, Error> {
    let mut run = mirror.begin(&scope(query)?, table, options.rules_of(table.name()))?;
    let (table, mut received) = (table.name(), 0);
    options.report(SyncProgress::Records { table, received });
    budget.take();
    let mut records = open().map_err(incomplete)?;
    while let Some(entry) = next(&mut records, &mut run) {
        match entry.map_err(incomplete)? {
            Entry::Record(taken) => taken?,
            // The text has no values.
            Entry::Rejected(rejected) => run.reject(&rejected.error().to_string())?,
        }
        received += 1;
        if received % INTERVAL == 0 {
            options.report(SyncProgress::Records { table, received });
        }
    }
    options.report(SyncProgress::Records { table, received });
    run.finish()
}

/// An entry of a list, whose record was passed to a run.
type Passed = Result<Entry<Result<(), Error>>, methodical_client::Error>;

/// Returns the name of the scope of a query.
fn scope<O: Operation>(query: &O) -> Result<String, Error> {
    let query = query.query().map_err(|error| {
        let text = format!("cannot sync the list: {error}");
        Error::new(ErrorKind::Call, text).because(error)
    })?;
    Ok(match query.path() {
        "" => query.as_str().to_owned(),
        path => format!("{path}?{}", query.as_str()),
    })
}

/// Creates the error of a list that was not received completely.
fn incomplete(error: methodical_client::Error) -> Error {
    let text = format!("cannot sync the list: {error}; nothing was changed");
    Error::new(ErrorKind::Call, text).because(error)
}

/// Asks for the members of a group, or for those of them with a value.
fn ask<S: Service, O: ListOperation<Service = S>>(
    client: &blocking::Client<S>,
    recovery: &Recovery<O>,
    group: &str,
    value: Option<&str>,
    budget: &Budget,
) -> Answer
where
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    let failed = |error: &dyn std::fmt::Display| {
        let text = format!("cannot ask for the `{}` of a group: {error}", recovery.value);
        Error::new(ErrorKind::Call, text)
    };
    let refused = |error: methodical_client::Error| {
        let is_refused = matches!(
            error.kind(),
            ClientErrorKind::NotFound | ClientErrorKind::Status | ClientErrorKind::NotSuccess
        ) && !error.is_transient();
        let error = failed(&error).because(error);
        if is_refused { Answer::Refused(error) } else { Answer::Failed(error) }
    };
    let query = match value {
        None => (recovery.of_group)(group),
        Some(value) => (recovery.of_value)(group, value),
    };
    let query = match query {
        Ok(query) => query,
        Err(error) => return Answer::Unsendable(failed(&error).because(error)),
    };
    let layout = match Shape::of(recovery.members) {
        Ok(shape) => Layout::new(shape),
        Err(error) => return Answer::Unsendable(error),
    };
    budget.take();
    let mut records = match client.stream(&query) {
        Ok(records) => records,
        Err(error) => return refused(error),
    };
    let (mut ids, mut json, mut is_rejected) = (Vec::new(), Vec::new(), false);
    loop {
        let identity = |record: <O::Item as Record>::Ref<'_>, _: &str| {
            write_json(&record, &mut json)?;
            let row = layout.row(text(&json)?)?;
            Ok::<_, Error>(row.identity(&layout.shape)?.into_owned())
        };
        match records.next_json_with(identity) {
            None if is_rejected => return Answer::Rejected,
            None => return Answer::Members(ids),
            Some(Ok(Entry::Record(Ok(id)))) => ids.push(id),
            Some(Ok(Entry::Record(Err(_)) | Entry::Rejected(_))) => is_rejected = true,
            Some(Err(error)) => return refused(error),
        }
    }
}

/// Reads the sample of a gauge from the response.
fn sample(
    gauge: Gauge,
    at: i64,
    json: Result<serde_json::Result<String>, methodical_client::Error>,
) -> Result<Sample, Error> {
    let name = gauge.name();
    let json = json.map_err(|error| {
        let text = format!("cannot read `{name}`: {error}");
        Error::new(ErrorKind::Call, text).because(error)
    })?;
    let json = json.map_err(|error| {
        let text = format!("cannot read `{name}`: the response is not JSON");
        Error::new(ErrorKind::Gauge, text).because(error)
    })?;
    let amount = field(&json, gauge.value())?.unwrap_or_default();
    decimal(&amount).map_err(|error| {
        let field = gauge.value().join(".");
        let text =
            format!("cannot read `{name}`: `{field}` is not a decimal number of at most 28 digits");
        Error::new(ErrorKind::Gauge, text).because(error)
    })?;
    let unit = gauge.unit().map(|path| field(&json, path)).transpose()?.flatten();
    Ok(Sample { at, gauge: name.to_owned(), amount, unit })
}

/// Number of records between two reports of the progress.
const INTERVAL: u64 = 256;
