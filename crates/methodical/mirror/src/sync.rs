//! Reads a list from a client into a run.

mod all;
mod budget;
mod measure;
mod members;
mod model;
pub(crate) mod options;
mod plan;
pub(crate) mod progress;
mod recover;
pub(crate) mod summary;

use methodical_client::{Entry, blocking};
use methodical_model::{ListOperation, Operation, PagedOperation, Record, Rejected, Table};
use serde::Serialize;

use crate::engine::brake::Rules;
use crate::error::{Error, ErrorKind};
use crate::history::report::Report;
use crate::mirror::Mirror;
use crate::run::Run;
use crate::sync::budget::Budget;
use crate::sync::model::{reading, render};
use crate::sync::options::SyncOptions;
use crate::sync::progress::Counter;

impl Mirror {
    /// Brings a table up to date with a list: calls the service once, and passes the list through a [`Run`]. The scope is
    /// named after the query. An async program calls it on a thread for blocking work.
    ///
    /// To transfer less, give the client a transport that asks for gzip, such as
    /// [`Gzip`](methodical_client::transport) with the feature `gzip`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Call`] if the call failed or the list was not complete, and the errors of [`Mirror::begin`] and
    /// [`Run::finish`]. After an error, the mirror is as it was before.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::blocking;
    /// use methodical_mirror::model::{ListOperation, Record, Table};
    /// use methodical_mirror::{Error, Mirror, Rules};
    /// use serde::Serialize;
    ///
    /// fn sync<O: ListOperation>(
    ///     mirror: &mut Mirror,
    ///     client: &blocking::Client<O::Service>,
    ///     query: &O,
    ///     table: &Table,
    /// ) -> Result<(), Error>
    /// where
    ///     for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    /// {
    ///     let report = mirror.sync(client, query, table, Rules::new())?;
    ///     println!("{} added, {} gone", report.added, report.gone);
    ///     Ok(())
    /// }
    /// ```
    pub fn sync<O>(
        &mut self,
        client: &blocking::Client<O::Service>,
        query: &O,
        table: &Table,
        rules: Rules,
    ) -> Result<Report, Error>
    where
        O: ListOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.sync_within(
            client,
            query,
            table,
            &SyncOptions::new().rules(rules),
            &Budget::unlimited(),
        )
    }

    /// Brings a table up to date with a list in pages: reads all pages, and passes them through one [`Run`], as
    /// [`sync`](Self::sync) does.
    ///
    /// # Errors
    ///
    /// Those of [`sync`](Self::sync).
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::blocking;
    /// use methodical_mirror::model::{PagedOperation, Record, Table};
    /// use methodical_mirror::{Error, Mirror, Report, Rules};
    /// use serde::Serialize;
    ///
    /// fn sync<O: PagedOperation>(
    ///     mirror: &mut Mirror,
    ///     client: &blocking::Client<O::Service>,
    ///     query: &O,
    ///     table: &Table,
    /// ) -> Result<Report, Error>
    /// where
    ///     for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    /// {
    ///     mirror.sync_pages(client, query, table, Rules::new())
    /// }
    /// ```
    pub fn sync_pages<O>(
        &mut self,
        client: &blocking::Client<O::Service>,
        query: &O,
        table: &Table,
        rules: Rules,
    ) -> Result<Report, Error>
    where
        O: PagedOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.sync_pages_within(
            client,
            query,
            table,
            &SyncOptions::new().rules(rules),
            &Budget::unlimited(),
        )
    }

    fn sync_within<O>(
        &mut self,
        client: &blocking::Client<O::Service>,
        query: &O,
        table: &Table,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error>
    where
        O: ListOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let mut run = self.begin(&scope(query)?, table, options.rules_of(table.name()))?;
        run.read_as(&reading::<O::Item>())?;
        let mut counter = options.observer.counter(table.name());
        budget.take();
        let mut records = client.stream(query).map_err(incomplete)?;
        loop {
            match records.next_json_with(take::<O>(&mut run)) {
                None => break,
                Some(entry) => pass(entry, &mut run, &mut counter)?,
            }
        }
        counter.report();
        run.finish()
    }

    fn sync_pages_within<O>(
        &mut self,
        client: &blocking::Client<O::Service>,
        query: &O,
        table: &Table,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error>
    where
        O: PagedOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let mut run = self.begin(&scope(query)?, table, options.rules_of(table.name()))?;
        run.read_as(&reading::<O::Item>())?;
        let mut counter = options.observer.counter(table.name());
        budget.take();
        let mut records = client.stream_all(query);
        loop {
            match records.next_json_with(take::<O>(&mut run)) {
                None => break,
                Some(entry) => pass(entry, &mut run, &mut counter)?,
            }
        }
        counter.report();
        run.finish()
    }
}

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

/// Returns a function that passes a record to a run.
fn take<O: ListOperation>(
    run: &mut Run<'_>,
) -> impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> Result<(), Error>
where
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    |record, sent| run.sent(sent, |json| render(&record, json))
}

/// Passes an entry of a list on to a run, which has taken its record.
fn pass(
    entry: Result<Entry<Result<(), Error>>, methodical_client::Error>,
    run: &mut Run<'_>,
    counter: &mut Counter<'_>,
) -> Result<(), Error> {
    match entry.map_err(incomplete)? {
        Entry::Record(taken) => taken?,
        Entry::Rejected(rejected) => run.reject(&reason(&rejected))?,
    }
    counter.add();
    Ok(())
}

/// Returns why a record was rejected. The text has no values.
fn reason(rejected: &Rejected) -> String {
    rejected.error().to_string()
}

/// Creates the error of a list that was not received completely.
fn incomplete(error: methodical_client::Error) -> Error {
    let text = format!("cannot sync the list: {error}; nothing was changed");
    Error::new(ErrorKind::Call, text).because(error)
}
