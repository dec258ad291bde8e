//! The client reads what a mock sends.

use «client_rust»::model::«query_type»;
use «client_rust»::{AccessToken, Client};
use «testkit_rust»::mocks::«mock_type»;
use wiremock::MockServer;

#[tokio::test]
async fn a_record_survives_the_round_trip() -> Result<(), Box<dyn std::error::Error>> {
    let service = MockServer::start().await;
    let record = «record»;
    «mock_type»::new().answers(«answer»).mount(&service).await;

    let client =
        Client::builder(service.uri()).token(AccessToken::new("test-token")?)«secrets».build()?;
    let received = client.«operation»(&«query»).await?;
    assert_eq!(«received», «expected»);
    Ok(())
}
