//! The typed mocks answer the matching requests of the clients, and no others.

use std::time::Duration;

use gateway_client::model::{
    Candidate, Credits, GetCredits, ListCandidates, ListVacancies, StatusName,
};
use gateway_client::{AccessToken, CallOptions, Client, ErrorKind, RetryPolicy};
use gateway_testkit::mocks::{MockGetCredits, MockListCandidates, MockListVacancies};
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

/// A setting that a mock does not pass on has no effect.
#[tokio::test]
async fn every_mock_has_every_setting() {
    macro_rules! settings {
        ($mock:ident, $query:ident, $records:expr) => {{
            let server = MockServer::start().await;
            let client = Client::builder(server.uri()).token(AccessToken::new("secret").unwrap());
            let client = client.retry(RetryPolicy::never()).build().unwrap();
            let error = async || client.send(&$query::new()).await.unwrap_err();

            $mock::new().token("secret").answers($records).mount(&server).await;
            assert!(client.send(&$query::new()).await.is_ok());
            server.reset().await;
            $mock::new().token("other").answers($records).mount(&server).await;
            assert_eq!(error().await.status().unwrap(), 404);
            server.reset().await;
            $mock::new().delay(Duration::from_secs(60)).answers($records).mount(&server).await;
            let impatient = client.with(CallOptions::new().timeout(Duration::from_millis(100)));
            let late = impatient.send(&$query::new()).await.unwrap_err();
            assert_eq!(late.kind(), ErrorKind::Timeout);
            server.reset().await;
            $mock::new().truncated().answers($records).mount(&server).await;
            assert_eq!(error().await.kind(), ErrorKind::Decode);
            server.reset().await;
            // The last one: the client would wait for these seconds before another call.
            $mock::new().retry_after(Duration::from_secs(7)).fails(503).mount(&server).await;
            assert_eq!(error().await.headers().unwrap()["retry-after"], "7");
        }};
    }
    settings!(MockListCandidates, ListCandidates, &[Candidate::new("1")]);
    settings!(MockListVacancies, ListVacancies, &[]);
    settings!(MockGetCredits, GetCredits, &Credits::new("1", "EUR"));

    let (server, client) = gateway().await;
    MockListVacancies::new().bad_record().answers(&[]).mount(&server).await;
    let listing = client.send(&ListVacancies::new()).await.unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (0, 1));
    MockListCandidates::new().bad_record().answers(&[Candidate::new("1")]).mount(&server).await;
    let listing = client.send(&ListCandidates::new()).await.unwrap();
    assert_eq!((listing.items.len(), listing.rejected[0].index()), (1, 1));
}
