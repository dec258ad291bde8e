//! What is particular to the ureq adapter.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::env;
use std::process::Command;
use std::time::Duration;

use gateway_testkit::raw_server::{Next, RawServer};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport, Deadline, ErrorKind, Options, Phase, Proxy, Request, Sent,
};

#[test]
fn a_reset_is_not_the_end_of_a_body_without_a_length() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello");
        // Not before the peer has read this far: a reset takes along what has not been read.
        connection.wait_for_company(2, Duration::from_secs(20));
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
        let mut hurried = get(&target);
        hurried.extensions_mut().insert(Deadline::after(Duration::from_secs(20)));
        for request in [get(&target), hurried] {
            let answer = direct().send(request).and_then(|answer| answer.into_body().collect(9));
            match answer {
                Ok(body) => assert_eq!(body, "hello"),
                Err(error) => {
                    let what = (error.kind(), error.phase(), error.sent());
                    assert_eq!(what, (ErrorKind::Resolve, Phase::Connect, Sent::No));
                    assert!(target.ends_with(".invalid/"), "{target}: {error:?}");
                }
            }
        }
    }
}

/// The proxy is looked up here, the host by the proxy.
#[test]
fn a_proxy_of_the_environment_carries_the_request() {
    let proxy = RawServer::start(|request, connection| {
        if request.method() == "CONNECT" {
            connection.send(b"HTTP/1.1 200 OK\r\n\r\n");
        } else {
            connection.respond("", b"by proxy");
        }
        Next::KeepAlive
    })
    .unwrap();
    // The environment of a process is the same for all its tests.
    let child = Command::new(env::current_exe().unwrap())
        .args(["behind_a_proxy", "--exact", "--ignored"])
        .env("ALL_PROXY", proxy.uri_by_name(""))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    let requests = proxy.progress().requests.into_iter().map(|request| request.line());
    let expected = ["CONNECT gateway.invalid:80 HTTP/1.1", "GET /list HTTP/1.1"];
    assert_eq!(requests.collect::<Vec<_>>(), expected);
}

/// The other half of the test above.
#[test]
#[ignore = "runs as a process of its own, started by another test"]
fn behind_a_proxy() {
    if env::var_os("ALL_PROXY").is_some() {
        let transport = UreqTransport::new(&Options::default()).unwrap();
        let response = transport.send(get("http://gateway.invalid/list")).unwrap();
        assert_eq!(response.into_body().collect(100).unwrap(), "by proxy");
    }
}

fn direct() -> UreqTransport {
    UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap()
}

fn get(target: &str) -> Request {
    http::Request::get(target).body("".into()).unwrap()
}
