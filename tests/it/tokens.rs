//! A call waits for its token source for at most the call timeout.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gateway_client::model::ListVacancies;
use gateway_client::transport::{BlockingTransport, BoxError, BoxFuture, MemoryTransport};
use gateway_client::{AccessToken, Client, Error, ErrorKind, TokenSource, blocking};

use crate::support::{BASE_URL, Driver, PATIENCE, json, token, within};

#[test]
fn a_call_waits_for_a_token_until_its_timeout() {
    within(PATIENCE, || {
        let client = Client::builder(BASE_URL).token(Hangs::on(|_| true)).call_timeout(LIMIT);
        let client = client.transport(MemoryTransport::new([])).build().unwrap();
        let blocking = blocking(Hangs::on(|_| true), MemoryTransport::new([]));
        for driver in [Driver::Async(client), Driver::Blocking(blocking)] {
            let start = Instant::now();
            token_timed_out(&driver.send(&ListVacancies::new()).unwrap_err());
            token_timed_out(&driver.stream(&ListVacancies::new()).unwrap_err());
            token_timed_out(&driver.request(&ListVacancies::new()).unwrap_err());
            assert!(start.elapsed() >= 3 * LIMIT);
        }
    });
}

#[test]
fn after_a_timeout_the_next_call_requests_a_token_again() {
    within(PATIENCE, || {
        let client = blocking(
            Hangs::on(|request| request == 0),
            MemoryTransport::new([Ok(json(200, "[]"))]),
        );
        token_timed_out(&client.send(&ListVacancies::new()).unwrap_err());
        // The source hangs once; the next call does not wait for the abandoned request.
        assert!(client.send(&ListVacancies::new()).unwrap().items.is_empty());
    });
}

#[test]
fn a_refresh_that_hangs_ends_with_the_call_timeout() {
    within(PATIENCE, || {
        let client = blocking(
            Hangs::on(|request| request == 1),
            MemoryTransport::new([Ok(json(401, "[]"))]),
        );
        let error = client.send(&ListVacancies::new()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 1));
    });
}

#[track_caller]
fn token_timed_out(error: &Error) {
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
    assert_eq!(
        error.to_string(),
        "the token source returned no token within the call timeout of 50ms; set a longer one with `ClientBuilder::call_timeout`"
    );
    assert!(error.is_transient());
}

fn blocking(source: impl TokenSource, transport: impl BlockingTransport) -> blocking::Client {
    let builder = blocking::Client::builder(BASE_URL).token(source).call_timeout(LIMIT);
    builder.transport(transport).build().unwrap()
}

/// A token source that hangs at some requests, and returns a token at the others.
struct Hangs {
    on: fn(usize) -> bool,
    requests: AtomicUsize,
}

impl Hangs {
    fn on(request: fn(usize) -> bool) -> Self {
        Self { on: request, requests: AtomicUsize::new(0) }
    }
}

impl TokenSource for Hangs {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async {
            if (self.on)(self.requests.fetch_add(1, Ordering::Relaxed)) {
                std::future::pending::<()>().await;
            }
            Ok(token())
        })
    }
}

/// The call timeout.
const LIMIT: Duration = Duration::from_millis(50);
