//! Determines the kind of each record of an import by its fields, checks it and stages it.

use gateway_model::{CandidateKind, DecimalText, StreamDecoder, Vacancy};

use crate::error::Error;
use crate::fields::{Fields, Record as _};
use crate::generated::parameters::ListCandidates;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::import::kinds::RecordKind;
use crate::place::Place;
use crate::store::{ApplicationRow, Stage};

/// Receives the records of all files.
pub(super) struct Target<'s, 'p> {
    stage: &'s mut dyn Stage,
    application: Option<&'s (i64, String)>,
    progress: &'p mut dyn FnMut(u64),
    count: u64,
}

impl<'s, 'p> Target<'s, 'p> {
    pub(super) fn new(
        stage: &'s mut dyn Stage,
        application: Option<&'s (i64, String)>,
        progress: &'p mut dyn FnMut(u64),
    ) -> Self {
        Self { stage, application, progress, count: 0 }
    }

    /// Reports the total number of records.
    pub(super) fn finish(self) {
        (self.progress)(self.count);
    }

    /// Checks a record and stages it.
    pub(super) fn put(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        if let Some(field) = fields.with_nul() {
            // PostgreSQL cannot store it, and both databases accept the same data.
            return Err(Error::at(place, format!("`{field}` contains a NUL character; remove it")));
        }
        self.count += 1;
        if self.count.is_multiple_of(PROGRESS) {
            (self.progress)(self.count);
        }
        let kind = RecordKind::of(fields);
        check(place, fields, kind)?;
        match kind {
            RecordKind::Vacancy => self.vacancy(place, fields),
            RecordKind::Candidate => self.candidate(place, fields),
            RecordKind::Status => self.status(place, fields),
            RecordKind::Credits => self.balance(place, fields),
        }
    }

    fn status(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let vacancy_id = number(place, "vacancy_id", fields.text("vacancy_id"))?;
        let candidate_id = number(place, "candidate_id", fields.text("candidate_id"))?;
        let status = fields.text("status");
        self.application(place, &ApplicationRow { vacancy_id, candidate_id, status })
    }

    fn vacancy(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let row = VacancyRow::from_fields(fields);
        check_size(place, fields, |json| row.write(json))?;
        self.stage.vacancy(place, number(place, "id", row.id)?, &row)
    }

    fn balance(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let row = CreditsRow::from_fields(fields);
        credits(place, row.credits_number, row.currency)?;
        check_size(place, fields, |json| row.write(json))?;
        self.stage.credits(place, &row)
    }

    fn candidate(&mut self, place: Place, fields: &Fields) -> Result<(), Error> {
        let mut row = CandidateRow::from_fields(fields);
        let id = number(place, "id", row.id)?;
        if !fields.has("name") {
            // The record replaces an existing one, whose name would be lost silently.
            return Err(missing(place, "name"));
        }
        if row.kind.is_empty() {
            row.kind = CandidateKind::Person.as_str();
        }
        check_size(place, fields, |json| row.write(json))?;
        self.stage.candidate(place, id, &row)?;
        let own = match (fields.has("vacancy_id"), fields.has("status")) {
            (true, true) => Some((
                number(place, "vacancy_id", fields.text("vacancy_id"))?,
                fields.text("status"),
            )),
            (false, false) => None,
            _ => return Err(Error::at(place, "`vacancy_id` and `status` must be given together")),
        };
        let given = self.application.map(|(vacancy, status)| (*vacancy, status.as_str()));
        for (vacancy_id, status) in own.into_iter().chain(given) {
            self.application(place, &ApplicationRow { vacancy_id, candidate_id: id, status })?;
        }
        Ok(())
    }
}

impl Target<'_, '_> {
    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let length = row.status.chars().count();
        let most = ListCandidates::STATUS_MAX_CHARS;
        if length == 0 || length > most {
            let text = format!("`status` must have 1 to {most} characters");
            return Err(Error::at(place, text));
        }
        self.stage.application(place, row)
    }
}

/// Fails if a field does not belong to the kind of record, because it would be lost, if a value is not valid, or if a
/// required field is missing.
fn check(place: Place, fields: &Fields, kind: RecordKind) -> Result<(), Error> {
    let fields_of_kind = || kind.fields().iter().copied().flatten();
    if let Some(foreign) = fields.names().find(|name| fields_of_kind().all(|own| own.name != *name))
    {
        let text = format!("`{foreign}` is not a field of {}; remove it", kind.name());
        return Err(Error::at(place, text));
    }
    if let Some((name, kind)) = fields.wrong(kind.fields()) {
        return Err(Error::at(place, format!("`{name}` {}", kind.expected())));
    }
    match fields_of_kind().find(|field| fields.lacks(field)) {
        Some(field) => Err(missing(place, field.name)),
        None => Ok(()),
    }
}

/// Fails if clients would skip the record in a response, because it is too large.
fn check_size(
    place: Place,
    fields: &Fields,
    write: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Error> {
    if fields.size() <= SMALL {
        return Ok(());
    }
    let mut json = Vec::new();
    write(&mut json);
    if json.len() <= RECORD_LIMIT {
        return Ok(());
    }
    let text = format!(
        "the record has {} bytes as JSON, but clients read at most {RECORD_LIMIT}; shorten it",
        json.len()
    );
    Err(Error::at(place, text))
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

/// Checks a credit balance.
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

/// Maximum number of characters of an unknown name that an error shows.
const MAX_SHOWN: usize = 60;

/// Maximum size of a record in a response, in bytes: the default limit of clients.
const RECORD_LIMIT: usize = StreamDecoder::<Vacancy>::RECORD_LIMIT;

/// Maximum size of the values of a record that is never too large as JSON, in bytes. JSON makes text up to 6 times as long.
const SMALL: usize = RECORD_LIMIT / 8;

/// Number of records between two reports of progress.
const PROGRESS: u64 = 100_000;
