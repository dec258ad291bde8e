//! The JSON text of a record, which an import writes into the database and responses send unchanged.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::fields::{Record, stored};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};

/// Overwrites `buffer` with the JSON text of a record.
pub(super) fn render<'b>(row: &impl Serialize, buffer: &'b mut Vec<u8>) -> Result<&'b str, Error> {
    buffer.clear();
    let odd = "cannot store a record: its text is not UTF-8";
    serde_json::to_writer(&mut *buffer, row)
        .map_err(|error| Error::caused(ErrorKind::Storage, odd, error))?;
    std::str::from_utf8(buffer).map_err(|error| Error::caused(ErrorKind::Storage, odd, error))
}

/// A stored text, compared with what rendering its fields gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The same, byte for byte.
    Whole,
    /// The same, but without fields that the spec has. An import before they were added wrote it.
    Outdated,
    /// Something else.
    Damaged,
}

impl Kind {
    /// Compares the stored text of the record `id`.
    pub(super) fn compare(&self, id: i64, record: &[u8]) -> Stored {
        let Ok(before) = serde_json::from_slice::<Value>(record) else { return Stored::Damaged };
        let fields = stored(before.clone());
        if self.has_id && fields.get("id").is_none_or(|own| own != itoa::Buffer::new().format(id)) {
            return Stored::Damaged;
        }
        let Some(again) = (self.rewrite)(&fields) else { return Stored::Damaged };
        if again == record {
            return Stored::Whole;
        }
        match serde_json::from_slice(&again) {
            Ok(after) if before != after && is_part(&before, &after) => Stored::Outdated,
            _ => Stored::Damaged,
        }
    }
}

/// Returns the JSON text that an import writes for a stored record.
fn rewrite<'f, R: Record<'f>>(fields: &'f Value) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    R::deserialize(fields).ok()?.write(&mut text);
    Some(text)
}

/// Returns whether a value is the other one, possibly without some of its fields.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|other| is_part(value, other))),
        _ => part == whole,
    }
}

/// A kind of stored records, for `check`.
pub(super) struct Kind {
    /// The name of the records, in reports.
    pub(super) name: &'static str,
    rewrite: fn(&Value) -> Option<Vec<u8>>,
    /// Whether the key of the record is in its text.
    has_id: bool,
}

pub(super) const CANDIDATES: Kind = Kind {
    name: "candidates",
    rewrite: |fields| rewrite::<CandidateRow<'_>>(fields),
    has_id: true,
};

pub(super) const VACANCIES: Kind =
    Kind { name: "vacancies", rewrite: |fields| rewrite::<VacancyRow<'_>>(fields), has_id: true };

pub(super) const CREDITS: Kind = Kind {
    name: "credit balances",
    rewrite: |fields| rewrite::<CreditsRow<'_>>(fields),
    has_id: false,
};
