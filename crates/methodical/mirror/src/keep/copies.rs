//! The copies of a mirror, as it remembers them.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};
use crate::store::Store;

/// Notes when the state of a copy was read.
#[cfg(feature = "postgres019")]
pub(crate) fn remember(
    store: &mut Store,
    target: &str,
    at: impl FnOnce(Option<i64>) -> i64,
) -> Result<(), Error> {
    let mut copies = all(store)?;
    let at = at(copies.get(target).copied());
    copies.insert(target.to_owned(), at);
    let text = serde_json::to_string(&copies)
        .map_err(|error| Error::new(ErrorKind::Store, "cannot write a note").because(error))?;
    store.set_note(NOTE, &text)
}

/// Returns the copies that may have a state of this time or of before.
pub(crate) fn until(store: &mut Store, time: i64) -> Result<Vec<String>, Error> {
    let copies = all(store)?.into_iter();
    Ok(copies.filter(|(_, at)| *at <= time).map(|(target, _)| target).collect())
}

fn all(store: &mut Store) -> Result<BTreeMap<String, i64>, Error> {
    let Some(note) = store.note(NOTE)? else { return Ok(BTreeMap::new()) };
    serde_json::from_str(&note).map_err(|error| {
        Error::new(ErrorKind::Store, "cannot read the mirror: a note is damaged").because(error)
    })
}

/// The note with the copies, and when the state of each was read.
const NOTE: &str = "copies";
