//! The client reads what a mock sends.
//!
//! The generator updates this file. To keep your own, delete the first line.

use «client_rust»::model::*;
use «client_rust»::{AccessToken, Client};
use «testkit_rust»::mocks;
use wiremock::MockServer;

/// A record that the client cannot read is in `rejected`.
#[tokio::test]
async fn every_example_of_the_spec_is_read() -> Result<(), Box<dyn std::error::Error>> {
    let service = MockServer::start().await;
    let client =
        Client::builder(service.uri()).token(AccessToken::new("test-token")?)«secrets».build()?;
    «calls»
    Ok(())
}
