//! Options that every adapter applies to its connections, over sockets.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, ErrorKind, Options, Proxy, TransportError};
use methodical_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

#[test]
fn an_unused_connection_is_kept_as_the_options_say() {
    check_connections(|options| options, 1);
    check_connections(|options| options.pool_max_idle(0), 2);
    check_connections(|options| options.pool_idle_timeout(Duration::ZERO), 2);
}

/// Checks how many connections two requests after each other open.
#[track_caller]
fn check_connections(set: fn(Options) -> Options, expected: usize) {
    for transport in adapters(set) {
        let server = RawServer::start(greet).unwrap();
        for _ in 0..2 {
            assert_eq!(get(&*transport, &server.uri("/")).unwrap(), "hello");
        }
        assert_eq!(server.progress().connections, expected, "{}", transport.name());
    }
}

#[test]
fn the_total_timeout_applies_to_a_request_without_a_deadline() {
    let short = Duration::from_millis(100);
    for transport in adapters(|options| options.total_timeout(short)) {
        let server = RawServer::start(|_, connection| {
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst");
            // A client without a timeout reports a truncated body, not a timeout.
            connection.wait_for_close(Duration::from_secs(10));
            Next::Close
        })
        .unwrap();
        let error = get(&*transport, &server.uri("/")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{}", transport.name());
    }
}

#[test]
fn a_timeout_of_zero_is_refused() {
    type Set = fn(Options) -> Options;
    let zeros: [(&str, Set); 3] = [
        ("connect_timeout", |options| options.connect_timeout(Duration::ZERO)),
        ("idle_timeout", |options| options.idle_timeout(Duration::ZERO)),
        ("total_timeout", |options| options.total_timeout(Duration::ZERO)),
    ];
    for (name, set) in zeros {
        let options = set(Options::default());
        let errors = [
            ReqwestBlockingTransport::new(&options).map(drop).unwrap_err(),
            UreqTransport::new(&options).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            let text = format!(
                "cannot create the transport: `{name}` is zero; set `Duration::MAX` for no timeout"
            );
            assert_eq!(error.to_string(), text);
        }
    }
    let options = Options::default().proxy(Proxy::Never).total_timeout(Duration::MAX);
    let server = RawServer::start(greet).unwrap();
    for transport in adapters(|_| options.clone().idle_timeout(Duration::MAX)) {
        assert_eq!(get(&*transport, &server.uri("/")).unwrap(), "hello", "{}", transport.name());
    }
}

fn adapters(set: impl Fn(Options) -> Options) -> [Box<dyn BlockingTransport>; 2] {
    let options = set(Options::default().proxy(Proxy::Never));
    [
        Box::new(ReqwestBlockingTransport::new(&options).unwrap()),
        Box::new(UreqTransport::new(&options).unwrap()),
    ]
}

fn get(transport: &dyn BlockingTransport, target: &str) -> Result<Bytes, TransportError> {
    let request = http::Request::get(target).body("".into()).unwrap();
    transport.send(request)?.into_body().collect(10)
}

fn greet(_: &RawRequest, connection: &mut Connection) -> Next {
    connection.respond("", b"hello");
    Next::KeepAlive
}
