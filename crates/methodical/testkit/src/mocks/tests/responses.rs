//! The responses of mocks.

use std::time::Duration;

use attohttpc::Response;
use serde_json::{Value, json};
use wiremock::MockServer;

use super::{Photos, get};
use crate::mocks::{Call, MockedCall};

fn call() -> Call {
    Call::new::<Photos>("photos/list")
}

/// Returns the response of a mock.
async fn answer(mock: MockedCall) -> Response {
    let server = MockServer::start().await;
    mock.mount(&server).await;
    get(&server, "/api/v2?action=photos/list")
}

/// Returns the body of the response of a mock, which reports success.
async fn body(mock: MockedCall) -> String {
    let response = answer(mock).await;
    assert_eq!((response.status().as_u16(), header(&response, "content-type")), (200, JSON));
    response.text().unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers()[name].to_str().unwrap()
}

const JSON: &str = "application/json";

#[tokio::test]
async fn a_list_is_between_its_texts() {
    let frame = (r#"{"photo":["#, "]}");
    assert_eq!(body(call().list(frame, &[1, 2])).await, r#"{"photo":[1,2]}"#);
    assert_eq!(body(call().bad_record().list(frame, &["a"])).await, r#"{"photo":["a",0]}"#);
    assert_eq!(body(call().truncated().list(frame, &[1, 2])).await, r#"{"photo":[1,2"#);
}

#[tokio::test]
async fn the_fields_beside_a_list_follow_it() {
    let frame = (r#"{"photo":["#, "]", "}");
    let beside = |call: Call, beside: Value| call.list_beside(frame, &[1], &beside);
    assert_eq!(body(beside(call(), json!({}))).await, r#"{"photo":[1]}"#);
    assert_eq!(body(beside(call(), json!({ "total": 1 }))).await, r#"{"photo":[1],"total":1}"#);
    let marked = || call().marked(r#""stat":"ok""#);
    let all = r#"{"photo":[1],"stat":"ok","total":1}"#;
    assert_eq!(body(beside(marked(), json!({ "total": 1 }))).await, all);
    let own = r#"{"photo":[1],"stat":"fail"}"#;
    assert_eq!(body(beside(marked(), json!({ "stat": "fail" }))).await, own);
}

#[tokio::test]
async fn an_object_is_between_its_texts_with_the_members_that_it_lacks() {
    let frame = (r#"{"photo":"#, "}");
    let mock = call().object_in(frame, r#""stat":"ok""#, &json!({ "id": 1 }));
    assert_eq!(body(mock).await, r#"{"photo":{"id":1,"stat":"ok"}}"#);
    assert_eq!(body(call().object(&json!({ "id": 1 }))).await, r#"{"id":1}"#);
    assert_eq!(body(call().truncated().object(&json!({ "id": 1 }))).await, r#"{"id":1"#);
    assert_eq!(body(call().nothing("null")).await, "null");
}

#[tokio::test]
async fn a_failure_is_a_problem_document_with_a_delay_in_whole_seconds() {
    for delay in [1_500, 2_000] {
        let response = answer(call().retry_after(Duration::from_millis(delay)).fails(503)).await;
        assert_eq!(response.status(), 503);
        assert_eq!(header(&response, "content-type"), "application/problem+json");
        assert_eq!(header(&response, "retry-after"), "2");
        assert_eq!(response.text().unwrap(), r#"{"type":"about:blank","status":503}"#);
    }
}
