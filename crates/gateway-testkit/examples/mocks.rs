//! Typed mocks: a server on the loopback address that answers as the service would, for tests of your code.
//!
//! `cargo run -p gateway-testkit --features mocks --example mocks`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error as StdError;

use gateway_client::model::{Candidate, ListCandidates, StatusName};
use gateway_client::{AccessToken, Client, Error};
use gateway_testkit::mocks::Mock;
use wiremock::MockServer;

/// The code under test: returns the names of the new candidates of a vacancy.
async fn new_names(client: &Client, vacancy: u64) -> Result<Vec<String>, Error> {
    let query = ListCandidates::new().vacancy_status(vacancy, StatusName::New);
    let listing = client.send(&query).await?;
    Ok(listing.items.into_iter().filter_map(|candidate| candidate.name).collect())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn StdError>> {
    let gateway = MockServer::start().await;
    let client = Client::builder(gateway.uri()).token(AccessToken::new("gwt_test")?).build()?;

    let mut ada = Candidate::new("4711");
    ada.name = Some("Ada".into());
    let query = ListCandidates::new().vacancy_status(52, StatusName::New);
    Mock::of(&query).answers(&[ada]).mount(&gateway).await;
    println!("vacancy 52: {:?}", new_names(&client, 52).await?);

    Mock::of(&ListCandidates::new().vacancy_id(53)).fails(403).mount(&gateway).await;
    println!("vacancy 53: {:?}", new_names(&client, 53).await.map_err(|error| error.kind()));

    // No mock matches this call. Standard error shows how it differs from each mock.
    println!("vacancy 54: {:?}", new_names(&client, 54).await.map_err(|error| error.kind()));
    Ok(())
}
