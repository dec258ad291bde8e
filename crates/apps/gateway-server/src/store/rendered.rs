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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::record::PortalRow;

    #[test]
    fn only_the_text_that_an_import_writes_is_whole() {
        let row = CandidateRow {
            name: "O\"Neill \\ \u{1}\u{1F600}",
            phone_mobile: "+1",
            date: "2026-01-02 03:04:05",
            portal: PortalRow { name: "Indeed", ..PortalRow::new("") },
            kind: "person",
            ..CandidateRow::new("12")
        };
        let mut buffer = b"from before".to_vec();
        let record = render(&row, &mut buffer).unwrap().to_owned();
        assert_eq!(CANDIDATES.compare(12, record.as_bytes()), Stored::Whole);
        assert_eq!(CANDIDATES.compare(13, record.as_bytes()), Stored::Damaged, "another candidate");
        for (from, to) in [
            ("\"email\":\"\"", "\"email\": \"\""),
            ("person", "p\\u0065rson"),
            ("\"type\"", "\"kind\""),
            ("}", ""),
            ("{", "[{"),
        ] {
            let other = record.replace(from, to);
            assert_ne!(other, record, "{from}");
            assert_eq!(CANDIDATES.compare(12, other.as_bytes()), Stored::Damaged, "{other}");
        }
    }

    #[test]
    fn a_text_without_a_field_is_outdated() {
        let row = CandidateRow {
            email: "a@example.org",
            portal: PortalRow { name: "Indeed", ..PortalRow::new("3") },
            ..CandidateRow::new("12")
        };
        let mut buffer = Vec::new();
        let record = render(&row, &mut buffer).unwrap().to_owned();
        for (from, to, stored) in [
            ("\"phone\":\"\",", "", Stored::Outdated),
            ("\"id\":\"3\",", "", Stored::Outdated),
            ("\"id\":\"12\",", "", Stored::Damaged),
            ("\"phone\":\"\"", "\"fax\":\"\"", Stored::Damaged),
        ] {
            let other = record.replace(from, to);
            assert_ne!(other, record, "{from}");
            assert_eq!(CANDIDATES.compare(12, other.as_bytes()), stored, "{other}");
        }
        let balance = render(&CreditsRow::new("7", "EUR"), &mut buffer).unwrap().to_owned();
        assert_eq!(CREDITS.compare(1, balance.as_bytes()), Stored::Whole);
        let without = balance.replace(",\"currency\":\"EUR\"", "");
        assert_eq!(CREDITS.compare(1, without.as_bytes()), Stored::Outdated, "{without}");
    }
}
