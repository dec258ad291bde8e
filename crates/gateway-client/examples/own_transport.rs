//! A custom transport: it counts the requests that it passes on to another transport.
//!
//! `cargo run -p gateway-client --example own_transport`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gateway_client::model::GetCredits;
use gateway_client::transport::{MemoryTransport, Request, Response, Transport, TransportError};
use gateway_client::{AccessToken, Client};

/// Counts the requests that it passes on.
struct Counting<T> {
    inner: T,
    requests: Arc<AtomicU64>,
}

impl<T: Transport> Transport for Counting<T> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.inner.send(request).await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let response = http::Response::builder().header("content-type", "application/json");
    let body = r#"{"credits_number":"184.50","currency":"EUR"}"#;
    let requests = Arc::default();
    let transport = Counting {
        inner: MemoryTransport::new([Ok(response.body(body.into())?)]),
        requests: Arc::clone(&requests),
    };
    let client = Client::builder("https://gateway.example.com")
        .token(AccessToken::new("gwt_example")?)
        .transport(transport)
        .build()?;
    let credits = client.send(&GetCredits::new()).await?;
    let count = requests.load(Ordering::Relaxed);
    println!("{} {} after {count} request", credits.credits_number, credits.currency);
    Ok(())
}
