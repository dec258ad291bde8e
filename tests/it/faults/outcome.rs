//! The outcome of a call, in one line.

use std::error::Error as _;
use std::fmt::Write as _;

use gateway_client::model::{Candidate, ListCandidates, Rejected};
use gateway_client::{Error, ErrorKind};

use crate::outputs::Outputs;
use crate::support::{Driver, Streamed};

/// Lists or streams the candidates, prints every value and error to `outputs`, and returns the outcome.
pub(super) fn outcome(driver: &Driver, is_streamed: bool, outputs: &Outputs) -> String {
    match driver {
        Driver::Async(client) => outputs.print(client),
        Driver::Blocking(client) => outputs.print(client),
    }
    let query = ListCandidates::new().vacancy_status(7, "CANARY");
    if is_streamed {
        return outcome_of(driver.stream(&query), outputs, |records| read(records, outputs));
    }
    outcome_of(driver.send(&query), outputs, |listing| {
        outputs.print(&listing);
        let mut text = format!("ok, {} records", listing.items.len());
        for error in listing.rejected.iter().map(Rejected::error) {
            outputs.print(error);
            outputs.add(&error.to_string());
            write!(text, ", rejected: {:?} at {}", error.kind(), error.path()).unwrap();
        }
        text
    })
}

fn outcome_of<T>(
    result: Result<T, Error>,
    outputs: &Outputs,
    describe: impl FnOnce(T) -> String,
) -> String {
    match result {
        Ok(value) => describe(value),
        Err(error) => {
            outputs.print_error(&error);
            describe_error(&error)
        }
    }
}

/// Returns the kind, the status, the challenge, the wait that the service requested, and the error of the model if it
/// is the source.
fn describe_error(error: &Error) -> String {
    let mut text = format!("{:?}", error.kind());
    if let Some(status) = error.status()
        && !matches!(error.kind(), ErrorKind::Decode | ErrorKind::NotSuccess)
    {
        write!(text, " {}", status.as_u16()).unwrap();
    }
    if error.headers().is_some_and(|headers| headers.contains_key("www-authenticate")) {
        text.push_str(", with its challenge");
    }
    match error.retry_after().map(|wait| wait.as_secs()) {
        None => {}
        // A date is relative to the time of the call.
        Some(seconds @ 61..=9_999_999_999) => {
            assert!(seconds > 1_000_000, "{seconds}");
            text.push_str(", retry in years");
        }
        Some(seconds) => write!(text, ", retry in {seconds} s").unwrap(),
    }
    if let Some(source) =
        error.source().and_then(|one| one.downcast_ref::<gateway_client::model::DecodeError>())
    {
        write!(text, ": {source}").unwrap();
    }
    text
}

/// Reads the records one by one.
fn read(mut records: Streamed<Candidate>, outputs: &Outputs) -> String {
    outputs.print(&records);
    let mut count = 0;
    let end = loop {
        match records.next() {
            None => break Ok(()),
            Some(Err(error)) => break Err(error),
            Some(Ok(entry)) => {
                if count == 0 {
                    outputs.print(&entry);
                }
                count += 1;
            }
        }
    };
    assert!(records.next().is_none(), "an item follows the end");
    if let Err(error) = &end {
        assert_eq!(error.delivered(), Some(count));
    }
    format!("{count} records, then {}", outcome_of(end, outputs, |()| "the end".to_owned()))
}
