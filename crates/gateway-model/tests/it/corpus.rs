//! Our own corpus: bodies that any clone can run, with the verdict on each.

use std::fmt::Write as _;

use gateway_model::{DecodeErrorKind, ListCandidates};

use crate::bodies::bodies;
use crate::support::{every_way, verdicts};

#[test]
#[cfg_attr(miri, ignore = "takes more than ten minutes")]
fn every_body_has_its_verdict() {
    let bodies = bodies();
    assert!(bodies.len() >= 120, "{} bodies", bodies.len());
    let mut table = String::from("body: as candidates, vacancies, credits, raw\n");
    for body in &bodies {
        writeln!(table, "{}: {}", body.escape_ascii(), verdicts(body)).unwrap();
    }
    insta::assert_snapshot!(table);
}

/// A document truncated anywhere is an error with the number of records before it.
#[test]
fn a_document_truncated_at_any_byte_is_an_error() {
    let body =
        r#"{"status":"success","result":[{"id":"1","name":"Ż\"ó"},{"id":"2","x":[1e5,{}]}]}"#;
    assert_eq!(<ListCandidates>::decode(body.as_bytes()).unwrap().items.len(), 2);
    let (first, second) = (body.find("},").unwrap() + 1, body.len() - "]}".len());
    for end in 0..body.len() {
        let error = every_way::<ListCandidates>(&body.as_bytes()[..end]).unwrap_err();
        let in_a_character = !body.is_char_boundary(end);
        let kind =
            if in_a_character { DecodeErrorKind::Encoding } else { DecodeErrorKind::Incomplete };
        assert_eq!(error.kind(), kind, "cut at {end}");
        let records = u64::from(end >= first) + u64::from(end >= second);
        assert_eq!(error.delivered(), records, "cut at {end}");
    }
}
