//! A custom async transport with a pool, over hyper's client connections.
//!
//! `docs/writing-a-transport.md` explains it, and `tests/pooled_transport` runs the conformance kit on it.
//! Run it with `cargo run -p methodical-testkit --example pooled_transport -- http://localhost:8080/`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its result")]

mod adapter;

use std::time::Duration;

use adapter::{HyperTransport, Pool};
use gateway_transport::{Request, Transport as _, TransportError};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), TransportError> {
    let Some(Ok(uri)) = std::env::args().nth(1).map(|text| text.parse()) else {
        eprintln!("usage: pooled_transport URI");
        return Ok(());
    };
    let transport = HyperTransport {
        connect_timeout: Duration::from_secs(5),
        idle_timeout: Duration::from_secs(20),
        pool: Pool::default(),
    };
    let mut request = Request::default();
    *request.uri_mut() = uri;
    let (head, body) = transport.send(request).await?.into_parts();
    println!("{} and {} bytes", head.status, body.collect(1 << 20).await?.len());
    Ok(())
}
