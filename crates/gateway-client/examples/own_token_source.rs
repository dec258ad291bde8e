//! A token source of one's own: it gives another token once the service has refused the first.
//!
//! `cargo run -p gateway-client --example own_token_source`

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::error::Error;

use gateway_client::transport::{BoxError, BoxFuture, MemoryTransport};
use gateway_client::{AccessToken, Client, TokenSource};

/// Stands for a vault that can be asked for a fresh token.
struct Vault;

impl TokenSource for Vault {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let text = if refused.is_some() { "gwt_fresh" } else { "gwt_kept" };
        Box::pin(async move { Ok(AccessToken::new(text)?) })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let refusal = http::Response::builder().status(401).body("".into())?;
    let answer = http::Response::builder().header("content-type", "application/json");
    let transport = MemoryTransport::new([Ok(refusal), Ok(answer.body("[]".into())?)]);
    let client = Client::builder("https://gateway.example.com")
        .token(Vault)
        .transport(transport.clone())
        .build()?;
    client.list_vacancies().await?;
    println!("{} requests, the second with a fresh token", transport.requests().len());
    Ok(())
}
