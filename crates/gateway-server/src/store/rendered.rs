//! The JSON text of a record, which an import writes into the database and responses send unchanged.

use crate::error::{Error, ErrorKind};
use crate::fields::{Fields, Record as _};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};

/// Overwrites `buffer` with the JSON text of a candidate. The id in the text is `id`, the one in the key.
pub(super) fn candidate<'b>(
    id: i64,
    row: &CandidateRow<'_>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b str, Error> {
    buffer.clear();
    let mut digits = itoa::Buffer::new();
    CandidateRow { id: digits.format(id), ..*row }.write(buffer);
    text(buffer)
}

/// Overwrites `buffer` with the JSON text of a vacancy. The id in the text is `id`, the one in the key.
pub(super) fn vacancy<'b>(
    id: i64,
    row: &VacancyRow<'_>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b str, Error> {
    buffer.clear();
    let mut digits = itoa::Buffer::new();
    VacancyRow { id: digits.format(id), ..*row }.write(buffer);
    text(buffer)
}

/// Returns the JSON text of a credit balance.
pub(super) fn credits(row: &CreditsRow<'_>) -> Result<String, Error> {
    let mut buffer = Vec::new();
    row.write(&mut buffer);
    text(&buffer).map(str::to_owned)
}

/// Returns the JSON text of the credit balance of a new account.
pub(super) fn no_credits() -> Result<String, Error> {
    credits(&CreditsRow::new("0", "EUR"))
}

fn text(buffer: &[u8]) -> Result<&str, Error> {
    let odd = |error| {
        Error::caused(ErrorKind::Storage, "cannot store a record: its text is not UTF-8", error)
    };
    std::str::from_utf8(buffer).map_err(odd)
}

/// Returns a stored text if it may be sent. Only its ends are checked, so that a response does not contain a torn row.
pub(super) fn sendable(record: &[u8]) -> Option<&[u8]> {
    matches!(record, [b'{', .., b'}']).then_some(record)
}

/// Returns whether a stored text belongs to the candidate `id` and is byte for byte what rendering its fields gives.
fn is_whole_candidate(id: i64, record: &[u8]) -> bool {
    let fields = Fields::from_json(CandidateRow::FIELDS, record);
    fields.is_some_and(|fields| {
        let rendered = candidate(id, &CandidateRow::from_fields(&fields), &mut Vec::new())
            .is_ok_and(|again| again.as_bytes() == record);
        rendered && fields.text("id") == itoa::Buffer::new().format(id)
    })
}

/// Returns whether a stored text belongs to the vacancy `id` and is byte for byte what rendering its fields gives.
fn is_whole_vacancy(id: i64, record: &[u8]) -> bool {
    let fields = Fields::from_json(VacancyRow::FIELDS, record);
    fields.is_some_and(|fields| {
        let rendered = vacancy(id, &VacancyRow::from_fields(&fields), &mut Vec::new())
            .is_ok_and(|again| again.as_bytes() == record);
        rendered && fields.text("id") == itoa::Buffer::new().format(id)
    })
}

/// A table of records, for `check`.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) is_whole: fn(id: i64, record: &[u8]) -> bool,
    /// The line in the report of `check` for records that are not whole.
    pub(super) not_whole: &'static str,
}

/// The tables of records.
pub(super) const TABLES: [Table; 2] = [
    Table {
        name: "candidate",
        is_whole: is_whole_candidate,
        not_whole: "candidates that are not stored as lists send them",
    },
    Table {
        name: "vacancy",
        is_whole: is_whole_vacancy,
        not_whole: "vacancies that are not stored as lists send them",
    },
];

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
            ..CandidateRow::new("")
        };
        let mut buffer = b"from before".to_vec();
        let record = candidate(12, &row, &mut buffer).unwrap().to_owned();
        assert!(is_whole_candidate(12, record.as_bytes()));
        assert!(!is_whole_candidate(13, record.as_bytes()), "another candidate");
        for (from, to) in [
            ("\"email\":\"\",", ""),
            ("\"email\":\"\"", "\"email\": \"\""),
            ("person", "p\\u0065rson"),
            ("\"type\"", "\"kind\""),
            ("}", ""),
            ("{", "[{"),
        ] {
            let other = record.replace(from, to);
            assert_ne!(other, record, "{from}");
            assert!(!is_whole_candidate(12, other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_vacancy_is_whole_under_its_own_id_only() {
        let mut buffer = Vec::new();
        let record = vacancy(7, &VacancyRow { project: "P", ..VacancyRow::new("") }, &mut buffer);
        let record = record.unwrap().as_bytes();
        assert!(is_whole_vacancy(7, record) && !is_whole_vacancy(8, record));
        assert!(!is_whole_vacancy(7, b"{}"));
    }
}
