//! Determines the kind of each imported record by its fields, checks the record, and stages it.

use gateway_model::{CandidateKind, DecimalText};

use crate::error::{Error, ErrorKind, Place};
use crate::fields::{self, Fault, Field, Fields, Kind, Known, Record, text};
use crate::generated::operations::LIST_CANDIDATES;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::import::Import;
use crate::parameter::Parameter;
use crate::store::{ApplicationRow, Stage};

/// Receives the records of all files.
pub(super) struct Target<'s, 'p> {
    stage: &'s mut dyn Stage,
    import: &'s Import,
    /// The number of records that were read so far.
    count: &'p mut u64,
    /// The errors of the records that were refused so far.
    refused: &'p mut Vec<Error>,
    /// The number of the current record in its array, from 1: many records may have the same line.
    pub(super) record: Option<u64>,
}

impl<'s, 'p> Target<'s, 'p> {
    pub(super) fn new(
        stage: &'s mut dyn Stage,
        import: &'s Import,
        count: &'p mut u64,
        refused: &'p mut Vec<Error>,
    ) -> Self {
        Self { stage, import, count, refused, record: None }
    }

    pub(super) fn finish(self) -> Result<(), Error> {
        if self.refused.is_empty() { Ok(()) } else { Err(refused()) }
    }

    /// Returns the name that a column or field has in the contract.
    pub(super) fn renamed<'n>(&self, name: &'n str) -> &'n str
    where
        's: 'n,
    {
        let renamed = self.import.rename.iter().find(|(from, _)| from == name);
        renamed.map_or(name, |(_, to)| to)
    }

    /// Collects the error of a record, so that the next ones are still read. Fails after any other error, or too many.
    pub(super) fn note(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        let Err(mut error) = result else { return Ok(()) };
        let Some(place) = error.place() else { return Err(error) };
        if let Some(record) = self.record.take() {
            error = Error::at(place, format!("record {record}: {error}"));
        }
        self.refused.push(error);
        if self.refused.len() < MAX_REFUSED { Ok(()) } else { Err(refused()) }
    }

    /// Checks a record and stages it.
    pub(super) fn put(&mut self, place: Place, given: Fields) -> Result<(), Error> {
        let put = self.try_put(place, given);
        self.note(put)
    }

    fn try_put(&mut self, place: Place, given: Fields) -> Result<(), Error> {
        *self.count += 1;
        let kind = OTHERS.iter().find(|kind| given.contains_key(kind.own)).unwrap_or(&CANDIDATE);
        let fields = fields::check(kind.fields, given).map_err(|fault| match fault {
            Fault::Foreign(name) => {
                let text = format!("`{name}` is not a field of {}; remove it", kind.name);
                Error::at(place, text)
            }
            Fault::Wrong(field) => {
                Error::at(place, format!("`{}` {}", field.name, field.kind.expected()))
            }
            Fault::Missing(field) => missing(place, field.name),
        })?;
        if let Some(field) = fields::with_nul(&fields) {
            // PostgreSQL cannot store NUL, and both databases must accept the same data.
            return Err(Error::at(place, format!("`{field}` contains a NUL character; remove it")));
        }
        (kind.stage)(self, place, &fields)
    }

    fn status(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let vacancy_id = number(place, "vacancy_id", text(fields, "vacancy_id"))?;
        let candidate_id = number(place, "candidate_id", text(fields, "candidate_id"))?;
        let status = text(fields, "status");
        self.application(place, &ApplicationRow { vacancy_id, candidate_id, status })
    }

    fn vacancy(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let row = row::<VacancyRow<'_>>(place, fields)?;
        self.stage.vacancy(place, number(place, "id", row.id)?, &row)
    }

    fn balance(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let row = row::<CreditsRow<'_>>(place, fields)?;
        credits(place, row.credits_number, row.currency)?;
        self.stage.credits(place, &row)
    }

    fn candidate(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let mut row = row::<CandidateRow<'_>>(place, fields)?;
        let id = number(place, "id", row.id)?;
        if !fields.contains_key("name") {
            // The record would replace an existing one, whose name would be lost silently.
            return Err(missing(place, "name"));
        }
        if row.kind.is_empty() {
            row.kind = CandidateKind::Person.as_str();
        }
        self.stage.candidate(place, id, &row)?;
        let own = match (fields.contains_key("vacancy_id"), fields.contains_key("status")) {
            (true, true) => Some((
                number(place, "vacancy_id", text(fields, "vacancy_id"))?,
                text(fields, "status"),
            )),
            (false, false) => None,
            _ => return Err(Error::at(place, "`vacancy_id` and `status` must be given together")),
        };
        let given = self.import.application.as_ref();
        let given = given.map(|(vacancy, status)| (*vacancy, status.as_str()));
        for (vacancy_id, status) in own.into_iter().chain(given) {
            self.application(place, &ApplicationRow { vacancy_id, candidate_id: id, status })?;
        }
        Ok(())
    }
}

impl Target<'_, '_> {
    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let length = row.status.chars().count();
        let [_, Parameter { max_chars: most, .. }] = LIST_CANDIDATES;
        if length == 0 || length > most {
            let text = format!("`status` must have 1 to {most} characters");
            return Err(Error::at(place, text));
        }
        self.stage.application(place, row)
    }
}

/// Returns the row with these checked fields.
fn row<'f, R: Record<'f>>(place: Place, fields: &'f Fields) -> Result<R, Error> {
    R::deserialize(fields).map_err(|_error| Error::at(place, "the record cannot be read"))
}

fn missing(place: Place, field: &str) -> Error {
    Error::at(place, format!("`{field}` is missing"))
}

/// Reads an id: decimal digits without a leading zero, in the range that the database stores.
fn number(place: Place, field: &str, text: &str) -> Result<i64, Error> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    match text.parse() {
        Ok(number) if canonical => Ok(number),
        _ if text.is_empty() => Err(missing(place, field)),
        _ => {
            let text = format!(
                "`{field}` must be a whole number from 0 to {}, without leading zeros",
                i64::MAX
            );
            Err(Error::at(place, text))
        }
    }
}

pub(crate) fn credits(place: Place, number: &str, currency: &str) -> Result<(), Error> {
    if !DecimalText::from(number).is_plain() {
        return Err(Error::at(
            place,
            "`credits_number` must be a plain decimal number such as 184.50",
        ));
    }
    if currency.is_empty() || currency.len() > 16 {
        return Err(Error::at(place, "`currency` must have 1 to 16 bytes"));
    }
    Ok(())
}

/// Returns the name of a field or column in backticks, shortened and escaped for an error message.
pub(super) fn shown(name: &str) -> String {
    let start: String = name.chars().take(MAX_SHOWN).collect();
    let rest = if start.len() < name.len() { "…" } else { "" };
    format!("`{}{rest}`", start.escape_debug())
}

fn refused() -> Error {
    Error::new(ErrorKind::Import, "records were refused")
}

/// Maximum number of refused records in one run.
const MAX_REFUSED: usize = 20;

/// Maximum number of characters of an unknown name that an error shows.
const MAX_SHOWN: usize = 60;

/// A kind of record.
struct RecordKind {
    /// The field that identifies this kind of record.
    own: &'static str,
    /// The name, with an article.
    name: &'static str,
    /// The fields that a record may have.
    fields: Known,
    stage: fn(&mut Target<'_, '_>, Place, &Fields) -> Result<(), Error>,
}

/// A candidate, possibly with a status in a vacancy: a record without a field that identifies another kind.
static CANDIDATE: RecordKind = RecordKind {
    own: "name",
    name: "a candidate",
    fields: &[CandidateRow::FIELDS, STATUS],
    stage: |target, place, fields| target.candidate(place, fields),
};

static OTHERS: [RecordKind; 3] = [
    // The service never sends it as a record.
    RecordKind {
        own: "candidate_id",
        name: "the status of a candidate",
        fields: &[STATUS],
        stage: |target, place, fields| target.status(place, fields),
    },
    RecordKind {
        own: "project",
        name: "a vacancy",
        fields: &[VacancyRow::FIELDS],
        stage: |target, place, fields| target.vacancy(place, fields),
    },
    RecordKind {
        own: "credits_number",
        name: "the credit balance",
        fields: &[CreditsRow::FIELDS],
        stage: |target, place, fields| target.balance(place, fields),
    },
];

/// The fields of all kinds.
pub(super) const KNOWN: Known =
    &[VacancyRow::FIELDS, CandidateRow::FIELDS, STATUS, CreditsRow::FIELDS];

/// The fields of a status that a candidate has in a vacancy. No record of the contract contains these fields.
const STATUS: &[Field] = &[
    Field { name: "vacancy_id", kind: Kind::Id, is_required: false },
    Field { name: "candidate_id", kind: Kind::Id, is_required: false },
    Field { name: "status", kind: Kind::Text, is_required: false },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A field added to the spec is imported as well.
    #[test]
    fn every_field_of_a_record_is_imported() {
        macro_rules! check {
            ($row:ident) => {
                let example = serde_json::to_value($row::example()).unwrap();
                let given = example.as_object().unwrap().clone();
                let fields = fields::check(&[$row::FIELDS], given).unwrap();
                let read = row::<$row<'_>>(Place { file: 0, line: 1 }, &fields).unwrap();
                assert_eq!(serde_json::to_value(read).unwrap(), example);
            };
        }
        check!(CandidateRow);
        check!(VacancyRow);
        check!(CreditsRow);
    }
}
