//! A stream begins within the limits of any call, however long it may last then.

use std::sync::Arc;
use std::time::Duration;

use gateway_client::model::ListVacancies;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{BlockingTransport, Options, Proxy};
use gateway_client::{AccessToken, Client, Entry, Error, ErrorKind, RetryPolicy, blocking};
use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::support::RUNTIME;

#[test]
fn a_head_that_drips_is_given_up() {
    // Each byte breaks the silence, so that only the limit ends it: a client that waits for the end is told of a cut.
    let outcomes = streams(|connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nx: ");
        connection.drip(&[b'x'; 200], PAUSE)
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Timeout);
    }
}

#[test]
fn a_refusal_that_drips_is_told_with_what_has_come() {
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
fn a_list_may_come_slowly() {
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

/// How many records come, over each transport, of a server that sends this. The limit of a call is far shorter than what
/// is sent takes.
fn streams(
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

const LIMIT: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(40);
