//! Calls the mocks, and prints what the client reads.
//!
//! The generator updates this file. To keep your own, delete the first line.

use «client_rust»::model::«query_type»;
use «client_rust»::{AccessToken, Client};
use «testkit_rust»::mocks;
use wiremock::MockServer;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = MockServer::start().await;
    mocks::«mock_example»().mount(&service).await;

    let client =
        Client::builder(service.uri()).token(AccessToken::new("demo-token")?)«secrets».build()?;
    let response = client.send(&«query»).await?;
    println!("{response:#?}");
    Ok(())
}
