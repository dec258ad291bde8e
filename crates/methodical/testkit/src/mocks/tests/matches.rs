//! The calls that mocks match.

use methodical_model::{BodyFormat, ListStyle};
use wiremock::MockServer;

use super::{Archive, BoxOffice, Photos, get, post};
use crate::mocks::Call;

#[tokio::test]
async fn a_json_body_has_the_parameters_and_each_value_of_a_list() {
    let server = MockServer::start().await;
    let values = ["1", "2"].map(str::to_owned);
    // The style of the list does not matter.
    Call::new::<Photos>("photos/add")
        .post(BodyFormat::Json)
        .with("title", "Harbour")
        .with("size", "7")
        .with_list("tag", ListStyle::Comma, values)
        .without("since")
        .exactly("{}")
        .mount(&server)
        .await;
    let add = |body: &str| post(&server, "/api/v2?action=photos/add", body);
    let complete = add(r#"{"title":"Harbour","size":7,"tag":["1",2]}"#);
    assert_eq!(complete.text().unwrap(), "{}");
    for other in [
        r#"{"title":"Pier","size":7,"tag":["1",2]}"#,
        r#"{"title":"Harbour","tag":["1",2]}"#,
        r#"{"title":"Harbour","size":7,"tag":["1",2],"since":null}"#,
        r#"{"title":"Harbour","size":7,"tag":["1",2,3]}"#,
        // A body that is not JSON has no parameters.
        "title=Harbour&size=7&tag=1&tag=2",
    ] {
        assert_eq!(add(other).status(), 404, "{other}");
    }
    assert_eq!(get(&server, "/api/v2?action=photos/add").status(), 404);
}

#[tokio::test]
async fn a_path_has_any_secret() {
    let server = MockServer::start().await;
    Call::new::<Archive>("photos.list").exactly("[]").mount(&server).await;
    assert_eq!(get(&server, "/bot7:a%20b/photos.list").text().unwrap(), "[]");
    for target in ["/bot/photos.list", "/bot7/8/photos.list", "/7:a%20b"] {
        assert_eq!(get(&server, target).status(), 404, "{target}");
    }
}

#[tokio::test]
async fn a_bearer_token_must_be_the_same() {
    let server = MockServer::start().await;
    Call::new::<Photos>("photos/list").token("right").exactly("[]").mount(&server).await;
    for (token, status) in [("right", 200), ("wrong", 404)] {
        let request = attohttpc::get(format!("{}/api/v2?action=photos/list", server.uri()));
        assert_eq!(request.bearer_auth(token).send().unwrap().status(), status);
    }
}

#[tokio::test]
async fn a_form_has_the_operation_and_the_constants() {
    let server = MockServer::start().await;
    Call::new::<BoxOffice>("GetShows").exactly("[]").mount(&server).await;
    let shows = |form: &str| post(&server, "/api", form);
    assert_eq!(shows("action=GetShows&format=json&key=right").text().unwrap(), "[]");
    for other in ["action=GetShows&format=xml", "action=OldShows&format=json"] {
        assert_eq!(shows(other).status(), 404, "{other}");
    }
}

#[test]
fn debug_has_no_value_and_no_token() {
    let call = Call::new::<Archive>("photos.list").token("s3cret");
    let call = call.with("owner", "jane").without("since");
    assert_eq!(
        format!("{call:?}"),
        r#"Call { select: "photos.list", given: ["owner", "since"], .. }"#
    );
}
