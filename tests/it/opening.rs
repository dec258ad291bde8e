//! A stream has to begin within the call timeout; after that it may take longer.

use std::sync::Arc;
use std::time::Duration;

use gateway_client::model::ListVacancies;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{BlockingTransport, Options, Proxy};
use gateway_client::{AccessToken, Client, Entry, Error, ErrorKind, RetryPolicy, blocking};
use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::support::{PATIENCE, RUNTIME, within};

#[test]
fn a_slow_head_is_a_timeout() {
    // The bytes keep coming, so only the call timeout can end the wait. A client without it would report a truncated
    // response instead.
    let outcomes = streams(|connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nx: ");
        connection.drip(&[b'x'; 200], PAUSE)
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Timeout);
    }
}

#[test]
fn a_slow_refusal_is_reported_with_the_body_so_far() {
    let outcomes = streams(|connection| {
        connection.send(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 200\r\n\r\n");
        connection.drip(&[b'x'; 200], PAUSE)
    });
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
        assert!((1..200).contains(&error.body().unwrap().len()), "{error:?}");
    }
}

#[test]
fn a_slow_list_may_exceed_the_call_timeout() {
    let list = br#"[{"id":"1"}, {"id":"2"}]"#;
    let outcomes = streams(|connection| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
        connection.send(head.as_bytes());
        connection.drip(list, PAUSE)
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap(), 2);
    }
}

/// Streams a list over each transport from a server that sends this, and returns the number of records. Sending takes
/// far longer than the call timeout.
fn streams(
    send: impl Fn(&mut Connection) -> bool + Send + Sync + 'static,
) -> [Result<usize, Error>; 3] {
    within(PATIENCE, || stream_over_each_transport(send))
}

fn stream_over_each_transport(
    send: impl Fn(&mut Connection) -> bool + Send + Sync + 'static,
) -> [Result<usize, Error>; 3] {
    let server = RawServer::start(move |_request, connection| {
        send(connection);
        Next::Close
    })
    .unwrap();
    let options = Options::default().proxy(Proxy::Never);
    let ureq = UreqTransport::new(&options).unwrap();
    let reqwest = ReqwestBlockingTransport::new(&options).unwrap();
    let client = Client::builder(server.uri(""))
        .token(AccessToken::new("gwt_x").unwrap())
        .call_timeout(LIMIT)
        .retry(RetryPolicy::never())
        .transport(ReqwestTransport::new(&options).unwrap())
        .build()
        .unwrap();
    let asynchronous = RUNTIME.block_on(async {
        let mut records = client.stream(&ListVacancies::new()).await?;
        let mut count = 0;
        while let Some(entry) = records.next().await {
            count += usize::from(matches!(entry?, Entry::Record(_)));
        }
        Ok(count)
    });
    [asynchronous, count(&server, Arc::new(reqwest)), count(&server, Arc::new(ureq))]
}

fn count(server: &RawServer, transport: Arc<dyn BlockingTransport>) -> Result<usize, Error> {
    let client = blocking::Client::builder(server.uri(""))
        .token(AccessToken::new("gwt_x").unwrap())
        .call_timeout(LIMIT)
        .retry(RetryPolicy::never())
        .transport(transport)
        .build()
        .unwrap();
    client
        .stream(&ListVacancies::new())?
        .try_fold(0, |count, entry| Ok(count + usize::from(matches!(entry?, Entry::Record(_)))))
}

/// The call timeout.
const LIMIT: Duration = Duration::from_secs(1);
/// The pause after each byte of the server.
const PAUSE: Duration = Duration::from_millis(80);
