//! Tests of the bodies, the adapters and the wrappers.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod body;
mod bridge;
mod cassette;
mod core;
mod gzip;
mod options;
mod proxy;
mod tls;
mod tower;

use std::time::Duration;

use bytes::Bytes;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Options, Request, TransportError};
use methodical_testkit::raw_server::{Connection, Next, RawRequest};

/// Returns both clients. `ReqwestBlockingTransport` is the async adapter on a thread.
fn adapters(options: &Options) -> [Box<dyn BlockingTransport>; 2] {
    [
        Box::new(ReqwestBlockingTransport::new(options).unwrap()),
        Box::new(UreqTransport::new(options).unwrap()),
    ]
}

/// Fetches a body of up to 100 bytes.
fn fetch(transport: &dyn BlockingTransport, target: &str) -> Result<Bytes, TransportError> {
    transport.send(request(target))?.into_body().collect(100)
}

fn request(target: &str) -> Request {
    http::Request::get(target).body(Bytes::new()).unwrap()
}

/// The script of a server that answers `hello`.
fn greet(_: &RawRequest, connection: &mut Connection) -> Next {
    connection.respond("", b"hello");
    Next::KeepAlive
}

/// Timeout for everything that must happen in a passing test.
const TIMEOUT: Duration = Duration::from_secs(20);
