//! The kinds of records that a file may contain, and how their fields tell them apart.

use crate::fields::{Fields, Known, Record as _};
use crate::generated::record::{
    CandidateRow, CreditsRow, LIST_CANDIDATES_STATUS as STATUS, VacancyRow,
};

/// A kind of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Vacancy,
    /// A candidate, possibly with a status in a vacancy.
    Candidate,
    /// The status of a candidate in a vacancy, which the service never sends as a record.
    Status,
    Credits,
}

impl RecordKind {
    /// Returns the kind of a record with these fields.
    pub(super) fn of(given: &Fields) -> Self {
        choose(&OWN_FIELDS, given, |kind| kind.fits(given), Self::Candidate)
    }

    /// Returns the fields that a record of this kind may have.
    pub(super) fn fields(self) -> Known {
        match self {
            Self::Vacancy => &[VacancyRow::FIELDS],
            Self::Candidate => &[CandidateRow::FIELDS, STATUS],
            Self::Status => &[STATUS],
            Self::Credits => &[CreditsRow::FIELDS],
        }
    }

    /// Returns the name, with its article.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Vacancy => "a vacancy",
            Self::Candidate => "a candidate",
            Self::Status => "the status of a candidate",
            Self::Credits => "the credit balance",
        }
    }

    fn fits(self, given: &Fields) -> bool {
        // A candidate has a status under its own id.
        let is_of_another = self == Self::Candidate && given.has("candidate_id");
        let is_known = |name| self.fields().iter().copied().flatten().any(|own| own.name == name);
        !is_of_another && given.names().all(is_known)
    }
}

/// The fields of all kinds.
pub(super) const KNOWN: Known =
    &[VacancyRow::FIELDS, CandidateRow::FIELDS, STATUS, CreditsRow::FIELDS];

/// A field that records of one kind have and others do not.
const OWN_FIELDS: [(&str, RecordKind); 3] = [
    ("candidate_id", RecordKind::Status),
    ("project", RecordKind::Vacancy),
    ("credits_number", RecordKind::Credits),
];

/// Returns the kind whose own field is given, or `otherwise`. The spec may give that field to another kind too, so the
/// other fields decide first.
fn choose<K: Copy>(
    own_fields: &[(&str, K)],
    given: &Fields,
    fits: impl Fn(K) -> bool,
    otherwise: K,
) -> K {
    let likely = own_fields.iter().filter(|(own, _)| given.has(own)).map(|(_, kind)| *kind);
    let mut in_order = likely.clone().chain([otherwise]).filter(|kind| fits(*kind));
    in_order.next().or_else(|| likely.clone().next()).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Field, Kind};

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

    /// A record is recognised even if the spec adds the own field of its kind to another kind.
    #[test]
    fn all_fields_decide_the_kind_of_a_record() {
        const fn text(name: &'static str) -> Field {
            Field { name, kind: Kind::Text, is_required: false }
        }
        const ALL: &[Field] = &[text("id"), text("name"), text("price"), text("city")];
        const PLACE: &[&str] = &["id", "city", "name"];
        const THING: &[&str] = &["id", "name", "price", "city"];
        let chosen = |names: &[&str]| {
            let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":\"x\"")).collect();
            let json = format!("{{{}}}", members.join(","));
            let given = Fields::from_json(ALL, json.as_bytes()).unwrap();
            let fits = |kind: &[&str]| given.names().all(|name| kind.contains(&name));
            choose(&[("city", PLACE)], &given, fits, THING)
        };
        assert_eq!(chosen(&["id", "city"]), PLACE);
        assert_eq!(chosen(&["id", "name", "city"]), PLACE);
        assert_eq!(chosen(&["id", "name", "price", "city"]), THING);
        assert_eq!(chosen(&["id", "name"]), THING);
    }
}
