//! The reaction to failures that a body with status 200 reports.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, BoxError, BoxFuture, ErrorKind as Failure, MemoryTransport, TransportError,
    blocking_transport_fn,
};
use http::Response;
use methodical_model::ErrorClass;

use crate::photos::{BlockingClient, SearchPhotos};
use crate::{AccessToken, Error, ErrorKind, RetryPolicy, TokenSource};

/// A source with another token for each refusal. It counts the refusals.
#[derive(Clone, Default)]
struct Tokens(Arc<Mutex<u32>>);

impl TokenSource for Tokens {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let mut count = self.0.lock().unwrap();
        *count += u32::from(refused.is_some());
        let token = AccessToken::new(format!("gwt_{count}"));
        Box::pin(std::future::ready(token.map_err(Into::into)))
    }
}

/// Plays responses with status 200 to a whole call and to a stream. Returns the error, the number of requests and the
/// number of refusals, which are the same for both.
#[track_caller]
fn play(bodies: &[&'static str]) -> (Result<usize, Error>, usize, u32) {
    let run = |is_stream: bool| {
        let responses = bodies.iter().map(|body| {
            let response = Response::builder().header("content-type", "application/json");
            Ok(response.body(Bytes::from_static(body.as_bytes())).unwrap())
        });
        let (transport, tokens) = (MemoryTransport::new(responses), Tokens::default());
        let client = BlockingClient::builder("https://gateway.example.com")
            .token(tokens.clone())
            .retry(RetryPolicy::default().base_delay(std::time::Duration::ZERO))
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
        let refusals = *tokens.0.lock().unwrap();
        (outcome, transport.requests().len(), refusals)
    };
    let (whole, stream) = (run(false), run(true));
    let kind = |outcome: &Result<usize, Error>| outcome.as_ref().map_err(Error::kind).copied();
    assert_eq!((kind(&whole.0), whole.1, whole.2), (kind(&stream.0), stream.1, stream.2));
    whole
}

const FOUND: &str = r#"{"photos":{"photo":[{"id":1},{"id":2}]},"stat":"ok"}"#;
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
        let response = Response::builder().header("content-type", "application/json");
        Ok(response.body(BlockingBody::from_chunks([Err(broken)])).unwrap())
    });
    let client = BlockingClient::builder("https://gateway.example.com")
        .token(Tokens::default())
        .retry(RetryPolicy::default().max_attempts(1))
        .transport(transport)
        .build()
        .unwrap();
    let error = client.stream(&SearchPhotos).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Interrupted, 1));
    assert_eq!(error.headers().unwrap()["content-type"], "application/json");
}
