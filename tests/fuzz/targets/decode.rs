//! Any bytes as a body: decoded whole, borrowed and in pieces, they give the same values, rejections
//! and error, and serde alone, record by record, gives the same records.
//!
//! serde decodes a record that a piece boundary splits, so pieces of one byte compare the fast path with it.

#![no_main]

#[path = "../../../crates/gateway-model/tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use std::fmt::Debug;

use gateway_model::{
    Candidate, Credits, DecodeError, GetCredits, ListCandidates, ListOperation, ListVacancies,
    Listing, Next, Operation as _, RawQuery, Record, Rejected, Vacancy,
};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::support::{every_way, same};

fuzz_target!(|body: &[u8]| {
    // The bytes themselves, and the bytes within a response.
    drop(list::<ListCandidates>(body));
    let vacancies = list::<ListVacancies>(body);
    same::<Vacancy>(body, vacancies.ok());
    let wrapped = [br#"{"status":"success","result":"#, body, b"}"].concat();
    if serde_json::from_slice::<IgnoredAny>(body).is_ok() {
        same::<Candidate>(body, list::<ListCandidates>(&wrapped).ok());
    }
    credits(body);
    raw(body);
});

fn list<O: ListOperation<Metadata = ()> + Default>(
    body: &[u8],
) -> Result<Listing<O::Item>, DecodeError>
where
    O::Item: PartialEq + Debug + Serialize + DeserializeOwned,
{
    let whole = every_way::<O>(body);
    assert!(uneven_pieces::<O>(body) == whole, "uneven pieces decode to something else");
    match (&whole, O::default().decode_borrowed(body)) {
        (Ok(whole), Ok(borrowed)) => {
            let owned: Vec<_> = borrowed.items.into_iter().map(O::Item::from_ref).collect();
            assert!(owned == whole.items && borrowed.rejected == whole.rejected);
        }
        (Err(one), Err(other)) => assert_eq!(*one, other),
        _ => panic!("borrowed records decode to something else"),
    }
    let rejected = whole.iter().flat_map(|listing| &listing.rejected);
    rejected.map(Rejected::error).chain(whole.as_ref().err()).for_each(holds_no_data);
    for item in whole.iter().flat_map(|listing| &listing.items) {
        let json = serde_json::to_string(item).unwrap();
        assert!(serde_json::from_str::<O::Item>(&json).unwrap() == *item, "{json}");
    }
    whole
}

/// An error contains nothing from the body except numbers and names that the contract lists.
fn holds_no_data(error: &DecodeError) {
    let is_listed = |part: &str| {
        SPEC.contains(&format!("\n{part} = {{")) || SPEC.contains(&format!("= \"{part}\""))
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    // `*` replaces every name that is not listed.
    let is_known = |part: &str| part == "*" || is_number(part) || is_listed(part);
    assert!(error.path().split(['.', '[', ']']).all(is_known), "{error}");
}

/// Decodes pieces whose sizes depend on the body, so that the splits vary with the input.
fn uneven_pieces<O: ListOperation<Metadata = ()> + Default>(
    mut body: &[u8],
) -> Result<Listing<O::Item>, DecodeError> {
    let mut decoder = O::default().decoder().with_record_limit(usize::MAX);
    let mut listing = Listing::default();
    let mut state = body.iter().fold(17_u32, |state, byte| mixed(state, *byte));
    loop {
        match decoder.next_record()? {
            Next::Item(item) => listing.items.push(item),
            Next::Rejected(rejected) => listing.rejected.push(rejected),
            Next::NeedMore if body.is_empty() => decoder.finish(),
            Next::NeedMore => {
                state = mixed(state, 1);
                let size = (state >> 24) as usize % 23;
                let (piece, rest) = body.split_at(size.min(body.len()));
                decoder.push(piece);
                body = rest;
            }
            Next::End => return Ok(listing),
            _ => panic!("a variant that this target does not handle"),
        }
    }
}

fn mixed(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

fn credits(body: &[u8]) {
    let document = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    // serde may accept invalid UTF-8 in values that it skips.
    let theirs = str::from_utf8(document).ok().and_then(|text| serde_json::from_str(text).ok());
    let ours = GetCredits::decode(body);
    ours.as_ref().err().into_iter().for_each(holds_no_data);
    assert_eq!(ours.ok(), theirs as Option<Credits>);
}

/// A document that serde parses is accepted unchanged, and an accepted document is valid JSON.
fn raw(body: &[u8]) {
    let document = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match RawQuery::decode(body) {
        Ok(json) => {
            assert!(serde_json::from_str::<IgnoredAny>(json.as_str()).is_ok());
            assert_eq!(json.as_str().as_bytes(), document.trim_ascii());
        }
        // The reverse does not hold: a `Value` cannot hold a lone surrogate or a number of any size.
        Err(_) => assert!(serde_json::from_slice::<Value>(document).is_err()),
    }
}

const SPEC: &str = include_str!("../../../spec/gateway.toml");
