//! The blocking client with its default transport.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gateway_client::model::ListVacancies;
use gateway_client::{AccessToken, ErrorKind, blocking};
use methodical_testkit::raw_server::{Next, RawServer};

#[test]
fn the_default_transport_sends_calls() {
    let server = RawServer::start(|request, connection| {
        assert!(
            request.headers().contains(&("authorization".to_owned(), b"Bearer gwt_6yqW".into()))
        );
        connection.send(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]",
        );
        Next::KeepAlive
    })
    .unwrap();
    let client = client(&server);
    let vacancies = client.send(&ListVacancies::new()).unwrap();
    assert_eq!((vacancies.items.len(), vacancies.rejected.len()), (0, 0));
    assert_eq!(server.progress().requests.len(), 1);
}

#[test]
fn a_cut_response_is_an_error() {
    let server = RawServer::start(|_request, connection| {
        connection.send(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n[",
        );
        Next::Close
    })
    .unwrap();
    let error = client(&server).send(&ListVacancies::new()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Interrupted, 3));
}

fn client(server: &RawServer) -> blocking::Client {
    blocking::Client::builder(format!("http://{}", server.address()))
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .build()
        .unwrap()
}
