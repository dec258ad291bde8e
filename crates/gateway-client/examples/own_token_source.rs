//! A custom token source: it returns another token after the service has refused the first.
//!
//! `cargo run -p gateway-client --example own_token_source`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;

use gateway_client::model::ListVacancies;
use gateway_client::transport::{BoxError, BoxFuture, MemoryTransport};
use gateway_client::{AccessToken, Client, TokenSource};
use tokio::sync::Mutex;

/// Simulates a vault that issues tokens. Keeps the last token.
struct Vault(Mutex<AccessToken>);

impl TokenSource for Vault {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async move {
            let mut last = self.0.lock().await;
            // If they differ, another client of this source has already replaced the refused token.
            if refused == Some(&*last) {
                *last = AccessToken::new("gwt_second")?;
            }
            Ok(last.clone())
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let refusal = http::Response::builder().status(401).body("".into())?;
    let response = http::Response::builder().header("content-type", "application/json");
    let transport = MemoryTransport::new([Ok(refusal), Ok(response.body("[]".into())?)]);
    let client = Client::builder("https://gateway.example.com")
        .token(Vault(Mutex::new(AccessToken::new("gwt_first")?)))
        .transport(transport.clone())
        .build()?;
    client.send(&ListVacancies::new()).await?;
    println!("{} requests, the second with a new token", transport.requests().len());
    Ok(())
}
