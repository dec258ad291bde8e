//! The responses of mocks.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::MockServer;

use super::{Answer, Photos, get};
use crate::mocks::{Call, MockedCall};

fn call() -> Call {
    Call::new::<Photos>("photos/list")
}

/// Returns the response of a mock.
async fn answer(mock: MockedCall) -> Answer {
    let server = MockServer::start().await;
    mock.mount(&server).await;
    get(&server, "/api/v2?action=photos/list")
}

/// Returns the body of a mock's response, which reports success.
async fn body(mock: MockedCall) -> String {
    let Answer { status, media_type, body, .. } = answer(mock).await;
    assert_eq!((status, &*media_type), (200, "application/json"));
    body
}

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
    for (delay, seconds) in [(1_500, "2"), (2_000, "2")] {
        let delay = Duration::from_millis(delay);
        let answer = answer(call().retry_after(delay).fails(503)).await;
        let expected = Answer {
            status: 503,
            media_type: "application/problem+json".to_owned(),
            retry_after: Some(seconds.to_owned()),
            body: r#"{"type":"about:blank","status":503}"#.to_owned(),
        };
        assert_eq!(answer, expected);
    }
}
