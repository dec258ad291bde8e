//! Reads a list from a client into a run.

mod all;
mod budget;
mod measure;
mod members;
mod model;
mod on_thread;
pub(crate) mod options;
mod plan;
pub(crate) mod progress;
mod recover;
pub(crate) mod summary;
mod worker;

use methodical_client::{Client, Entry, blocking};
use methodical_model::{ListOperation, Operation, PagedOperation, Record, Rejected, Table};
use serde::Serialize;

use crate::engine::brake::Rules;
use crate::error::{Error, ErrorKind};
use crate::history::report::Report;
use crate::mirror::Mirror;
use crate::run::Run;
use crate::sync::budget::Budget;
use crate::sync::model::{Model, render};
use crate::sync::options::SyncOptions;
use crate::sync::worker::Worker;

/// Passes the records of a list to a run, from a client of either kind.
macro_rules! pass {
    ($records:ident, $take:expr, $counter:ident, $run:ident.$($await:ident)?) => {
        loop {
            match $records.next_json_with($take)$(.$await)? {
                None => {
                    $counter.report();
                    return $run.finish()$(.$await)?;
                }
                Some(entry) => {
                    match entry.map_err(incomplete)? {
                        Entry::Record(taken) => {
                            taken?;
                            $($run.send_full().$await?;)?
                        }
                        Entry::Rejected(rejected) => $run.reject(&reason(&rejected))$(.$await)??,
                    }
                    $counter.add();
                }
            }
        }
    };
}

impl Mirror {
    /// Brings a table up to date with a list: calls the service once, and passes the list through a [`Run`](crate::Run). The
    /// scope is named after the query.
    ///
    /// The store works on another thread, so that the executor never waits for a disk. Dropping the future undoes the
    /// sync. To transfer less, give the client a transport that asks for gzip, such as
    /// [`Gzip`](methodical_client::transport) with the feature `gzip`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Call`] if the call failed or the list was not complete, and the errors of [`Mirror::begin`] and
    /// [`Run::finish`](crate::Run::finish). After an error, the mirror is as it was before.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::Client;
    /// use methodical_mirror::model::{ListOperation, Record, Table};
    /// use methodical_mirror::{Error, Mirror, Rules};
    /// use serde::Serialize;
    ///
    /// async fn sync<O: ListOperation>(
    ///     mirror: &mut Mirror,
    ///     client: &Client<O::Service>,
    ///     query: &O,
    ///     table: &Table,
    /// ) -> Result<(), Error>
    /// where
    ///     for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    /// {
    ///     let report = mirror.sync(client, query, table, Rules::new()).await?;
    ///     println!("{} added, {} gone", report.added, report.gone);
    ///     Ok(())
    /// }
    /// ```
    pub async fn sync<O>(
        &mut self,
        client: &Client<O::Service>,
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
        .await
    }

    /// Brings a table up to date with a list in pages: reads all pages, and passes them through one
    /// [`Run`](crate::Run), as [`sync`](Self::sync) does.
    ///
    /// # Errors
    ///
    /// Those of [`sync`](Self::sync).
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::client::Client;
    /// use methodical_mirror::model::{PagedOperation, Record, Table};
    /// use methodical_mirror::{Error, Mirror, Report, Rules};
    /// use serde::Serialize;
    ///
    /// async fn sync<O: PagedOperation>(
    ///     mirror: &mut Mirror,
    ///     client: &Client<O::Service>,
    ///     query: &O,
    ///     table: &Table,
    /// ) -> Result<Report, Error>
    /// where
    ///     for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    /// {
    ///     mirror.sync_pages(client, query, table, Rules::new()).await
    /// }
    /// ```
    pub async fn sync_pages<O>(
        &mut self,
        client: &Client<O::Service>,
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
        .await
    }

    /// Brings a table up to date with a list, as [`sync`](Self::sync) does, without `async`.
    ///
    /// # Errors
    ///
    /// Those of [`sync`](Self::sync).
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
    ///     let report = mirror.sync_blocking(client, query, table, Rules::new())?;
    ///     println!("{} added, {} gone", report.added, report.gone);
    ///     Ok(())
    /// }
    /// ```
    pub fn sync_blocking<O>(
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
        self.sync_blocking_within(
            client,
            query,
            table,
            &SyncOptions::new().rules(rules),
            &Budget::unlimited(),
        )
    }

    /// Brings a table up to date with a list in pages, as [`sync_pages`](Self::sync_pages) does, without `async`.
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
    ///     mirror.sync_pages_blocking(client, query, table, Rules::new())
    /// }
    /// ```
    pub fn sync_pages_blocking<O>(
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
        self.sync_pages_blocking_within(
            client,
            query,
            table,
            &SyncOptions::new().rules(rules),
            &Budget::unlimited(),
        )
    }

    async fn sync_within<O>(
        &self,
        client: &Client<O::Service>,
        query: &O,
        table: &Table,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error>
    where
        O: ListOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let (scope, rules) = (scope(query)?, options.rules_of(table.name()));
        let mut run = Worker::start(self, scope, *table, rules, Model::of::<O::Item>())?;
        let mut counter = options.observer.counter(table.name());
        run.ready().await?;
        budget.take().await;
        let mut records = client.stream(query).await.map_err(incomplete)?;
        pass!(records, |_, sent: &str| run.record(sent), counter, run.await)
    }

    async fn sync_pages_within<O>(
        &self,
        client: &Client<O::Service>,
        query: &O,
        table: &Table,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error>
    where
        O: PagedOperation,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let (scope, rules) = (scope(query)?, options.rules_of(table.name()));
        let mut run = Worker::start(self, scope, *table, rules, Model::of::<O::Item>())?;
        let mut counter = options.observer.counter(table.name());
        run.ready().await?;
        budget.take().await;
        let mut records = client.stream_all(query);
        pass!(records, |_, sent: &str| run.record(sent), counter, run.await)
    }

    fn sync_blocking_within<O>(
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
        run.read_as(&Model::of::<O::Item>().reading)?;
        let mut counter = options.observer.counter(table.name());
        budget.take_blocking();
        let mut records = client.stream(query).map_err(incomplete)?;
        pass!(records, take_blocking::<O>(&mut run), counter, run.)
    }

    fn sync_pages_blocking_within<O>(
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
        run.read_as(&Model::of::<O::Item>().reading)?;
        let mut counter = options.observer.counter(table.name());
        budget.take_blocking();
        let mut records = client.stream_all(query);
        pass!(records, take_blocking::<O>(&mut run), counter, run.)
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
fn take_blocking<O: ListOperation>(
    run: &mut Run<'_>,
) -> impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> Result<(), Error>
where
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    |record, sent| run.sent(sent, |json| render(&record, json))
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
