//! Any bytes on a connection of the real server: one valid response for each request, in order, then a close.
//!
//! A request with a known end and a known id follows the bytes. If the server misjudged the end of an earlier request,
//! the id is in the wrong response, or in none.

#![no_main]

#[path = "../support/exchange.rs"]
mod exchange;
#[path = "../support/response.rs"]
mod response;

use libfuzzer_sys::fuzz_target;

use crate::exchange::{TOKEN, exchange};
use crate::response::{Response, responses};

fuzz_target!(|input: &[u8]| {
    let (cuts, input) = input.split_at(input.len().min(2));
    // HTTP/2 has no such framing.
    if input.starts_with(b"PRI") {
        return;
    }
    // `T` in the seeds is the token.
    let input = replaced(input);
    let mut bytes = input.clone();
    if !heads(&input).1.is_empty() {
        bytes.extend_from_slice(b"\r\n\r\n");
    }
    bytes.extend_from_slice(LAST.as_bytes());
    let heads = heads(&bytes).0;

    let whole = exchange(&[&bytes]);
    let found = check(&whole, &heads);
    let cut = |cut: Option<&u8>| usize::from(*cut.unwrap_or(&0)).min(bytes.len());
    let (first, second) = (cut(cuts.first()), cut(cuts.get(1)));
    let (start, rest) = bytes.split_at(first.min(second));
    let (middle, end) = rest.split_at(first.abs_diff(second));
    let pieces = exchange(&[start, middle, end]);
    let again = check(&pieces, &heads);
    assert_eq!(found, again, "pieces lead to other responses");
});

/// Checks the responses to these heads, and returns the invariant part of them.
fn check(bytes: &[u8], heads: &[&[u8]]) -> Vec<(u16, Vec<u8>)> {
    let is_head = |index: usize| heads.get(index).is_some_and(|head| head.starts_with(b"HEAD "));
    let responses = responses(bytes, is_head);
    assert!(!responses.is_empty(), "no response");
    assert!(responses.len() <= heads.len(), "more responses than requests");
    for (index, (response, head)) in responses.iter().zip(heads).enumerate() {
        assert!(response.status < 500 || response.status == 505, "{response:?}");
        let is_last = index + 1 == responses.len();
        assert_eq!(response.closes(), is_last, "a response after the last, or none: {response:?}");
        if response.status == 200 {
            has_token(head);
        }
        // The id of a refused head is not read.
        let (id, expected) = (response.field("x-request-id"), request_id(head));
        if response.status == 200 && expected.is_some() {
            assert_eq!(id, expected, "a response to another request");
        }
        let is_of_another = |other: &&[u8]| request_id(other).is_some_and(|one| Some(one) == id);
        assert!(id == expected || !heads.iter().any(is_of_another), "the id of another request");
    }
    if responses.len() == heads.len() && heads.last() == Some(&LAST.as_bytes()) {
        let last = responses.last().unwrap();
        assert_eq!((last.status, last.field("x-request-id")), (200, Some("the-last-one")));
    }
    responses.into_iter().map(Response::into_parts).collect()
}

/// Splits requests without bodies where their heads end. Also returns what follows the last complete one. Like the
/// server, ignores empty lines before a request (RFC 9112, section 2.2), and accepts a bare LF as the end of a line.
fn heads(mut bytes: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut heads = Vec::new();
    loop {
        while let Some(rest) = bytes.strip_prefix(b"\r\n").or(bytes.strip_prefix(b"\n")) {
            bytes = rest;
        }
        let is_empty = |line: &&[u8]| matches!(*line, b"\n" | b"\r\n");
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let Some(last) = lines.iter().position(is_empty) else {
            return (heads, bytes);
        };
        let (head, rest) = bytes.split_at(lines.iter().take(last + 1).map(|line| line.len()).sum());
        heads.push(head);
        bytes = rest;
    }
}

/// Returns the header fields of a head, read by another parser.
fn fields(head: &[u8], mut each: impl FnMut(&str, &[u8])) -> bool {
    let mut space = [httparse::EMPTY_HEADER; 128];
    let mut request = httparse::Request::new(&mut space);
    if !matches!(request.parse(head), Ok(httparse::Status::Complete(_))) {
        return false;
    }
    request.headers.iter().for_each(|field| each(field.name, field.value));
    true
}

/// A request that gets data is valid, and has the token in exactly one field.
fn has_token(head: &[u8]) {
    let mut tokens = Vec::new();
    let is_valid = fields(head, |name, value| {
        if name.eq_ignore_ascii_case("authorization") {
            tokens.push(value.to_vec());
        }
    });
    assert!(is_valid, "an invalid request gets data");
    assert_eq!(tokens.len(), 1);
    assert!(tokens[0].trim_ascii().ends_with(TOKEN.as_bytes()), "data without the token");
}

/// The id that a valid head gives once.
fn request_id(head: &[u8]) -> Option<&str> {
    let mut values = Vec::new();
    let is_valid = fields(head, |name, value| {
        if name.eq_ignore_ascii_case("x-request-id") {
            values.push(value.trim_ascii().to_vec());
        }
    });
    let is_harmless =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let [value] = values.as_slice() else { return None };
    let is_id = is_valid && (1..=64).contains(&value.len()) && value.iter().all(is_harmless);
    // The server reads the fields of a valid head only.
    // Other fields need not be UTF-8.
    let at = head.windows(value.len().max(1)).position(|one| is_id && one == value)?;
    str::from_utf8(head.get(at..at + value.len())?).ok()
}

fn replaced(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(8).position(|eight| eight == b"Bearer T") {
        out.extend_from_slice(&rest[..at + 7]);
        out.extend_from_slice(TOKEN.as_bytes());
        rest = &rest[at + 8..];
    }
    out.extend_from_slice(rest);
    out
}

const LAST: &str = "GET /c/oauth/v1?method=credits/get HTTP/1.1\r\nHost: a\r\n\
    Authorization: Bearer gwt_fuzz\r\nX-Request-Id: the-last-one\r\nConnection: close\r\n\r\n";
