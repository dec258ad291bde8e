//! What is particular to the ureq adapter.
use std::time::Duration;

use gateway_testkit::raw_server::{Next, RawServer};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, ErrorKind, Options, Phase, Proxy};

#[test]
fn a_reset_is_not_the_end_of_a_body_without_a_length() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello");
        // Not before the peer has read this far: a reset takes along what has not been read.
        connection.wait_for_company(2, Duration::from_secs(20));
        Next::Reset
    })
    .unwrap();
    let transport = UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap();
    let get = |target| http::Request::get(server.uri(target)).body("".into()).unwrap();
    let body = transport.send(get("/")).unwrap().into_body();
    let company = transport.send(get("/company"));
    let error = body.collect(100).unwrap_err();
    drop(company);
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Interrupted, Phase::Body));
}
