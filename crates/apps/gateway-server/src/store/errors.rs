//! The errors that every store words alike.

use crate::error::{Error, ErrorKind};
use crate::place::Place;

pub(super) fn account_exists(name: &str) -> Error {
    Error::new(ErrorKind::Exists, format!("account \"{name}\" already exists"))
}

pub(super) fn no_account(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("account \"{name}\" does not exist"))
}

/// The account was deleted after its name was looked up.
pub(super) fn account_gone() -> Error {
    Error::new(ErrorKind::NotFound, "the account does not exist any more")
}

/// The rows of the revision were removed while it was being read.
pub(super) fn snapshot_gone() -> Error {
    Error::new(ErrorKind::SnapshotGone, "the rows of this revision have been removed")
}

/// Something that was read is not as an import writes it.
pub(super) fn damaged(what: &str) -> Error {
    let text = format!(
        "the database is damaged: {what} is not as it was written; run `gateway-server check`"
    );
    Error::new(ErrorKind::StorageCorrupt, text)
}

/// `what` is in the import a second time, with other data.
pub(super) fn contradiction(place: Place, what: &str, first: Place) -> Error {
    let line = first.line;
    let of_file = if first.file == place.file { "" } else { " of another file" };
    let text =
        format!("{what} is already different on line {line}{of_file}; remove one of the two");
    Error::at(place, text)
}

/// A status refers to a vacancy or a candidate that is neither in the account nor in the import.
pub(super) fn dangling(place: Place, kind: &str, id: i64) -> Error {
    let text = format!("{kind} {id} does not exist; import it first or in the same run");
    Error::at(place, text)
}
