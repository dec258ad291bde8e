//! A hundred thousand brackets are a typed error, without a stack overflow.

use gateway_model::{
    DecodeErrorKind, GetCredits, ListCandidates, ListVacancies, Operation as _, RawQuery,
};

use crate::support::every_way;

/// Only the deep record is rejected.
#[test]
fn in_an_unlisted_field() {
    for (member, kind) in [
        ("x", DecodeErrorKind::TooDeep),
        ("name", DecodeErrorKind::WrongType),
        ("portal", DecodeErrorKind::WrongType),
    ] {
        let record = format!(r#"{{"id":"2","{member}":{}}}"#, deep());
        let body =
            format!(r#"{{"status":"success","result":[{{"id":"1"}},{record},{{"id":"3"}}]}}"#);
        let listing = every_way::<ListCandidates>(body.as_bytes()).unwrap();
        assert_eq!(listing.items.len(), 2);
        assert_eq!(listing.rejected[0].error().kind(), kind);
    }
}

#[test]
fn around_and_beside_the_list() {
    let deep = deep();
    for open in ["[", "{\"a\":"] {
        let body = open.repeat(DEPTH);
        assert!(RawQuery::decode(body.as_bytes()).is_err());
        assert!(ListVacancies::decode(body.as_bytes()).is_err());
    }
    let list = format!(r#"{{"x":{deep},"status":"success","result":[]}}"#);
    let credits = format!(r#"{{"credits_number":"1","currency":"EUR","x":{deep}}}"#);
    let errors = [
        ListCandidates::decode(list.as_bytes()).unwrap_err(),
        GetCredits::decode(credits.as_bytes()).unwrap_err(),
        RawQuery::decode(deep.as_bytes()).unwrap_err(),
    ];
    assert_eq!(errors.map(|error| error.kind()), [DecodeErrorKind::TooDeep; 3]);
}

/// Smaller under Miri, which needs minutes for a hundred thousand.
const DEPTH: usize = if cfg!(miri) { 1_000 } else { 100_000 };

fn deep() -> String {
    "[".repeat(DEPTH) + &"]".repeat(DEPTH)
}
