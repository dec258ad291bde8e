//! A custom transport, over an HTTP client that this workspace does not support: `attohttpc`.
//!
//! `docs/writing-a-transport.md` explains it, and `tests/custom_transport` runs the conformance kit on it.
//! Run it with `cargo run -p methodical-testkit --example custom_transport -- http://localhost:8080/`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its result")]

mod adapter;

use std::time::Duration;

use adapter::AttohttpcTransport;
use gateway_transport::{BlockingTransport as _, Request, TransportError};

fn main() -> Result<(), TransportError> {
    let Some(Ok(uri)) = std::env::args().nth(1).map(|text| text.parse()) else {
        eprintln!("usage: custom_transport URI");
        return Ok(());
    };
    let transport = AttohttpcTransport {
        connect_timeout: Duration::from_secs(5),
        idle_timeout: Duration::from_secs(20),
    };
    let mut request = Request::default();
    *request.uri_mut() = uri;
    let (head, body) = transport.send(request)?.into_parts();
    println!("{} and {} bytes", head.status, body.collect(1 << 20)?.len());
    Ok(())
}
