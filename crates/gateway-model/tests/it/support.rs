//! Reading one body in every way there is.

use gateway_model::{
    Error, GetCredits, ListCandidates, ListOperation, ListVacancies, Listing, Next, Operation,
    RawQuery,
};

/// Reads a list from pieces of `size` bytes, without a limit on records.
pub(crate) fn stream<O: ListOperation>(
    body: &[u8],
    size: usize,
) -> Result<Listing<O::Item>, Error> {
    let mut decoder = O::decoder().with_record_limit(usize::MAX);
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
            _ => panic!("an answer that this test does not know"),
        }
    }
}

/// Reads a list whole, and from pieces of many sizes: the result must be the same to the letter.
#[track_caller]
pub(crate) fn every_way<O: ListOperation>(body: &[u8]) -> Result<Listing<O::Item>, Error>
where
    O::Item: PartialEq + std::fmt::Debug,
{
    let whole = O::decode(body);
    for size in [1, 2, 3, 7, 64, 4096] {
        // A small piece at a time is slow in a debug build, and no different for a large body.
        if body.len() / size < 100_000 {
            assert!(stream::<O>(body, size) == whole, "pieces of {size} bytes give something else");
        }
    }
    whole
}

/// What came of a body in one letter: good, partly rejected, wholly rejected, or an error's kind.
pub(crate) fn verdicts(body: &[u8]) -> String {
    let columns = [
        list(every_way::<ListCandidates>(body)),
        list(every_way::<ListVacancies>(body)),
        one(GetCredits::decode(body)),
        one(RawQuery::decode(body)),
    ];
    columns.join(" ")
}

pub(crate) fn list<T>(result: Result<Listing<T>, Error>) -> String {
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

pub(crate) fn one<T>(result: Result<T, Error>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |_| "ok".to_owned())
}
