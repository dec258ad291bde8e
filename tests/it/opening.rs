//! A stream has to begin within the call timeout; after that it may take longer.

use std::time::Duration;

use gateway_client::model::ListVacancies;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{Options, Proxy};
use gateway_client::{AccessToken, Client, Entry, Error, ErrorKind, RetryPolicy, blocking};
use gateway_testkit::raw_server::{Connection, Next, RawServer};
use methodical_client::ClientBuilder;
use methodical_client::model::Service;

use crate::support::{Driver, PATIENCE, within};

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
    within(PATIENCE, || {
        let server = RawServer::start(move |_request, connection| {
            send(connection);
            Next::Close
        })
        .unwrap();
        let url = server.uri("");
        let options = Options::default().proxy(Proxy::Never);
        let client = settings(Client::builder(url.as_str()));
        let client = client.transport(ReqwestTransport::new(&options).unwrap());
        let reqwest = settings(blocking::Client::builder(url.as_str()));
        let reqwest = reqwest.transport(ReqwestBlockingTransport::new(&options).unwrap());
        let ureq = settings(blocking::Client::builder(url.as_str()));
        let ureq = ureq.transport(UreqTransport::new(&options).unwrap());
        let drivers = [
            Driver::Async(client.build().unwrap()),
            Driver::Blocking(reqwest.build().unwrap()),
            Driver::Blocking(ureq.build().unwrap()),
        ];
        drivers.map(|driver| {
            driver.stream(&ListVacancies::new())?.try_fold(0, |count, entry| {
                Ok(count + usize::from(matches!(entry?, Entry::Record(_))))
            })
        })
    })
}

fn settings<S: Service, T>(builder: ClientBuilder<S, T>) -> ClientBuilder<S, T> {
    let token = AccessToken::new("gwt_x").unwrap();
    builder.token(token).call_timeout(LIMIT).retry(RetryPolicy::never())
}

/// The call timeout.
const LIMIT: Duration = Duration::from_secs(1);
/// The pause after each byte of the server.
const PAUSE: Duration = Duration::from_millis(80);
