//! The typed mocks answer the matching requests of the clients, and no others.

use gateway_client::model::{Candidate, ListCandidates, StatusName};
use gateway_client::{AccessToken, Client};
use gateway_testkit::mocks::MockListCandidates;
use wiremock::MockServer;

async fn gateway() -> (MockServer, Client) {
    let server = MockServer::start().await;
    let token = AccessToken::new("secret").unwrap();
    let client = Client::builder(server.uri()).token(token).build().unwrap();
    (server, client)
}

#[tokio::test]
async fn a_mock_answers_only_requests_with_its_parameters() {
    let (server, client) = gateway().await;
    let (all, new) = ([Candidate::new("1"), Candidate::new("2")], [Candidate::new("2")]);
    MockListCandidates::new()
        .token("secret")
        .without_vacancy_id()
        .answers(&all)
        .mount(&server)
        .await;
    let narrow = MockListCandidates::new().vacancy_id(52).status(StatusName::New);
    narrow.answers(&new).mount(&server).await;

    assert_eq!(client.send(&ListCandidates::new()).await.unwrap().items, all);
    let narrow = ListCandidates::new().vacancy_status(52, "New");
    assert_eq!(client.send(&narrow).await.unwrap().items, new);
    let other = ListCandidates::new().vacancy_id(53);
    assert_eq!(client.send(&other).await.unwrap_err().status().unwrap(), 404);
}

#[tokio::test]
async fn a_mock_returns_an_example_of_the_spec() {
    let (server, client) = gateway().await;
    MockListCandidates::like_candidates_one_bad_record().mount(&server).await;
    MockListCandidates::like_candidates_status_with_spaces().mount(&server).await;
    let listing = client.send(&ListCandidates::new()).await.unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (2, 1));
    let odd = ListCandidates::new().vacancy_status(52, "On hold & waiting");
    assert_eq!(client.send(&odd).await.unwrap().items, []);
}
