//! Our own corpus: bodies that any clone can run, with the verdict on each.
//!
//! The snapshot has the bodies with their verdicts. To add a body, add a line `BODY: ` there. Most have one mistake.

use std::fmt::Write as _;

use gateway_model::{DecodeErrorKind, ListCandidates, Operation as _};

use crate::support::{every_way, verdicts};

#[test]
#[cfg_attr(miri, ignore = "takes more than ten minutes")]
fn every_body_has_its_verdict() {
    let (_, lines) = CORPUS.split_once(HEAD).unwrap();
    let bodies: Vec<&str> =
        lines.lines().filter_map(|line| line.rsplit_once(": ")).map(|(body, _)| body).collect();
    assert!(bodies.len() >= 230, "{} bodies", bodies.len());
    let mut table = HEAD.to_owned();
    for body in bodies {
        writeln!(table, "{body}: {}", verdicts(&unescaped(body))).unwrap();
    }
    insta::assert_snapshot!(table);
}

/// Reverses `escape_ascii`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut unescaped = Vec::new();
    while let Some(byte) = bytes.next() {
        unescaped.push(match (byte, if byte == b'\\' { bytes.next() } else { None }) {
            (_, Some(b'n')) => b'\n',
            (_, Some(b'r')) => b'\r',
            (_, Some(b't')) => b'\t',
            (_, Some(b'x')) => {
                let digits: Vec<u8> = bytes.by_ref().take(2).collect();
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            (_, Some(other)) => other,
            (byte, None) => byte,
        });
    }
    assert_eq!(unescaped.escape_ascii().to_string(), text);
    unescaped
}

const HEAD: &str = "body: as candidates, vacancies, credits, raw\n";
const CORPUS: &str = include_str!("snapshots/it__corpus__every_body_has_its_verdict.snap");

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
