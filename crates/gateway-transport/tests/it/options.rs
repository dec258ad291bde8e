//! Options that every adapter applies to its connections, over sockets.
use std::time::Duration;

use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{Deadline, Options, Phase, Proxy, Sent, TransportErrorKind};
use methodical_testkit::raw_server::{Next, RawServer};

use crate::{TIMEOUT, adapters, fetch, greet, request};

#[test]
fn an_unused_connection_is_kept_as_the_options_say() {
    for (options, connections) in [
        (direct(), 1),
        (direct().pool_max_idle(0), 2),
        (direct().pool_idle_timeout(Duration::ZERO), 2),
    ] {
        for transport in adapters(&options) {
            let server = RawServer::start(greet).unwrap();
            for _ in 0..2 {
                assert_eq!(fetch(&*transport, &server.uri("/")).unwrap(), "hello");
            }
            assert_eq!(server.progress().connections, connections, "{options:?}");
        }
    }
}

#[test]
fn the_total_timeout_applies_to_a_request_without_a_deadline() {
    let short = Duration::from_millis(100);
    for transport in adapters(&direct().total_timeout(short)) {
        let server = RawServer::start(|_, connection| {
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nfirst");
            // A client without a timeout reports a truncated body, not a timeout.
            connection.wait_for_close(Duration::from_secs(10));
            Next::Close
        })
        .unwrap();
        let error = fetch(&*transport, &server.uri("/")).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Timeout);
    }
}

#[test]
fn a_timeout_of_zero_is_refused() {
    for (name, options) in [
        ("connect_timeout", Options::default().connect_timeout(Duration::ZERO)),
        ("idle_timeout", Options::default().idle_timeout(Duration::ZERO)),
        ("total_timeout", Options::default().total_timeout(Duration::ZERO)),
    ] {
        let errors = [
            ReqwestBlockingTransport::new(&options).map(drop).unwrap_err(),
            UreqTransport::new(&options).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), TransportErrorKind::InvalidRequest);
            let text = format!(
                "cannot create the transport: `{name}` is zero; set `Duration::MAX` for no timeout"
            );
            assert_eq!(error.to_string(), text);
        }
    }
    let options = direct().total_timeout(Duration::MAX).idle_timeout(Duration::MAX);
    let server = RawServer::start(greet).unwrap();
    for transport in adapters(&options) {
        assert_eq!(fetch(&*transport, &server.uri("/")).unwrap(), "hello");
    }
}

/// Without a deadline, ureq looks a name up itself; with one, on a thread.
#[test]
fn names_are_looked_up_with_and_without_a_deadline() {
    let server = RawServer::start(greet).unwrap();
    for transport in adapters(&direct()) {
        for target in [server.uri_by_name("/"), "http://no-such-host.invalid/".to_owned()] {
            let mut with_deadline = request(&target);
            with_deadline.extensions_mut().insert(Deadline::after(TIMEOUT));
            for request in [request(&target), with_deadline] {
                let response = transport.send(request);
                match response.and_then(|response| response.into_body().collect(9)) {
                    Ok(body) => assert_eq!(body, "hello"),
                    Err(error) => {
                        let actual = (error.kind(), error.phase(), error.sent());
                        assert_eq!(actual, (TransportErrorKind::Resolve, Phase::Connect, Sent::No));
                        assert!(target.ends_with(".invalid/"), "{target}: {error:?}");
                    }
                }
            }
        }
    }
}

fn direct() -> Options {
    Options::default().proxy(Proxy::Never)
}
