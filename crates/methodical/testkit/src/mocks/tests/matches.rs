//! The calls that mocks match.

use methodical_model::{BodyFormat, ListStyle};
use wiremock::MockServer;

use super::{Answer, Archive, BoxOffice, Photos, get, post};
use crate::mocks::Call;

#[tokio::test]
async fn a_json_body_has_the_parameters_and_each_value_of_a_list() {
    let server = MockServer::start().await;
    let values = ["1", "2"].map(str::to_owned);
    // The style of the list does not matter.
    Call::post::<Photos>("photos/add", BodyFormat::Json)
        .with("title", "Harbour")
        .with("size", "7")
        .with_list("tag", ListStyle::Comma, values)
        .without("since")
        .exactly("{}")
        .mount(&server)
        .await;
    let add = |body: &str| post(&server, "/api/v2?action=photos/add", body);
    let complete = add(r#"{"title":"Harbour","size":7,"tag":["1",2]}"#);
    assert_eq!((complete.status, &*complete.body), (200, "{}"));
    for other in [
        r#"{"title":"Pier","size":7,"tag":["1",2]}"#,
        r#"{"title":"Harbour","tag":["1",2]}"#,
        r#"{"title":"Harbour","size":7,"tag":["1",2],"since":null}"#,
        r#"{"title":"Harbour","size":7,"tag":["1",2,3]}"#,
        // A body that is not JSON has no parameters.
        "title=Harbour&size=7&tag=1&tag=2",
    ] {
        assert_eq!(add(other).status, 404, "{other}");
    }
    assert_eq!(get(&server, "/api/v2?action=photos/add").status, 404);
}

#[tokio::test]
async fn each_secret_must_be_in_its_place() {
    let server = MockServer::start().await;
    // The first secret is that of `token`.
    let call = Call::new::<Archive>("photos.list").token("7:a b").secret("key", "open sesame");
    call.secret("x-user", "jane").exactly("[]").mount(&server).await;
    let list = |target: &str, user: &str| {
        let request = attohttpc::get(format!("{}{target}", server.uri()));
        Answer::of(request.header("x-user", user).send().unwrap())
    };
    let whole = "/bot7:a%20b/photos.list?key=open+sesame";
    assert_eq!(list(whole, "jane").body, "[]");
    for (target, user) in [
        (whole, "joe"),
        ("/bot7:a%20b/photos.list?key=closed", "jane"),
        ("/bot8/photos.list?key=open+sesame", "jane"),
        ("/7:a%20b", "jane"),
    ] {
        assert_eq!(list(target, user).status, 404, "{target}");
    }
}

#[tokio::test]
async fn a_form_has_the_operation_the_constants_and_the_secret() {
    let server = MockServer::start().await;
    Call::new::<BoxOffice>("GetShows").token("right").exactly("[]").mount(&server).await;
    let shows = |form: &str| post(&server, "/api", form);
    assert_eq!(shows("action=GetShows&format=json&key=right").body, "[]");
    for other in ["action=GetShows&format=xml&key=right", "action=GetShows&format=json&key=wrong"] {
        assert_eq!(shows(other).status, 404, "{other}");
    }
}

#[test]
fn debug_has_no_value_and_no_secret() {
    let call = Call::new::<Archive>("photos.list").token("s3cret").secret("key", "s3cret");
    let call = call.with("owner", "jane").without("since");
    assert_eq!(
        format!("{call:?}"),
        r#"Call { select: "photos.list", given: ["owner", "since"], .. }"#
    );
}
