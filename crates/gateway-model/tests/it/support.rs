//! Decodes a body in every possible way, and decodes queries.
//!
//! The fuzz targets also use this file.

use std::fmt::Debug;

use gateway_model::{
    DecodeError, GetCredits, ListCandidates, ListOperation, ListVacancies, Listing, Next,
    Operation as _, RawQuery, Record as _, Rejected,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Decodes a list from pieces of `size` bytes, without a record limit.
pub(crate) fn stream<O: ListOperation<Metadata = ()> + Default>(
    body: &[u8],
    size: usize,
) -> Result<Listing<O::Item>, DecodeError> {
    let mut decoder = O::default().decoder().with_record_limit(usize::MAX);
    let mut pieces = body.chunks(size);
    let mut listing = Listing::default();
    loop {
        match decoder.next_record()? {
            Next::Item(item) => listing.items.push(item),
            Next::Rejected(rejected) => listing.rejected.push(rejected),
            Next::NeedMore => match pieces.next() {
                Some(piece) => decoder.push(piece),
                None => decoder.finish(),
            },
            Next::End => return Ok(listing),
            _ => panic!("a variant that this test does not handle"),
        }
    }
}

/// Decodes a list as a whole, borrowed, and from pieces of many sizes. The results must be identical.
#[track_caller]
pub(crate) fn every_way<O: ListOperation<Metadata = ()> + Default>(
    body: &[u8],
) -> Result<Listing<O::Item>, DecodeError>
where
    O::Item: PartialEq + Debug,
{
    let query = O::default();
    let whole = O::decode(body);
    let owned = query.decode_borrowed(body).map(|borrowed| {
        let mut owned = Listing::default();
        owned.items = borrowed.items.into_iter().map(O::Item::from_ref).collect();
        owned.rejected = borrowed.rejected;
        owned
    });
    assert!(owned == whole, "the borrowed records differ");
    let sizes: &[usize] = if cfg!(miri) { &[3] } else { &[1, 2, 3, 7, 64, 4096] };
    for &size in sizes {
        // Small pieces are slow in a debug build, and a large body adds no cases.
        if body.len() / size < 100_000 {
            assert!(
                stream::<O>(body, size) == whole,
                "pieces of {size} bytes decode to something else"
            );
        }
    }
    whole
}

/// Decodes the list with serde alone, record by record, and compares.
#[track_caller]
pub(crate) fn same<T: DeserializeOwned + PartialEq + Debug>(list: &[u8], ours: Option<Listing<T>>) {
    let raw = std::str::from_utf8(list).ok().and_then(|list| {
        serde_json::from_str::<Vec<Box<RawValue>>>(list.trim_start_matches('\u{feff}')).ok()
    });
    let Some(raw) = raw else {
        return assert!(ours.is_none(), "serde rejects what we accept");
    };
    let ours = ours.expect("serde accepts what we reject");
    let (mut items, mut rejected) = (Vec::new(), Vec::new());
    for json in raw.iter().map(|raw| raw.get()) {
        match serde_json::from_str::<T>(json) {
            Ok(item) => items.push(item),
            Err(_) => rejected.push(json),
        }
    }
    assert_eq!(ours.items, items);
    assert_eq!(ours.rejected.iter().map(Rejected::raw).collect::<Vec<_>>(), rejected);
}

/// The verdict on a body: accepted, partly rejected, wholly rejected, or the kind of the error.
pub(crate) fn verdicts(body: &[u8]) -> String {
    let columns = [
        list(every_way::<ListCandidates>(body)),
        list(every_way::<ListVacancies>(body)),
        one(GetCredits::decode(body)),
        one(RawQuery::decode(body)),
    ];
    columns.join(" ")
}

pub(crate) fn list<T>(result: Result<Listing<T>, DecodeError>) -> String {
    match result {
        Ok(listing) if listing.rejected.is_empty() => format!("ok:{}", listing.items.len()),
        Ok(listing) => {
            let rejected = listing.rejected.iter().map(|one| format!("{:?}", one.error().kind()));
            let rejected: Vec<String> = rejected.collect();
            format!("ok:{}-{}", listing.items.len(), rejected.join("+"))
        }
        Err(error) => format!("{:?}", error.kind()),
    }
}

pub(crate) fn one<T>(result: Result<T, DecodeError>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |_| "ok".to_owned())
}

/// Whether a byte may occur in a query: unreserved, part of an escape, or a separator.
pub(crate) fn travels(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%&=/".contains(&byte)
}

/// Decodes a part of a query according to RFC 3986, without `+` for a space.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).expect("two digits after every %");
        assert!(digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F')), "{digits}");
        out.push(u8::from_str_radix(digits, 16).expect("two digits"));
        out.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(out).expect("text was encoded")
}
