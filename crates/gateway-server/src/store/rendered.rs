//! The JSON text of a candidate, which an import writes into the database and lists send unchanged.

use crate::error::{Error, ErrorKind};
use crate::fields::Fields;
use crate::generated::record::CandidateRow;

/// Overwrites `buffer` with the JSON text of a candidate. The id in the text is `id`, the one in the key.
pub(super) fn text<'b>(
    id: i64,
    row: &CandidateRow<'_>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b str, Error> {
    buffer.clear();
    let mut digits = itoa::Buffer::new();
    CandidateRow { id: digits.format(id), ..*row }.write(buffer);
    let odd =
        |error| Error::caused(ErrorKind::Storage, "cannot render a record: it is not UTF-8", error);
    std::str::from_utf8(buffer).map_err(odd)
}

/// Returns a stored text if it may be sent. Only its ends are checked, so that an answer does not contain a torn row.
pub(super) fn sendable(record: &[u8]) -> Option<&[u8]> {
    matches!(record, [b'{', .., b'}']).then_some(record)
}

/// Returns whether a stored text belongs to the candidate `id` and is byte for byte what rendering its fields gives.
pub(super) fn is_whole(id: i64, record: &[u8]) -> bool {
    let Ok(fields) = serde_json::from_slice::<Fields>(record) else { return false };
    let mut again = Vec::with_capacity(record.len());
    fields.as_candidate().is_some_and(|row| {
        row.write(&mut again);
        row.id == itoa::Buffer::new().format(id) && again == record
    })
}

/// The line in the report of `check` for records that are not whole.
pub(super) const NOT_WHOLE: &str = "candidates that are not stored as lists send them";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::record::PortalRow;

    #[test]
    fn only_the_text_that_an_import_writes_is_whole() {
        let row = CandidateRow {
            id: "12",
            name: "O\"Neill \\ \u{1}\u{1F600}",
            email: "",
            phone: "",
            phone_mobile: "+1",
            date: "2026-01-02 03:04:05",
            portal: PortalRow { id: "", name: "Indeed" },
            kind: "person",
        };
        let mut buffer = b"from before".to_vec();
        let record = text(12, &row, &mut buffer).unwrap().to_owned();
        assert!(is_whole(12, record.as_bytes()));
        assert!(!is_whole(13, record.as_bytes()), "another candidate");
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
            assert!(!is_whole(12, other.as_bytes()), "{other}");
        }
    }
}
