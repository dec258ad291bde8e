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

#[tokio::test]
async fn a_bearer_token_must_be_the_one_of_the_mock() {
    let server = MockServer::start().await;
    Call::new::<Photos>("photos/list").token("right").exactly("[]").mount(&server).await;
    let list = |token: Option<&str>| {
        let request = attohttpc::get(format!("{}/api/v2?action=photos/list", server.uri()));
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        Answer::of(request.send().unwrap())
    };
    assert_eq!(list(Some("right")).body, "[]");
    assert_eq!([list(Some("wrong")).status, list(None).status], [404, 404]);
}

#[tokio::test]
async fn mocks_answer_by_priority_until_they_have_answered_all_their_calls() {
    let server = MockServer::start().await;
    let call = || Call::new::<Photos>("photos/list");
    let second = call().exactly("second").up_to_n_times(1).expect(1);
    second.mount(&server).await;
    call().exactly("first").with_priority(1).up_to_n_times(1).expect(1).mount(&server).await;
    let list = || get(&server, "/api/v2?action=photos/list");
    assert_eq!([list().body, list().body], ["first", "second"]);
    assert_eq!(list().status, 404);
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

#[tokio::test]
async fn a_query_has_exactly_the_values_of_a_list() {
    for (style, name) in [(ListStyle::Repeat, "id"), (ListStyle::Bracket, "id[]")] {
        let server = MockServer::start().await;
        let call = Call::new::<Photos>("photos/list");
        let call = call.with_list("id", style, ["1", "2"].map(str::to_owned));
        call.exactly("[]").mount(&server).await;
        let list = |ids: &[&str]| {
            let ids = ids.join(&format!("&{name}="));
            get(&server, &format!("/api/v2?action=photos/list&{name}={ids}")).status
        };
        let statuses = [list(&["1", "2"]), list(&["1"]), list(&["1", "2", "3"])];
        assert_eq!(statuses, [200, 404, 404], "{style:?}");
    }
}
