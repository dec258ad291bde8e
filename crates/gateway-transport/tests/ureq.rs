//! Behaviour specific to the ureq adapter.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::time::Duration;

use gateway_testkit::raw_server::{Next, RawServer};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport, Deadline, ErrorKind, Options, Phase, Proxy, Request, Sent,
};

#[test]
fn a_reset_does_not_end_a_body_without_a_length() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello");
        // Wait until the client has read this far: a reset discards data that has not been read.
        connection.wait_for_scripts(2, Duration::from_secs(20));
        Next::Reset
    })
    .unwrap();
    let transport = direct();
    let body = transport.send(get(&server.uri("/"))).unwrap().into_body();
    let company = transport.send(get(&server.uri("/company")));
    let error = body.collect(100).unwrap_err();
    drop(company);
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Interrupted, Phase::Body));
}

#[test]
fn names_are_looked_up_with_and_without_a_deadline() {
    let server = RawServer::start(|_, connection| {
        connection.respond("", b"hello");
        Next::Close
    })
    .unwrap();
    let named = server.uri_by_name("/");
    for target in [server.uri("/"), named, "http://no-such-host.invalid/".to_owned()] {
        let mut with_deadline = get(&target);
        with_deadline.extensions_mut().insert(Deadline::after(Duration::from_secs(20)));
        for request in [get(&target), with_deadline] {
            let body = direct().send(request).and_then(|response| response.into_body().collect(9));
            match body {
                Ok(body) => assert_eq!(body, "hello"),
                Err(error) => {
                    let actual = (error.kind(), error.phase(), error.sent());
                    assert_eq!(actual, (ErrorKind::Resolve, Phase::Connect, Sent::No));
                    assert!(target.ends_with(".invalid/"), "{target}: {error:?}");
                }
            }
        }
    }
}

fn direct() -> UreqTransport {
    UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap()
}

fn get(target: &str) -> Request {
    http::Request::get(target).body("".into()).unwrap()
}
