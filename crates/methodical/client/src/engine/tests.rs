//! How a client reacts to failures that a body with status 200 reports.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, MemoryTransport, TransportError, TransportErrorKind as Failure,
    blocking_transport_fn,
};
use http::Response;
use methodical_model::ErrorClass;

use crate::tests::{BlockingClient, SearchPhotos, blocking_builder, json};
use crate::{AccessToken, Error, ErrorKind, RetryPolicy, token_fn};

/// Plays responses with status 200 to a call of `send` and to a stream. Returns the outcome, the number of requests and
/// the number of refusals, which are the same for both.
#[track_caller]
fn play(bodies: &[&'static str]) -> (Result<usize, Error>, usize, u32) {
    let run = |is_stream: bool| {
        let responses = bodies.iter().map(|body| Ok(json(Bytes::from_static(body.as_bytes()))));
        let (transport, refusals) = (MemoryTransport::new(responses), Arc::new(AtomicU32::new(0)));
        // Returns another token after each refusal.
        let count = Arc::clone(&refusals);
        let tokens = token_fn(move |refused| {
            count.fetch_add(u32::from(refused.is_some()), Ordering::Relaxed);
            ready(AccessToken::new(format!("gwt_{}", count.load(Ordering::Relaxed))))
        });
        let client = BlockingClient::builder("https://gateway.example.com")
            .token(tokens)
            .retry(RetryPolicy::default().base_delay(Duration::ZERO))
            .transport(transport.clone())
            .build()
            .unwrap();
        let outcome = if is_stream {
            client
                .stream(&SearchPhotos)
                .and_then(|records| records.map(|entry| entry.map(|_| 1)).sum())
        } else {
            client.send(&SearchPhotos).map(|listing| listing.items.len())
        };
        (outcome, transport.requests().len(), refusals.load(Ordering::Relaxed))
    };
    let (whole, stream) = (run(false), run(true));
    let kind = |outcome: &Result<usize, Error>| outcome.as_ref().map_err(Error::kind).copied();
    assert_eq!((kind(&whole.0), whole.1, whole.2), (kind(&stream.0), stream.1, stream.2));
    whole
}

const FOUND: &str = r#"{"photos":{"photo":[{"id":"1"},{"id":"2"}]},"stat":"ok"}"#;
const AUTH: &str = r#"{"stat":"fail","code":98,"message":"CANARY"}"#;
const RATE_LIMIT: &str = r#"{"stat":"fail","code":29,"message":"CANARY"}"#;
const UNAVAILABLE: &str = r#"{"photos":null,"stat":"fail","code":105,"message":"CANARY"}"#;
const OTHER: &str = r#"{"stat":"fail","code":7,"message":"CANARY"}"#;

#[track_caller]
fn fails(
    bodies: &[&'static str],
    requests: usize,
    refusals: u32,
    kind: ErrorKind,
    class: ErrorClass,
    is_transient: bool,
) {
    let (outcome, sent, refused) = play(bodies);
    let error = outcome.unwrap_err();
    assert_eq!((error.kind(), sent, refused), (kind, requests, refusals));
    let reported = error.service().unwrap();
    assert_eq!((reported.class(), reported.message()), (class, Some("CANARY")));
    assert_eq!(error.is_transient(), is_transient);
    assert_eq!(error.attempts(), u32::try_from(requests).unwrap());
    assert!(!format!("{error:?} {error}").contains("CANARY"), "{error:?}");
}

#[test]
fn a_reported_failure_is_retried_like_the_status_of_its_class() {
    for failure in [RATE_LIMIT, UNAVAILABLE] {
        let (outcome, requests, refusals) = play(&[failure, failure, FOUND]);
        assert_eq!((outcome.unwrap(), requests, refusals), (2, 3, 0));
    }
    let rate_limit = [RATE_LIMIT; 3];
    fails(&rate_limit, 3, 0, ErrorKind::RateLimited, ErrorClass::RateLimit, true);
    let unavailable = [UNAVAILABLE; 3];
    fails(&unavailable, 3, 0, ErrorKind::Server, ErrorClass::Unavailable, true);
    fails(&[OTHER], 1, 0, ErrorKind::NotSuccess, ErrorClass::Other, false);
}

#[test]
fn a_token_that_the_body_refuses_is_replaced_once() {
    let (outcome, requests, refusals) = play(&[AUTH, FOUND]);
    assert_eq!((outcome.unwrap(), requests, refusals), (2, 2, 1));
    fails(&[AUTH, AUTH], 2, 1, ErrorKind::Unauthorized, ErrorClass::Auth, false);
}

#[test]
fn a_body_that_is_not_valid_is_not_retried() {
    let (outcome, requests, _) = play(&[r#"{"photos":{"photo":["#]);
    assert_eq!((outcome.unwrap_err().kind(), requests), (ErrorKind::Decode, 1));
}

#[test]
fn a_body_that_breaks_before_its_verdict_is_an_error_with_the_head() {
    let transport = blocking_transport_fn(|_| {
        let broken = TransportError::new(Failure::Interrupted, "scripted");
        Ok(json(BlockingBody::from_chunks([Err(broken)])))
    });
    let client = blocking_builder().retry(RetryPolicy::never()).transport(transport);
    let client = client.build().unwrap();
    let error = client.stream(&SearchPhotos).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Interrupted, 1));
    assert_eq!(error.headers().unwrap()["content-type"], "application/json");
}

/// Returns a builder without retries, whose calls have this timeout, and its transport, which plays these responses.
fn paced(
    timeout: Duration,
    responses: Vec<Response<Bytes>>,
) -> (crate::blocking::ClientBuilder<crate::tests::Photos>, MemoryTransport) {
    let transport = MemoryTransport::new(responses.into_iter().map(Ok));
    let builder = blocking_builder().call_timeout(timeout).retry(RetryPolicy::never());
    (builder.transport(transport.clone()), transport)
}

fn found() -> Response<Bytes> {
    json(Bytes::from_static(FOUND.as_bytes()))
}

#[test]
fn a_stream_is_in_flight_until_its_end_or_its_drop() {
    let short = Duration::from_millis(50);
    let (builder, transport) = paced(short, vec![found(), found(), found(), found()]);
    let client = builder.calls_in_flight(1).build().unwrap();
    let mut records = client.stream(&SearchPhotos).unwrap();
    let error = client.send(&SearchPhotos).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert_eq!(
        error.to_string(),
        "`calls_in_flight` let no further call start within the call timeout of 50ms; set a longer one with `ClientBuilder::call_timeout`"
    );
    assert_eq!(records.by_ref().count(), 2);
    client.send(&SearchPhotos).unwrap();
    let response = client.stream_raw(&SearchPhotos).unwrap();
    client.send(&SearchPhotos).unwrap_err();
    drop((response, records));
    client.send(&SearchPhotos).unwrap();
    assert_eq!(transport.requests().len(), 4);
}

#[test]
fn requests_wait_for_their_turn() {
    let (builder, transport) = paced(Duration::from_secs(20), vec![found(), found(), found()]);
    let client = builder.requests_per_second(50).build().unwrap();
    let start = Instant::now();
    for _ in 0..3 {
        client.send(&SearchPhotos).unwrap();
    }
    assert!(start.elapsed() >= Duration::from_millis(40), "{:?}", start.elapsed());
    assert_eq!(transport.requests().len(), 3);
}

#[test]
fn a_pause_that_the_service_asks_for_delays_the_next_call() {
    let busy = || {
        let response = Response::builder().status(429).header("retry-after", "1");
        response.body(Bytes::new()).unwrap()
    };
    let (builder, transport) = paced(Duration::from_secs(20), vec![busy(), found()]);
    let client = builder.build().unwrap();
    let start = Instant::now();
    assert_eq!(client.send(&SearchPhotos).unwrap_err().kind(), ErrorKind::RateLimited);
    client.send(&SearchPhotos).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(transport.requests().len(), 2);

    let (builder, transport) = paced(Duration::from_millis(100), vec![busy(), found()]);
    let client = builder.build().unwrap();
    client.send(&SearchPhotos).unwrap_err();
    let error = client.send(&SearchPhotos).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert_eq!(
        error.to_string(),
        "the rate limit allowed no request within the call timeout of 100ms; set a longer one with `ClientBuilder::call_timeout`"
    );
    assert_eq!(transport.requests().len(), 1);
}
