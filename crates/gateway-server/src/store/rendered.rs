//! The JSON text of a candidate as the databases keep it: written once, by the import, and sent as it is ever after.

use crate::error::{Error, ErrorKind};
use crate::generated::record::CandidateRow;
use crate::import::record::Fields;

/// Renders a candidate into `buffer`, whatever it held before, and lends the text. The id in it is `id`, as in the key.
pub(super) fn text<'b>(
    id: i64,
    row: &CandidateRow<'_>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b str, Error> {
    buffer.clear();
    let mut digits = itoa::Buffer::new();
    CandidateRow { id: digits.format(id), ..*row }.write(buffer);
    let odd = |error| Error::caused(ErrorKind::Storage, "a record is not UTF-8", error);
    std::str::from_utf8(buffer).map_err(odd)
}

/// Returns a kept text as it may be sent: one look at both ends, so that a torn row ends the answer and is not in it.
pub(super) fn sendable(record: &[u8]) -> Option<&[u8]> {
    matches!(record, [b'{', .., b'}']).then_some(record)
}

/// Tells whether a kept text is byte for byte what rendering its own fields gives, and of the candidate it stands for.
pub(super) fn is_whole(id: i64, record: &[u8]) -> bool {
    let Ok(fields) = serde_json::from_slice::<Fields>(record) else { return false };
    let mut again = Vec::with_capacity(record.len());
    fields.as_candidate().is_some_and(|row| {
        row.write(&mut again);
        row.id == itoa::Buffer::new().format(id) && again == record
    })
}

/// What `check` says after the number of those that are not.
pub(super) const NOT_WHOLE: &str = "candidates are not kept as lists show them";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::record::PortalRow;

    #[test]
    fn what_an_import_writes_is_whole_and_nothing_else_is() {
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
