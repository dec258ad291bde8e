//! The calls that mocks match, and the explanation of the others.

use methodical_model::{BodyFormat, ListStyle};
use wiremock::{Mock, MockServer};

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
    let other = add(r#"{"title":"Pier","tag":["1","2","3"],"since":null}"#).explanation();
    assert_eq!(
        other,
        "no mock matches this call: POST /api/v2?action=photos/add\n\
         mocked: photos/add with title, size, tag, tag without since: `title` differs, \
         `size` is absent, `since` is present, `tag` has more values"
    );
    // A body that is not JSON has no parameters.
    assert!(add("title=Harbour").explanation().contains("`title` is absent"));
    let by_get = get(&server, "/api/v2?action=photos/add").explanation();
    assert!(by_get.ends_with(": another HTTP method"), "{by_get}");
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
    for (target, user, missing) in [
        (whole, "joe", "x-user"),
        ("/bot7:a%20b/photos.list?key=closed", "jane", "key"),
        ("/bot8/photos.list?key=open+sesame", "jane", "bot"),
    ] {
        let explanation = list(target, user).explanation();
        assert_eq!(
            explanation,
            format!(
                "no mock matches this call: GET /bot…/photos.list?key=…\n\
                 mocked: photos.list with a token: the secret `{missing}` is absent or differs"
            )
        );
    }
    let elsewhere = list("/7:a%20b", "jane").explanation();
    assert_eq!(
        elsewhere,
        "no mock matches this call: GET /…\n\
         mocked: photos.list with a token: another operation"
    );
}

#[tokio::test]
async fn a_form_has_the_operation_the_constants_and_the_secret() {
    let server = MockServer::start().await;
    Call::new::<BoxOffice>("GetShows").token("right").exactly("[]").mount(&server).await;
    let shows = |form: &str| post(&server, "/api", form);
    assert_eq!(shows("action=GetShows&format=json&key=right").body, "[]");
    assert_eq!(
        shows("action=GetShows&format=xml&key=wrong").explanation(),
        "no mock matches this call: POST /api action=GetShows&format=xml&key=…\n\
         mocked: GetShows with a token: `format` differs, the secret `key` is absent or differs"
    );
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
    let differs = list(Some("wrong")).explanation();
    assert!(differs.ends_with("photos/list with a token: the token differs"), "{differs}");
    assert!(!differs.contains("wrong") && !differs.contains("right"), "{differs}");
    let missing = list(None).explanation();
    assert!(missing.ends_with("photos/list with a token: the token is missing"), "{missing}");
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
    let answered = "mocked: photos/list: it has answered all its calls";
    assert_eq!(
        list().explanation(),
        format!(
            "no mock matches this call: GET /api/v2?action=photos/list\n{answered}\n{answered}"
        )
    );
}

#[tokio::test]
async fn a_mock_of_wiremock_does_not_explain_calls() {
    let server = MockServer::start().await;
    server.register(Mock::from(Call::new::<Photos>("photos/list").exactly("[]"))).await;
    assert_eq!(get(&server, "/api/v2?action=photos/list").body, "[]");
    let other = get(&server, "/api/v2?action=photos/get");
    assert_eq!((other.status, &*other.body), (404, ""));
}

#[test]
fn debug_has_no_value_and_no_secret() {
    let call = Call::new::<Archive>("photos.list").token("s3cret").secret("key", "s3cret");
    let call = call.with("owner", "jane").without("since");
    assert_eq!(
        format!("{call:?}"),
        r#"Call { select: "photos.list", given: ["owner", "since"], .. }"#
    );
    let mock = format!("{:?}", call.exactly("[]"));
    assert_eq!(mock, "MockedCall(photos.list with owner without since with a token)");
}
