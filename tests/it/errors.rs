//! Errors of each kind: their messages, and what they say about a response whose body could not be used.

use std::error::Error as _;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, iter, thread};

use bytes::Bytes;
use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::transport::{
    BlockingBody, Deadline, MemoryTransport, Phase, Request, TransportError, TransportErrorKind,
    blocking_transport_fn,
};
use gateway_client::{
    AccessToken, CallOptions, Client, CommandToken, Entry, EnvironmentToken, Error, ErrorKind,
    FileToken, RetryPolicy, TokenSource, blocking, token_fn,
};
use http::Response;

use crate::support::{BASE_URL, Driver, PATIENCE, assert_no_repetition, json, token, within};

/// The faults in `faults.rs` show the same for every other kind.
#[test]
fn no_text_repeats_the_text_of_a_source() {
    let wrong = ListCandidates::new().vacancy_id("seven");
    let mut errors = vec![
        AccessToken::new("two words").unwrap_err(),
        CallOptions::new().header("host", "x").unwrap_err(),
        blocking::Client::builder("ftp://h").token(token()).build().unwrap_err(),
        send(EnvironmentToken::new("GATEWAY_TEST_UNSET"), Ok(json(200, "[]"))),
        send(FileToken::new("no/such/file"), Ok(json(200, "[]"))),
        send(CommandToken::new("no-such-program"), Ok(json(200, "[]"))),
        client(token(), Ok(json(200, "[]"))).send(&wrong).unwrap_err(),
    ];
    for kind in [TransportErrorKind::InvalidRequest, TransportErrorKind::Tls] {
        // A message as an adapter would write it.
        let text = kind.as_str().replace('_', " ");
        errors.push(send(token(), Err(TransportError::new(kind, text))));
    }
    let denied = TransportError::from_io(io::ErrorKind::PermissionDenied.into());
    errors.push(send(token(), Err(denied)));
    errors.iter().for_each(assert_no_repetition);
}

#[test]
fn a_success_whose_body_cannot_be_used_keeps_its_status_in_lists_and_streams() {
    for (kind, is_transient) in [
        (TransportErrorKind::Interrupted, true),
        (TransportErrorKind::Timeout, true),
        (TransportErrorKind::Protocol, false),
        (TransportErrorKind::Other, false),
    ] {
        let client = over(move |_| Err(TransportError::new(kind, "scripted")));
        let whole = client.send(&ListVacancies::new()).unwrap_err();
        let streamed = client.stream(&ListVacancies::new()).unwrap().last().unwrap().unwrap_err();
        let mut raw = client.stream_raw(&ListVacancies::new()).unwrap();
        assert!(raw.chunk().unwrap().is_some());
        for error in [whole, streamed, raw.chunk().unwrap_err()] {
            is_a_success_without_its_body(&error);
            assert_eq!(error.is_transient(), is_transient, "{kind:?}");
            assert_eq!(error.source().unwrap().to_string(), "scripted");
        }
    }
}

#[test]
fn a_stream_that_cannot_be_decoded_has_its_status() {
    let client = client(token(), Ok(json(200, r#"{"id""#)));
    let error = client.stream(&ListVacancies::new()).unwrap().last().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    is_a_success_without_its_body(&error);
}

#[test]
fn a_body_above_the_limit_names_the_limit_its_value_and_its_setting() {
    for limit in [1, 3] {
        let response = json(200, " ".repeat(usize::try_from(limit + 1).unwrap()));
        let builder = blocking::Client::builder(BASE_URL).token(token()).body_limit(limit);
        let client = builder.transport(MemoryTransport::new([Ok(response)])).build().unwrap();
        let error = client.send(&ListVacancies::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        is_a_success_without_its_body(&error);
        let text = format!(
            "the response body exceeds the body limit of {limit} bytes; raise it with `ClientBuilder::body_limit`"
        );
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_record_above_the_limit_is_rejected_and_names_the_limit() {
    let body = r#"[{"id":"1","project":"Welder"},{"id":"2"}]"#;
    let client = client(token(), Ok(json(200, body)));
    let records = client.stream(&ListVacancies::new()).unwrap().record_limit(12);
    let entries: Vec<_> = records.map(Result::unwrap).collect();
    let [Entry::Rejected(large), Entry::Record(vacancy)] = &entries[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(
        large.error().to_string(),
        "record exceeds the size limit at [0] (line 1 column 2), expected at most 12 bytes"
    );
    assert_eq!(vacancy.id.as_str(), "2");
}

#[test]
fn a_stream_that_reaches_its_timeout_names_it() {
    let client = over(|request| {
        let end = Deadline::of(request).unwrap().instant();
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            thread::park_timeout(left);
        }
        Err(TransportError::timeout(Phase::Body))
    });
    let options = CallOptions::new().timeout(Duration::from_millis(200));
    let client = client.with(options);
    let error = client.stream(&ListVacancies::new()).unwrap().last().unwrap().unwrap_err();
    is_a_success_without_its_body(&error);
    assert_eq!(
        error.to_string(),
        "no complete response within the timeout of 200ms after 0 records; set a longer one with `CallOptions::timeout`"
    );
}

#[test]
fn a_call_waits_for_a_token_until_its_timeout() {
    const LIMIT: Duration = Duration::from_millis(50);
    const TEXT: &str = "the token source returned no token within the call timeout of 50ms; set a longer one with `ClientBuilder::call_timeout`";
    within(PATIENCE, || {
        let hangs = || token_fn(|_refused| pending::<Result<AccessToken, Error>>());
        let client = Client::builder(BASE_URL).token(hangs()).call_timeout(LIMIT);
        let client = client.transport(MemoryTransport::default()).build().unwrap();
        let blocking = blocking::Client::builder(BASE_URL).token(hangs()).call_timeout(LIMIT);
        let blocking = blocking.transport(MemoryTransport::default()).build().unwrap();
        for driver in [Driver::Async(client), Driver::Blocking(blocking)] {
            let (start, query) = (Instant::now(), ListVacancies::new());
            for error in [
                driver.send(&query).unwrap_err(),
                driver.stream(&query).unwrap_err(),
                driver.request(&query).unwrap_err(),
            ] {
                assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
                assert_eq!(error.to_string(), TEXT);
                assert!(error.is_transient());
            }
            assert!(start.elapsed() >= 3 * LIMIT);
        }
    });
}

#[track_caller]
fn is_a_success_without_its_body(error: &Error) {
    assert_eq!(error.status().unwrap(), 200, "{error:?}");
    assert_eq!(error.headers().unwrap()["content-type"], "application/json");
    assert_eq!(error.body(), None);
    assert_eq!(error.attempts(), 1);
    assert_no_repetition(error);
}

/// Returns a client whose responses begin with a chunk and end with this outcome of a request.
fn over(
    end: impl Fn(&Request) -> Result<Bytes, TransportError> + Send + Sync + 'static,
) -> blocking::Client {
    let end = Arc::new(end);
    let transport = blocking_transport_fn(move |request| {
        let end = Arc::clone(&end);
        let end = iter::once_with(move || end(&request));
        let body = BlockingBody::from_chunks(iter::once(Ok("[".into())).chain(end));
        Ok(json(200, "").map(|_| body))
    });
    let builder = blocking::Client::builder(BASE_URL).token(token()).retry(RetryPolicy::never());
    builder.transport(transport).build().unwrap()
}

fn send(source: impl TokenSource, outcome: Result<Response<Bytes>, TransportError>) -> Error {
    client(source, outcome).send(&ListVacancies::new()).unwrap_err()
}

fn client(
    source: impl TokenSource,
    outcome: Result<Response<Bytes>, TransportError>,
) -> blocking::Client {
    let builder = blocking::Client::builder(BASE_URL).token(source).retry(RetryPolicy::never());
    builder.transport(MemoryTransport::new([outcome])).build().unwrap()
}
