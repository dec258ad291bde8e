//! Mocks on a server, and calls of it.

use attohttpc::header::RETRY_AFTER;
use methodical_model::{Auth, Dispatch, Secret, SecretPlace, Service};
use wiremock::MockServer;

use super::with_members;

mod matches;
mod responses;

struct Photos;

impl Service for Photos {
    const NAME: &'static str = "photos";
    const API_VERSION: &'static str = "v2";
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

/// A service with a secret in its path.
struct Archive;

impl Service for Archive {
    const NAME: &'static str = "archive";
    const API_VERSION: &'static str = "v1";
    const PATH: &'static str = "/bot{secret}";
    const SELECTOR: &'static str = "";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch = Dispatch::path();
    const AUTH: Auth = Auth::Secrets(&[Secret::new("bot", SecretPlace::Path)]);
}

/// A service whose every call is a form with a secret.
struct BoxOffice;

impl Service for BoxOffice {
    const NAME: &'static str = "box-office";
    const API_VERSION: &'static str = "v1";
    const PATH: &'static str = "/api";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch = Dispatch::form(&["action"]).constants(&[("format", "json")]);
    const AUTH: Auth = Auth::Secrets(&[Secret::new("key", SecretPlace::Form)]);
}

/// The parts of a response that the tests look at.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    media_type: String,
    retry_after: Option<String>,
    body: String,
}

impl Answer {
    fn of(response: attohttpc::Response) -> Self {
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        Self {
            status: response.status().as_u16(),
            media_type: header(attohttpc::header::CONTENT_TYPE).unwrap_or_default(),
            retry_after: header(RETRY_AFTER),
            body: response.text().unwrap(),
        }
    }
}

/// Calls by GET.
fn get(server: &MockServer, target: &str) -> Answer {
    let request = attohttpc::get(format!("{}{target}", server.uri()));
    Answer::of(request.send().unwrap())
}

/// Calls by POST.
fn post(server: &MockServer, target: &str, body: &str) -> Answer {
    let request = attohttpc::post(format!("{}{target}", server.uri()));
    Answer::of(request.text(body).send().unwrap())
}

#[test]
fn a_member_that_the_object_has_is_not_added() {
    let ok = r#""stat":"ok""#;
    assert_eq!(with_members(ok, r#"{"id":1}"#), r#"{"id":1,"stat":"ok"}"#);
    assert_eq!(with_members(ok, r#"{"id":1,"stat":"ok"}"#), r#"{"id":1,"stat":"ok"}"#);
    assert_eq!(with_members(ok, "{}"), r#"{"stat":"ok"}"#);
    assert_eq!(with_members("", r#"{"id":1}"#), r#"{"id":1}"#);
}

#[test]
fn a_member_is_added_within_an_object_that_lacks_it() {
    let ok = r#""meta":{"stat":"ok"}"#;
    assert_eq!(with_members(ok, r#"{"id":1}"#), r#"{"id":1,"meta":{"stat":"ok"}}"#);
    let added = with_members(ok, r#"{"meta":{"count":1}}"#);
    assert_eq!(added, r#"{"meta":{"count":1,"stat":"ok"}}"#);
    let own = r#"{"meta":{"stat":"fail"}}"#;
    assert_eq!(with_members(ok, own), own);
}
