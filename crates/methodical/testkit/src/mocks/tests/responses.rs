//! The responses of mocks.

use std::time::Duration;

use attohttpc::Response;
use methodical_model::RawQuery;
use methodical_model::codegen::{Body, Decides, Verdict};
use serde_json::{Value, json};
use wiremock::MockServer;

use super::{Photos, get};
use crate::mocks::{Mock, MockedCall};

type Call = Mock<RawQuery<Photos>>;

fn call() -> Call {
    Mock::of(&RawQuery::new("photos/list"))
}

fn call_of(place: &'static Body) -> Call {
    Mock { place, ..call() }
}

const PHOTOS: Body = Body { at: &["photo"], ..Body::ROOT };

const MARKED: Body = Body {
    verdict: Some(&Verdict::new(Decides::Success { at: &["stat"], is: &["ok"] })),
    ..PHOTOS
};

const NESTED: Body = Body {
    at: &["all", "photo"],
    verdict: Some(&Verdict::new(Decides::Success { at: &["meta", "stat"], is: &["ok"] })),
    metadata_above: 1,
    ..Body::ROOT
};

/// Mounts a mock and returns its response.
async fn answer(mock: MockedCall) -> Response {
    let server = MockServer::start().await;
    mock.mount(&server).await;
    get(&server, "/api/v2?action=photos/list")
}

/// Returns the body of a mock's response, which must have status 200 and be JSON.
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
async fn a_list_is_where_the_operation_has_it() {
    let call = || call_of(&PHOTOS);
    assert_eq!(body(call().list_with(&[1, 2], &())).await, r#"{"photo":[1,2]}"#);
    let bad = Mock { has_bad_record: true, ..call() };
    assert_eq!(body(bad.list_with(&["a"], &())).await, r#"{"photo":["a",0]}"#);
    assert_eq!(body(call().truncated().list_with(&[1, 2], &())).await, r#"{"photo":[1,2"#);
}

#[tokio::test]
async fn the_metadata_of_a_list_follows_it() {
    let metadata = |place, metadata: Value| call_of(place).list_with(&[1], &metadata);
    let plain = &PHOTOS;
    assert_eq!(body(metadata(plain, json!({}))).await, r#"{"photo":[1]}"#);
    assert_eq!(body(metadata(plain, json!({ "total": 1 }))).await, r#"{"photo":[1],"total":1}"#);
    let all = r#"{"stat":"ok","photo":[1],"total":1}"#;
    assert_eq!(body(metadata(&MARKED, json!({ "total": 1 }))).await, all);
    let own = r#"{"photo":[1],"stat":"fail"}"#;
    assert_eq!(body(metadata(&MARKED, json!({ "stat": "fail" }))).await, own);
    let above = r#"{"meta":{"stat":"ok"},"all":{"photo":[1]},"total":1}"#;
    assert_eq!(body(metadata(&NESTED, json!({ "total": 1 }))).await, above);
    let within = r#"{"all":{"photo":[1]},"meta":{"count":1,"stat":"ok"}}"#;
    assert_eq!(body(metadata(&NESTED, json!({ "meta": { "count": 1 } }))).await, within);
}

#[tokio::test]
async fn an_object_has_the_marker_that_it_lacks() {
    let mock = call_of(&MARKED).object(&json!({ "id": 1 }));
    assert_eq!(body(mock).await, r#"{"stat":"ok","photo":{"id":1}}"#);
    let whole = || call_of(&Body { at: &[], ..MARKED });
    assert_eq!(body(whole().object(&json!({ "id": 1 }))).await, r#"{"id":1,"stat":"ok"}"#);
    assert_eq!(body(whole().object(&())).await, r#"{"stat":"ok"}"#);
    assert_eq!(body(call().object(&json!({ "id": 1 }))).await, r#"{"id":1}"#);
    assert_eq!(body(call().truncated().object(&json!({ "id": 1 }))).await, r#"{"id":1"#);
    assert_eq!(body(call().object(&())).await, "null");
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
