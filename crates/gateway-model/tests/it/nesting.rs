//! A hundred thousand brackets are a typed error, without a stack overflow.

use gateway_model::{DecodeErrorKind, GetCredits, ListCandidates, ListVacancies, RawQuery};

use crate::support::every_way;

#[test]
fn in_an_unlisted_field() {
    check("x", DecodeErrorKind::TooDeep);
}

#[test]
fn in_a_listed_field() {
    check("name", DecodeErrorKind::WrongType);
    check("portal", DecodeErrorKind::WrongType);
}

#[test]
fn around_and_beside_the_list() {
    let deep = deep();
    for open in ["[", "{\"a\":"] {
        let body = open.repeat(DEPTH);
        assert!(RawQuery::decode(body.as_bytes()).is_err());
        assert!(ListVacancies::decode(body.as_bytes()).is_err());
    }
    let body = format!(r#"{{"x":{deep},"status":"success","result":[]}}"#);
    assert_eq!(
        ListCandidates::decode(body.as_bytes()).unwrap_err().kind(),
        DecodeErrorKind::TooDeep
    );
    let body = format!(r#"{{"credits_number":"1","currency":"EUR","x":{deep}}}"#);
    assert_eq!(GetCredits::decode(body.as_bytes()).unwrap_err().kind(), DecodeErrorKind::TooDeep);
    assert_eq!(RawQuery::decode(deep.as_bytes()).unwrap_err().kind(), DecodeErrorKind::TooDeep);
}

/// Only the deep record is rejected.
#[track_caller]
fn check(member: &str, kind: DecodeErrorKind) {
    let body = format!(
        r#"{{"status":"success","result":[{{"id":"1"}},{{"id":"2","{member}":{}}},{{"id":"3"}}]}}"#,
        deep()
    );
    let listing = every_way::<ListCandidates>(body.as_bytes()).unwrap();
    assert_eq!(listing.items.len(), 2);
    assert_eq!(listing.rejected[0].error().kind(), kind);
}

/// Miri needs minutes for a hundred thousand.
const DEPTH: usize = if cfg!(miri) { 1_000 } else { 100_000 };

fn deep() -> String {
    "[".repeat(DEPTH) + &"]".repeat(DEPTH)
}
