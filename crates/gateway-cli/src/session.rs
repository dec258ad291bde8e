//! One run of the program: asks the service and prints the answer.

use std::io::{self, Write as _};

use gateway_client::model::{Error, ListOperation, Operation, Query, RawQuery, Rejected};
use serde::Serialize;

use crate::args::Format;
use crate::failure::Failure;
use crate::generated::commands::OperationCommand;
use crate::output::escape::printable;
use crate::output::{json, table};
use crate::settings::{Connection, Settings};

/// A client, and how to print what it gets.
#[derive(Debug)]
pub(crate) struct Session {
    connection: Connection,
    format: Format,
}

/// The parameters of an operation by name, and their values if they were given.
type Parameters = Vec<(&'static str, Option<String>)>;

impl Session {
    /// Connects to the service that the settings name.
    pub(crate) fn open(settings: &Settings) -> Result<Self, Failure> {
        Ok(Self { connection: settings.connect()?, format: settings.output })
    }

    /// Does what was asked for.
    pub(crate) fn run(&self, command: OperationCommand) -> Result<(), Failure> {
        command.run(self)
    }

    /// Asks for a list and prints its records.
    pub(crate) fn list<O>(&self, given: Parameters, columns: &[&str]) -> Result<(), Failure>
    where
        O: ListOperation<Item: Serialize>,
    {
        let listing = self.connection.client.send(&Asked::<O>::new(given))?;
        let mut out = io::stdout().lock();
        match self.format {
            Format::Table => table::records(&mut out, terminal_width(), columns, &listing.items)?,
            Format::Json => json::array(&mut out, &listing.items)?,
        }
        out.flush()?;
        report(&listing.rejected)
    }

    /// Asks for one object and prints it.
    pub(crate) fn object<O>(&self, given: Parameters, columns: &[&str]) -> Result<(), Failure>
    where
        O: Operation<Output: Serialize>,
    {
        let object = self.connection.client.send(&Asked::<O>::new(given))?;
        let mut out = io::stdout().lock();
        match self.format {
            Format::Table => table::records(&mut out, terminal_width(), columns, &[object])?,
            Format::Json => json::object(&mut out, &object)?,
        }
        out.flush()?;
        Ok(())
    }
}

/// Returns the width of the terminal that reads the output; `None` if it is read by something else.
fn terminal_width() -> Option<u16> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0)
}

/// Names the records that could not be read, so that a short output is not taken for a whole one.
fn report(rejected: &[Rejected]) -> Result<(), Failure> {
    for record in rejected {
        // There is nowhere to report that standard error is closed.
        drop(writeln!(io::stderr(), "not read: {}", printable(&record.error().to_string())));
    }
    if rejected.is_empty() { Ok(()) } else { Err(Failure::rejected(rejected.len())) }
}

/// An operation whose parameters come from the command line.
///
/// The parser has seen to it that a parameter stands only with those that it needs.
struct Asked<O> {
    query: RawQuery,
    operation: std::marker::PhantomData<fn() -> O>,
}

impl<O: Operation> Asked<O> {
    fn new(given: Parameters) -> Self {
        let query =
            given.into_iter().fold(RawQuery::new(O::METHOD), |query, (name, value)| match value {
                Some(value) => query.pair(name, value),
                None => query,
            });
        Self { query, operation: std::marker::PhantomData }
    }
}

impl<O: Operation> Operation for Asked<O> {
    type Output = O::Output;

    const NAME: &'static str = O::NAME;
    const METHOD: &'static str = O::METHOD;

    fn query(&self) -> Result<Query, Error> {
        self.query.query()
    }

    fn decode(body: &[u8]) -> Result<Self::Output, Error> {
        O::decode(body)
    }
}
