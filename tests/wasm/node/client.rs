//! The client against a peer whose responses depend on the first part of the path.

use std::time::Duration;

use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::transport::Instant;
use gateway_client::{AccessToken, Client, Entry, ErrorKind, RetryPolicy};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::variable;

/// Returns a client for a scenario of the peer, or `None` without a peer.
fn client(scenario: &str) -> Option<Client> {
    let peer = variable("GATEWAY_TEST_PEER")?;
    let client = Client::builder(format!("{peer}/{scenario}"))
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .call_timeout(Duration::from_secs(10))
        .retry(RetryPolicy::default().base_delay(Duration::from_millis(20)))
        .build();
    Some(client.unwrap())
}

#[wasm_bindgen_test]
async fn a_list_is_decoded() {
    let Some(client) = client("list") else { return };
    let vacancies = client.send(&ListVacancies::new()).await.unwrap();
    let ids: Vec<_> = vacancies.items.iter().map(|vacancy| vacancy.id.as_str()).collect();
    assert_eq!((ids, vacancies.rejected.len()), (vec!["1", "2"], 1));
}

#[wasm_bindgen_test]
async fn a_list_is_streamed() {
    // The peer sends the second record only after another client's request.
    let (Some(client), Some(signal)) = (client("stream"), client("continue")) else { return };
    let mut records = client.stream(&ListCandidates::new()).await.unwrap();
    assert!(matches!(records.next().await, Some(Ok(Entry::Record(_)))));
    signal.send(&ListVacancies::new()).await.unwrap();
    assert!(matches!(records.next().await, Some(Ok(Entry::Record(_)))));
    assert!(records.next().await.is_none());
}

#[wasm_bindgen_test]
async fn a_decoded_response_is_read() {
    let Some(client) = client("gzip") else { return };
    let vacancies = client.send(&ListVacancies::new()).await.unwrap();
    assert_eq!(vacancies.items.len(), 1);
}

#[wasm_bindgen_test]
async fn an_overloaded_service_is_asked_again() {
    let Some(client) = client("overloaded") else { return };
    let error = client.send(&ListVacancies::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Server, 3));
}

#[wasm_bindgen_test]
async fn a_date_is_compared_with_the_clock() {
    let Some(client) = client("later") else { return };
    let error = client.send(&ListVacancies::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Server, 1));
    assert!(error.retry_after() > Some(Duration::from_secs(3600)));
}

#[wasm_bindgen_test]
async fn a_followed_redirect_is_an_error() {
    let Some(client) = client("redirect") else { return };
    let error = client.send(&ListVacancies::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 1));
}

#[wasm_bindgen_test]
async fn the_call_timeout_ends_a_silent_call() {
    let Some(peer) = variable("GATEWAY_TEST_PEER") else { return };
    let client = Client::builder(format!("{peer}/silent"))
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .call_timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let start = Instant::now();
    let error = client.send(&ListVacancies::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let passed = start.elapsed();
    assert!(passed >= Duration::from_millis(250) && passed < Duration::from_secs(5), "{passed:?}");
}

#[wasm_bindgen_test]
async fn the_stream_timeout_ends_a_silent_body() {
    let Some(peer) = variable("GATEWAY_TEST_PEER") else { return };
    let client = Client::builder(format!("{peer}/half"))
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .stream_timeout(Duration::from_secs(2))
        .build()
        .unwrap();
    let mut records = client.stream(&ListCandidates::new()).await.unwrap();
    assert!(matches!(records.next().await, Some(Ok(Entry::Record(_)))));
    let error = records.next().await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.delivered()), (ErrorKind::Timeout, Some(1)));
}

#[wasm_bindgen_test]
async fn a_cut_list_is_an_error() {
    // The peer truncates the list only after another client's request.
    let (Some(client), Some(signal)) = (client("cut"), client("continue")) else { return };
    let mut records = client.stream(&ListCandidates::new()).await.unwrap();
    assert!(matches!(records.next().await, Some(Ok(Entry::Record(_)))));
    signal.send(&ListVacancies::new()).await.unwrap();
    let error = records.next().await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.delivered()), (ErrorKind::Interrupted, Some(1)));
}
