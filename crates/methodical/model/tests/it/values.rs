//! Values show, compare and convert themselves; records and bodies, which may be personal, do not show themselves.

use std::collections::HashSet;

use methodical_model::tables::{Column, ColumnKind, FieldType};
use methodical_model::{DecodeErrorKind, Operation as _, RawQuery};

use crate::photos::{ListPhotos, Photo, Photos};

#[test]
fn a_document_shows_itself_only_on_request() {
    let text = r#"{"name": "Anna"}"#;
    let json = RawQuery::<Photos>::decode(text.as_bytes()).unwrap();
    assert_eq!((json.as_str(), json.as_ref(), json.to_string().as_str()), (text, text, text));
    let shown = format!("{json:?}");
    assert!(shown.starts_with("RawJson") && !shown.contains("Anna"), "{shown}");
    assert_eq!(json.into_string(), text);
}

#[test]
fn untyped_queries_differ_in_each_part() {
    use methodical_model::BodyFormat::Json;

    let new = || RawQuery::<Photos>::new("a").post(Json);
    let different = [
        new(),
        new().idempotent(),
        new().pair("a", "1"),
        new().pair("a", "2"),
        RawQuery::new("a"),
        RawQuery::new("b"),
    ];
    assert_eq!(different.iter().collect::<HashSet<_>>().len(), different.len());
    assert_eq!(HashSet::from([new(), new()]).len(), 1);
    assert!(new().idempotent().query().unwrap().is_idempotent());
    assert!(!new().query().unwrap().is_idempotent());
}

#[test]
fn equal_unlisted_fields_have_equal_hashes() {
    let photo = |json: &str| ListPhotos::decode(json.as_bytes()).unwrap().items.remove(0);
    let photos = [
        photo(r#"[{"id":"1","a":1,"b":2}]"#),
        photo(r#"[{"a":1, "id":"2", "\u0062":2}]"#),
        photo(r#"[{"id":"1","a":1,"b":3}]"#),
        photo(r#"[{"id":"1","a":1}]"#),
    ];
    assert_eq!(photos[0].extra(), photos[1].extra());
    let different: HashSet<_> = photos.iter().map(Photo::extra).collect();
    assert_eq!(different.len(), 3);
}

#[test]
fn a_column_has_the_type_of_its_kind_unless_another_is_set() {
    for (column, kind, field_type) in [
        (Column::text(&["a"]), ColumnKind::Text, FieldType::Text),
        (Column::integer(&["a"]), ColumnKind::Integer, FieldType::Integer),
        (Column::boolean(&["a"]), ColumnKind::Boolean, FieldType::Boolean),
        (Column::json(&["a"]), ColumnKind::Json, FieldType::Json),
        (Column::text(&["a"]).typed(FieldType::DateTime), ColumnKind::Text, FieldType::DateTime),
    ] {
        assert_eq!((column.kind(), column.field_type()), (kind, field_type));
    }
}

#[test]
fn each_kind_of_error_has_a_name() {
    for (kind, name) in [
        (DecodeErrorKind::Syntax, "syntax"),
        (DecodeErrorKind::Encoding, "encoding"),
        (DecodeErrorKind::Incomplete, "incomplete"),
        (DecodeErrorKind::WrongType, "wrong_type"),
        (DecodeErrorKind::Missing, "missing"),
        (DecodeErrorKind::Duplicate, "duplicate"),
        (DecodeErrorKind::TooDeep, "too_deep"),
        (DecodeErrorKind::TooLarge, "too_large"),
        (DecodeErrorKind::NotSuccess, "not_success"),
        (DecodeErrorKind::Parameter, "parameter"),
        (DecodeErrorKind::Conversion, "conversion"),
    ] {
        assert_eq!(kind.as_str(), name);
    }
}
