//! The calls that mocks match.

use methodical_model::codegen::{Items, QueryBuilder};
use methodical_model::{BodyFormat, DecodeError, ListStyle, Operation, Query, RawJson, RawQuery};
use wiremock::MockServer;

use super::{Archive, BoxOffice, Photos, get, post};
use crate::mocks::Mock;

/// Adds a photo with two tags.
struct AddPhoto;

impl Operation for AddPhoto {
    type Service = Photos;
    type Output = RawJson;

    const METHOD: &'static str = "photos/add";
    const POST: Option<(BodyFormat, bool)> = Some((BodyFormat::Json, false));

    fn query(&self) -> Result<Query, DecodeError> {
        let mut query = QueryBuilder::of::<Self>();
        query.push("title", "Harbour");
        query.push("size", "7");
        let tags = ["1", "2"].into_iter().map(str::to_owned);
        query.push_list("tag", ListStyle::Comma, Items::Text, tags)?;
        Ok(query.finish())
    }
}

#[tokio::test]
async fn a_json_body_has_the_parameters_and_each_value_of_a_list() {
    let add =
        |server: &MockServer, body: &str| post(server, "/api/v2?action=photos/add", body).status();
    let server = MockServer::start().await;
    Mock::of(&AddPhoto).only().exactly("{}").mount(&server).await;
    let complete = r#"{"title":"Harbour","size":7,"tag":["1",2]}"#;
    assert_eq!(add(&server, complete), 200);
    let with_other = r#"{"title":"Harbour","size":7,"tag":["1",2],"since":null}"#;
    let others = [
        r#"{"title":"Pier","size":7,"tag":["1",2]}"#,
        r#"{"title":"Harbour","tag":["1",2]}"#,
        r#"{"title":"Harbour","size":7,"tag":["1",2,3]}"#,
        // A body that is not JSON has no parameters.
        "title=Harbour&size=7&tag=1&tag=2",
    ];
    for other in others.into_iter().chain([with_other]) {
        assert_eq!(add(&server, other), 404, "{other}");
    }
    assert_eq!(get(&server, "/api/v2?action=photos/add").status(), 404);

    // Other parameters are allowed, but not other values of a list.
    server.reset().await;
    Mock::of(&AddPhoto).exactly("{}").mount(&server).await;
    assert_eq!(add(&server, with_other), 200);
    for other in others {
        assert_eq!(add(&server, other), 404, "{other}");
    }
    server.reset().await;
    Mock::<AddPhoto>::any().exactly("{}").mount(&server).await;
    assert_eq!(add(&server, r#"{"title":"Pier"}"#), 200);
}

#[tokio::test]
async fn a_list_in_any_style_must_be_complete() {
    for (name, other) in [("tag", "tag"), ("tag[]", "tag[]"), ("tag[0]", "tag[1]")] {
        let server = MockServer::start().await;
        let query = RawQuery::<Photos>::new("photos/list").pair(name, "sea");
        Mock::of(&query).exactly("[]").mount(&server).await;
        let list = |more: &str| {
            get(&server, &format!("/api/v2?action=photos/list&{name}=sea{more}")).status().as_u16()
        };
        assert_eq!([list(""), list("&size2=7"), list("&tag2=pier")], [200; 3], "{name}");
        assert_eq!(list(&format!("&{other}=pier")), 404, "{name}");
    }
}

#[tokio::test]
async fn a_path_has_any_secret() {
    let server = MockServer::start().await;
    Mock::of(&RawQuery::<Archive>::new("photos.list")).only().exactly("[]").mount(&server).await;
    assert_eq!(get(&server, "/bot7:a%20b/photos.list").text().unwrap(), "[]");
    for target in ["/bot/photos.list", "/bot7/8/photos.list", "/7:a%20b"] {
        assert_eq!(get(&server, target).status(), 404, "{target}");
    }
}

#[tokio::test]
async fn a_bearer_token_must_be_the_same() {
    let server = MockServer::start().await;
    let query = RawQuery::<Photos>::new("photos/list");
    Mock::of(&query).token("right").exactly("[]").mount(&server).await;
    for (token, status) in [("right", 200), ("wrong", 404)] {
        let request = attohttpc::get(format!("{}/api/v2?action=photos/list", server.uri()));
        assert_eq!(request.bearer_auth(token).send().unwrap().status(), status);
    }
}

#[tokio::test]
async fn a_form_has_the_operation_and_the_constants() {
    let server = MockServer::start().await;
    let query = RawQuery::<BoxOffice>::new("GetShows");
    Mock::of(&query).only().exactly("[]").mount(&server).await;
    let shows = |form: &str| post(&server, "/api", form);
    assert_eq!(shows("action=GetShows&format=json&key=right").text().unwrap(), "[]");
    for other in ["action=GetShows&format=xml", "action=OldShows&format=json"] {
        assert_eq!(shows(other).status(), 404, "{other}");
    }
}

#[test]
fn debug_has_no_value_and_no_token() {
    let query = RawQuery::<Archive>::new("photos.list").pair("owner", "jane");
    assert_eq!(
        format!("{:?}", Mock::of(&query).token("s3cret")),
        r#"Mock { query: Some(Query { method: "photos.list", names: ["owner"] }), .. }"#
    );
}
