//! Mocks on a server, and calls to that server.

use attohttpc::Response;
use methodical_model::{Auth, Dispatch, Secret, SecretPlace, Service};
use wiremock::MockServer;

use super::{object, with_members};

mod matches;
mod responses;

struct Photos;

impl Service for Photos {
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

/// A service with a secret in its path.
struct Archive;

impl Service for Archive {
    const PATH: &'static str = "/bot{secret}";
    const SELECTOR: &'static str = "";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch = Dispatch::path();
    const AUTH: Auth = Auth::Secrets(&[Secret::new("bot", SecretPlace::Path)]);
}

/// A service whose every call is a form with a secret.
struct BoxOffice;

impl Service for BoxOffice {
    const PATH: &'static str = "/api";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch = Dispatch::form(&["action"]).constants(&[("format", "json")]);
    const AUTH: Auth = Auth::Secrets(&[Secret::new("key", SecretPlace::Form)]);
}

/// Sends a call by GET.
fn get(server: &MockServer, target: &str) -> Response {
    attohttpc::get(format!("{}{target}", server.uri())).send().unwrap()
}

/// Sends a call by POST.
fn post(server: &MockServer, target: &str, body: &str) -> Response {
    attohttpc::post(format!("{}{target}", server.uri())).text(body).send().unwrap()
}

#[test]
fn members_are_added_where_the_object_lacks_them() {
    const OK: &str = r#"{"stat":"ok"}"#;
    const META: &str = r#"{"meta":{"stat":"ok"}}"#;
    for (members, record, expected) in [
        (OK, r#"{"id":1}"#, r#"{"id":1,"stat":"ok"}"#),
        (OK, r#"{"id":1,"stat":"ok"}"#, r#"{"id":1,"stat":"ok"}"#),
        (OK, "{}", r#"{"stat":"ok"}"#),
        ("{}", r#"{"id":1}"#, r#"{"id":1}"#),
        (META, r#"{"id":1}"#, r#"{"id":1,"meta":{"stat":"ok"}}"#),
        (META, r#"{"meta":{"count":1}}"#, r#"{"meta":{"count":1,"stat":"ok"}}"#),
        (META, r#"{"meta":{"stat":"fail"}}"#, r#"{"meta":{"stat":"fail"}}"#),
    ] {
        assert_eq!(with_members(object(members), record), expected);
    }
}
