//! A call waits for its token source for at most the call timeout.

use std::time::{Duration, Instant};

use gateway_client::model::ListVacancies;
use gateway_client::transport::MemoryTransport;
use gateway_client::{AccessToken, Client, Error, ErrorKind, TokenSource, blocking, token_fn};

use crate::support::{BASE_URL, Driver, PATIENCE, within};

#[test]
fn a_call_waits_for_a_token_until_its_timeout() {
    within(PATIENCE, || {
        let client = Client::builder(BASE_URL).token(hangs()).call_timeout(LIMIT);
        let client = client.transport(MemoryTransport::new([])).build().unwrap();
        let blocking = blocking::Client::builder(BASE_URL).token(hangs()).call_timeout(LIMIT);
        let blocking = blocking.transport(MemoryTransport::new([])).build().unwrap();
        for driver in [Driver::Async(client), Driver::Blocking(blocking)] {
            let start = Instant::now();
            token_timed_out(&driver.send(&ListVacancies::new()).unwrap_err());
            token_timed_out(&driver.stream(&ListVacancies::new()).unwrap_err());
            token_timed_out(&driver.request(&ListVacancies::new()).unwrap_err());
            assert!(start.elapsed() >= 3 * LIMIT);
        }
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

/// Returns a token source that never answers.
fn hangs() -> impl TokenSource {
    token_fn(|_refused| std::future::pending::<Result<AccessToken, Error>>())
}

/// The call timeout.
const LIMIT: Duration = Duration::from_millis(50);
