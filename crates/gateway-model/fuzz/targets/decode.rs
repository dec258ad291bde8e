//! Any bytes as a body: whole, borrowed and in pieces they give the same value, the same rejections
//! and the same error; and serde alone, record by record, gives the same records.
//!
//! A record that a piece cuts is read by serde, so pieces of one byte hold the fast path against it.

#![no_main]

#[path = "../../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use std::fmt::Debug;

use gateway_model::{
    Candidate, Credits, Error, GetCredits, ListCandidates, ListOperation, ListVacancies, Listing,
    Next, Operation as _, RawQuery, Record, Rejected, Vacancy,
};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::support::{every_way, same};

fuzz_target!(|body: &[u8]| {
    // As it is, and as what stands inside of an answer.
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

fn list<O: ListOperation>(body: &[u8]) -> Result<Listing<O::Item>, Error>
where
    O::Item: PartialEq + Debug + Serialize + DeserializeOwned,
{
    let whole = every_way::<O>(body);
    assert!(uneven_pieces::<O>(body) == whole, "uneven pieces give something else");
    match (&whole, O::decode_borrowed(body)) {
        (Ok(whole), Ok(borrowed)) => {
            let owned: Vec<_> = borrowed.items.into_iter().map(O::Item::from_ref).collect();
            assert!(owned == whole.items && borrowed.rejected == whole.rejected);
        }
        (Err(one), Err(other)) => assert_eq!(*one, other),
        _ => panic!("borrowed gives something else"),
    }
    let rejected = whole.iter().flat_map(|listing| &listing.rejected);
    rejected.map(Rejected::error).chain(whole.as_ref().err()).for_each(holds_no_data);
    for item in whole.iter().flat_map(|listing| &listing.items) {
        let json = serde_json::to_string(item).unwrap();
        assert!(serde_json::from_str::<O::Item>(&json).unwrap() == *item, "{json}");
    }
    whole
}

/// All that an error takes from the body are numbers and the names that the service text lists.
fn holds_no_data(error: &Error) {
    let is_listed = |part: &str| {
        SPEC.contains(&format!("\n{part} = {{")) || SPEC.contains(&format!("= \"{part}\""))
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    // The star stands for every name that is not listed.
    let is_known = |part: &str| part == "*" || is_number(part) || is_listed(part);
    assert!(error.path().split(['.', '[', ']']).all(is_known), "{error}");
}

/// Pieces whose sizes follow from the body, so that every input is read in its own way.
fn uneven_pieces<O: ListOperation>(mut body: &[u8]) -> Result<Listing<O::Item>, Error> {
    let mut decoder = O::decoder().with_record_limit(usize::MAX);
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
            _ => panic!("an answer that this target does not know"),
        }
    }
}

fn mixed(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

fn credits(body: &[u8]) {
    let document = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    // serde may take text that is not UTF-8 in what it skips.
    let theirs = str::from_utf8(document).ok().and_then(|text| serde_json::from_str(text).ok());
    let ours = GetCredits::decode(body);
    ours.as_ref().err().into_iter().for_each(holds_no_data);
    assert_eq!(ours.ok(), theirs as Option<Credits>);
}

/// What serde reads into a value is taken as it is, and what is taken is JSON.
fn raw(body: &[u8]) {
    let document = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match RawQuery::decode(body) {
        Ok(json) => {
            assert!(serde_json::from_str::<IgnoredAny>(json.as_str()).is_ok());
            assert_eq!(json.as_str().as_bytes(), document.trim_ascii());
        }
        // Not the other way round: a value holds neither half a character nor a number without end.
        Err(_) => assert!(serde_json::from_slice::<Value>(document).is_err()),
    }
}

const SPEC: &str = include_str!("../../../../spec/gateway.toml");
