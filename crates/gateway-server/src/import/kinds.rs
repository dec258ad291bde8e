//! The kinds of records that a file may contain, with their fields.

use crate::fields::{Field, Kind, Known, Record as _};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};

/// The fields of the status of a candidate in a vacancy, which the service never sends as a record.
pub(super) const STATUS: &[Field] = &[
    Field { name: "vacancy_id", kind: Kind::Id, is_required: false },
    Field { name: "candidate_id", kind: Kind::Id, is_required: false },
    Field { name: "status", kind: Kind::Text, is_required: false },
];

/// The fields of all kinds.
pub(super) const KNOWN: Known =
    &[VacancyRow::FIELDS, CandidateRow::FIELDS, STATUS, CreditsRow::FIELDS];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Fields;

    /// A field that is added to the spec is imported too.
    #[test]
    fn every_field_of_a_record_is_imported() {
        let mut json = <[Vec<u8>; 3]>::default();
        let [candidate, vacancy, credits] = &mut json;
        CandidateRow::example().write(candidate);
        VacancyRow::example().write(vacancy);
        CreditsRow::example().write(credits);
        let mut again = <[Vec<u8>; 3]>::default();
        let fields = |known, json: &[u8]| Fields::from_json(known, json).unwrap();
        CandidateRow::from_fields(&fields(CandidateRow::FIELDS, &json[0])).write(&mut again[0]);
        VacancyRow::from_fields(&fields(VacancyRow::FIELDS, &json[1])).write(&mut again[1]);
        CreditsRow::from_fields(&fields(CreditsRow::FIELDS, &json[2])).write(&mut again[2]);
        assert_eq!(again, json);
    }
}
