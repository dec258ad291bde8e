//! What became of a call, in a line.

use std::error::Error as _;
use std::fmt::Write as _;

use gateway_client::model::{Candidate, Credits, ListCandidates, Listing, StatusName};
use gateway_client::{Error, ErrorKind};

use super::case::Ask;
use super::outputs::Outputs;
use crate::support::{Driver, Streamed};

/// Asks, prints all that comes of it to `outputs`, and says what it was.
pub(super) fn outcome(driver: &Driver, ask: &Ask, outputs: &Outputs) -> String {
    match driver {
        Driver::Async(client) => outputs.print(client),
        Driver::Blocking(client) => outputs.print(client),
    }
    match ask {
        Ask::List => list(driver, "CANARY", outputs, said_of_list),
        Ask::Status(name) => list(driver, name, outputs, said_of_list),
        Ask::ListAgain(times) => {
            let said = (0..*times).map(|_| list(driver, "CANARY", outputs, said_of_identifiers));
            let mut said: Vec<_> = said.collect();
            said.dedup();
            format!("{times} × {}", said.join(", "))
        }
        Ask::Stream => stream(driver, outputs, true),
        Ask::StreamUntilReset => stream(driver, outputs, false),
        Ask::Credits => said(driver.credits(), outputs, |credits| said_of_credits(&credits)),
    }
}

fn list(
    driver: &Driver,
    status: &str,
    outputs: &Outputs,
    tell: fn(&Listing<Candidate>) -> String,
) -> String {
    let query = ListCandidates::new().vacancy_id(7).status(StatusName::from(status.to_owned()));
    said(driver.candidates(&query), outputs, |listing| {
        outputs.print(&listing);
        for one in &listing.rejected {
            outputs.print(one.error());
            outputs.add(&one.error().to_string());
        }
        tell(&listing)
    })
}

fn said<T>(result: Result<T, Error>, outputs: &Outputs, tell: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => tell(value),
        Err(error) => {
            outputs.print_error(&error);
            said_of_error(&error)
        }
    }
}

fn said_of_list(listing: &Listing<Candidate>) -> String {
    let mut text = format!("ok, {} records", listing.items.len());
    for date in listing.items.iter().filter_map(|one| one.date.as_ref()) {
        text.push_str(if date.civil().is_some() { ", a date" } else { ", a date that is text" });
    }
    for one in &listing.rejected {
        write!(text, ", rejected: {:?} at {}", one.error().kind(), one.error().path()).unwrap();
    }
    text
}

fn said_of_identifiers(listing: &Listing<Candidate>) -> String {
    let identifiers: Vec<_> = listing.items.iter().map(|one| one.id.as_str()).collect();
    format!("ok: {}", identifiers.join(" "))
}

fn said_of_credits(credits: &Credits) -> String {
    let plain = if credits.credits_number.is_plain() { "a number" } else { "text" };
    format!("ok, {} is {plain}", credits.credits_number)
}

/// The kind, with what the service asked for and what the model says, if that is where it comes from.
fn said_of_error(error: &Error) -> String {
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
        // A date counts from the moment of the question.
        Some(seconds @ 61..=9_999_999_999) => {
            assert!(seconds > 1_000_000, "{seconds}");
            text.push_str(", back in years");
        }
        Some(seconds) => write!(text, ", back in {seconds} s").unwrap(),
    }
    if let Some(source) =
        error.source().and_then(|one| one.downcast_ref::<gateway_client::model::Error>())
    {
        write!(text, ": {source}").unwrap();
    }
    text
}

/// Reads the records one by one; `exact` says whether it is known how many there are.
fn stream(driver: &Driver, outputs: &Outputs, exact: bool) -> String {
    let query = ListCandidates::new().vacancy_id(7).status("CANARY");
    said(Streamed::open(driver, &query), outputs, |mut records| {
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
        assert!(records.next().is_none(), "something comes after the end");
        if let Err(error) = &end {
            assert_eq!(error.delivered(), Some(count));
        }
        let count = if exact { count.to_string() } else { "some".to_owned() };
        format!("{count} records, then {}", said(end, outputs, |()| "the end".to_owned()))
    })
}
