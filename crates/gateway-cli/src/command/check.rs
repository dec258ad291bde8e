//! `gateway check`: every operation once, each judged by itself.

use std::time::Instant;

use gateway_client::Entry;
use gateway_client::model::{ListOperation, Operation};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::generated::commands::checks;
use crate::output::Shape;
use crate::output::printer::Printer;
use crate::session::{Asked, Session};

/// What became of one operation.
#[derive(Debug, Serialize)]
pub(crate) struct Checked {
    operation: &'static str,
    result: &'static str,
    records: u64,
    rejected: u64,
    milliseconds: u64,
    #[serde(skip)]
    failure: Option<Failure>,
}

/// Asks everything that can be asked without a parameter.
pub(crate) fn run(session: &Session) -> Result<(), Failure> {
    let shape = Shape { columns: FIELDS, fields: FIELDS, single: false };
    let mut printer = Printer::open(&session.output, session.screen, &shape)?;
    let mut worst: Option<Failure> = None;
    for check in checks() {
        let checked = check(session);
        printer.record(&checked)?;
        if let Some(failure) = checked.failure {
            let operation = checked.operation;
            let failure = failure.because(format!("{operation} was asked"));
            worst = worst.or(Some(failure));
        }
    }
    printer.finish()?;
    worst.map_or(Ok(()), Err)
}

/// Asks for a list, and reads it to its end.
pub(crate) fn list<O: ListOperation>(session: &Session) -> Checked {
    let begun = Instant::now();
    let (mut records, mut rejected) = (0, 0);
    let mut ask = || -> Result<(), gateway_client::Error> {
        for entry in session.client.stream(&Asked::<O>::new(Vec::new()))? {
            match entry? {
                Entry::Record(_) => records += 1,
                Entry::Rejected(_) => rejected += 1,
            }
        }
        Ok(())
    };
    let asked = ask();
    let mut failure = asked.err().map(|error| session.explain(error));
    if failure.is_none() && rejected > 0 {
        failure = Some(Failure::rejected(rejected));
    }
    judge(O::METHOD, begun, (records, rejected), failure)
}

/// Asks for one object.
pub(crate) fn object<O: Operation>(session: &Session) -> Checked {
    let begun = Instant::now();
    let asked = session.client.send(&Asked::<O>::new(Vec::new()));
    let records = u64::from(asked.is_ok());
    let failure = asked.err().map(|error| session.explain(error));
    judge(O::METHOD, begun, (records, 0), failure)
}

fn judge(
    operation: &'static str,
    begun: Instant,
    (records, rejected): (u64, u64),
    failure: Option<Failure>,
) -> Checked {
    let result = match failure.as_ref().map(Failure::exit) {
        None => "ok",
        Some(Exit::NotAuthorised) => "not authorised",
        Some(Exit::Network) => "no answer",
        Some(Exit::Rejected) => "some records not readable",
        Some(_) => "not the contract",
    };
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Checked { operation, result, records, rejected, milliseconds, failure }
}

const FIELDS: &[&str] = &["operation", "result", "records", "rejected", "milliseconds"];
