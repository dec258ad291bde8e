//! Typed and untyped queries of one service.

use methodical_model::codegen::{Items, QueryBuilder};
use methodical_model::{
    BodyFormat, DecodeErrorKind, Dispatch, ListStyle, Operation, Query, RawQuery, Service,
};

use crate::photos::{ListPhotos, NewestPhoto, Photo, PhotoId, Photos};

#[test]
fn the_selector_of_the_service_begins_every_query() {
    let text = |query: Result<Query, _>| query.unwrap().to_string();
    assert_eq!(text(NewestPhoto.query()), "action=photos/newest");
    assert_eq!(text(ListPhotos::new().album(7).query()), "action=photos/list&album=7");
    let error = ListPhotos::new().album("+7").query().unwrap_err();
    assert_eq!((error.kind(), error.path()), (DecodeErrorKind::Parameter, "album"));
}

#[test]
fn an_untyped_query_needs_nothing_of_its_service() {
    let query = RawQuery::<Photos>::new("a b/c").pair("a", "ä&").pair("a", "");
    assert_eq!(query.query().unwrap().as_str(), "action=a%20b/c&a=%C3%A4%26&a=");
    let shown = r#"RawQuery { method: "a b/c", names: ["a", "a"], post: None, .. }"#;
    assert_eq!(format!("{query:?}"), shown);
    let post = query.post(BodyFormat::Json).pair("\"", "\n").query().unwrap();
    assert_eq!(post.body(), r#"{"a":"ä&","a":"","\"":"\n"}"#);
    let shown = r#"Query { method: "a%20b/c", names: [], body: Json }"#;
    assert_eq!(format!("{post:?}"), shown);
    assert_eq!(post.as_str(), "action=a%20b/c");
    let empty = RawQuery::<Photos>::new("a").post(BodyFormat::Json).query().unwrap();
    assert_eq!(empty.body(), "{}");
    let answer = RawQuery::<Photos>::decode(b"{ }").unwrap();
    assert_eq!((answer.as_str(), &*answer.clone().into_string()), ("{ }", "{ }"));
    // The body may be personal.
    assert_eq!(format!("{answer:?}"), "RawJson(<3 bytes>)");
}

#[test]
fn an_object_is_decoded_whole() {
    let photo = NewestPhoto::decode(br#"{"place":"Home","id":"7"}"#).unwrap();
    assert_eq!((photo.id.to_u64().unwrap(), photo.place.as_deref()), (7, Some("Home")));
    assert_eq!(photo.id, PhotoId::from(7));
    assert_ne!(photo, Photo::new("7"));
    assert_eq!(ListPhotos::decode(br#"[{"id":"7"}]"#).unwrap().items, [Photo::new("7")]);
    assert_eq!(NewestPhoto::decode(b"[]").unwrap_err().expected(), "a photo object");
}

/// A service with two selectors in the query.
struct ByTwo;

impl Service for ByTwo {
    const PATH: &'static str = "/api";
    const SELECTOR: &'static str = "module";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch =
        Dispatch::query(&["module", "action"]).constants(&[("format", "json & more")]);
}

/// A service whose path selects an operation.
struct ByPath;

impl Service for ByPath {
    const PATH: &'static str = "/api";
    const SELECTOR: &'static str = "";
    const ACCEPT: &'static str = "application/json";
    const DISPATCH: Dispatch = Dispatch::path();
}

#[test]
fn two_selectors_share_a_method() {
    let text = |method: &str| RawQuery::<ByTwo>::new(method).query().unwrap();
    let query = text("albums/list/all");
    let expected = "module=albums&action=list/all&format=json%20%26%20more";
    assert_eq!((query.path(), query.as_str()), ("", expected));
    assert_eq!(text("albums").as_str(), "module=albums&action=&format=json%20%26%20more");
}

#[test]
fn the_path_selects_an_operation() {
    let query = RawQuery::<ByPath>::new("photos.list/a b");
    let plain = query.query().unwrap();
    assert_eq!((plain.path(), plain.as_str()), ("/photos.list/a%20b", ""));
    let query = query.pair("a", "1").pair("b", "2").query().unwrap();
    assert_eq!((query.path(), query.as_str()), ("/photos.list/a%20b", "a=1&b=2"));
    let shown = r#"Query { method: "photos.list/a%20b", names: ["a", "b"] }"#;
    assert_eq!(format!("{query:?}"), shown);
    assert_eq!(query.as_str(), "a=1&b=2");
}

#[test]
fn a_list_is_written_in_its_style() {
    let written = |style, items, values: &[&str]| {
        let mut query = QueryBuilder::select::<ByPath>("m");
        let values = values.iter().map(|value| (*value).to_owned());
        query.push_list("id", style, items, values).map(|()| query.finish().to_string())
    };
    for (style, expected) in [
        (ListStyle::Comma, "id=1%2Cb%7C"),
        (ListStyle::Repeat, "id=1&id=b%7C"),
        (ListStyle::Bracket, "id%5B%5D=1&id%5B%5D=b%7C"),
        (ListStyle::Index, "id%5B0%5D=1&id%5B1%5D=b%7C"),
    ] {
        assert_eq!(written(style, Items::Text, &["1", "b|"]).unwrap(), expected);
    }
    assert_eq!(written(ListStyle::Pipe, Items::Literal, &["1", "2"]).unwrap(), "id=1%7C2");
    for (style, items, values) in [
        (ListStyle::Pipe, Items::Text, &["a", "b|"][..]),
        (ListStyle::Repeat, Items::Text, &["a", ""]),
        (ListStyle::Repeat, Items::Digits, &["1", "+2"]),
        (ListStyle::Repeat, Items::Text, &[]),
    ] {
        let error = written(style, items, values).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::Parameter);
        assert_eq!(error.path(), "id");
    }
}

#[test]
fn a_list_in_json_is_an_array() {
    let mut query = QueryBuilder::post::<ByPath>("m", BodyFormat::Json, true);
    let texts = |values: &[&str]| values.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    query.push_list("a", ListStyle::Comma, Items::Text, texts(&["1,2", "\""])).unwrap();
    query.push_list("b", ListStyle::Repeat, Items::Literal, texts(&["1", "true"])).unwrap();
    query.push_list("c", ListStyle::Repeat, Items::Digits, texts(&["7"])).unwrap();
    query.push_list("d", ListStyle::Repeat, Items::Text, texts(&[])).unwrap();
    assert_eq!(query.finish().body(), r#"{"a":["1,2","\""],"b":[1,true],"c":[7],"d":[]}"#);
}
