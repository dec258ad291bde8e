//! Determines the kind of each record of an import by its fields, checks it and stages it.

use gateway_model::{CivilDateTime, DecimalText};

use crate::error::Error;
use crate::fields::{Fields, Text};
use crate::generated::record::{CreditsRow, VacancyRow};
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
    pub(super) fn put(&mut self, place: Place, fields: Fields) -> Result<(), Error> {
        if let Some(field) = fields.with_nul() {
            // PostgreSQL cannot store it, and both databases accept the same data.
            return Err(Error::at(place, format!("`{field}` contains a NUL character; remove it")));
        }
        self.count += 1;
        if self.count.is_multiple_of(PROGRESS) {
            (self.progress)(self.count);
        }
        match fields {
            Fields { candidate_id: Some(_), .. } => self.status(place, fields),
            Fields { project: Some(_), .. } => self.vacancy(place, fields),
            Fields { credits_number: Some(_), .. } => self.balance(place, fields),
            candidate => self.candidate(place, candidate),
        }
    }

    fn status(&mut self, place: Place, mut fields: Fields) -> Result<(), Error> {
        let (vacancy_id, _) = id(place, "vacancy_id", fields.vacancy_id.take())?;
        let (candidate_id, _) = id(place, "candidate_id", fields.candidate_id.take())?;
        let status = fields.status.take().unwrap_or_default();
        nothing_else(place, &fields, "the status of a candidate")?;
        self.application(place, &ApplicationRow { vacancy_id, candidate_id, status: &status })
    }

    fn vacancy(&mut self, place: Place, mut fields: Fields) -> Result<(), Error> {
        let (number, text) = id(place, "id", fields.id.take())?;
        let project = fields.project.take().unwrap_or_default();
        nothing_else(place, &fields, "a vacancy")?;
        self.stage.vacancy(place, number, &VacancyRow { id: &text, project: &project })
    }

    fn balance(&mut self, place: Place, mut fields: Fields) -> Result<(), Error> {
        let number = fields.credits_number.take().unwrap_or_default();
        let currency = fields.currency.take().unwrap_or_default();
        nothing_else(place, &fields, "the credit balance")?;
        credits(place, &number, &currency)?;
        self.stage.credits(place, &CreditsRow { credits_number: &number, currency: &currency })
    }

    fn candidate(&mut self, place: Place, fields: Fields) -> Result<(), Error> {
        let row = fields.as_candidate();
        let row = row.ok_or_else(|| missing(place, "id"))?;
        let number = number(place, "id", row.id)?;
        if fields.name.is_none() {
            // The record replaces an existing one, whose name would be lost silently.
            return Err(missing(place, "name"));
        }
        if fields.currency.is_some() {
            return Err(foreign(place, "currency", "a candidate"));
        }
        if !row.date.is_empty() && CivilDateTime::from(row.date).civil().is_none() {
            return Err(Error::at(
                place,
                "`date` is not a valid date and time; expected YYYY-MM-DD HH:MM:SS",
            ));
        }
        self.stage.candidate(place, number, &row)?;
        let own = match (fields.vacancy_id, &fields.status) {
            (Some(vacancy), Some(status)) => {
                Some((id(place, "vacancy_id", Some(vacancy))?.0, status))
            }
            (None, None) => None,
            _ => return Err(Error::at(place, "`vacancy_id` and `status` must be given together")),
        };
        let given = self.application.map(|(vacancy, status)| (*vacancy, status));
        for (vacancy_id, status) in own.into_iter().chain(given) {
            self.application(place, &ApplicationRow { vacancy_id, candidate_id: number, status })?;
        }
        Ok(())
    }
}

impl Target<'_, '_> {
    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let length = row.status.chars().count();
        if length == 0 || length > MAX_STATUS {
            let text = format!("`status` must have 1 to {MAX_STATUS} characters");
            return Err(Error::at(place, text));
        }
        self.stage.application(place, row)
    }
}

/// Fails if a field is left after those of the kind have been taken, because it would be lost.
fn nothing_else(place: Place, rest: &Fields, kind: &str) -> Result<(), Error> {
    rest.any().map_or(Ok(()), |field| Err(foreign(place, field, kind)))
}

fn foreign(place: Place, field: &str, kind: &str) -> Error {
    Error::at(place, format!("`{field}` is not a field of {kind}; remove it"))
}

fn missing(place: Place, field: &str) -> Error {
    Error::at(place, format!("`{field}` is missing"))
}

/// Reads an id: decimal digits without a leading zero, in the range that the database stores.
fn id(place: Place, field: &str, text: Option<Text>) -> Result<(i64, String), Error> {
    let text = text.map(|Text(text)| text).unwrap_or_default();
    number(place, field, &text).map(|number| (number, text))
}

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

/// Maximum number of characters of a status.
const MAX_STATUS: usize = 200;

/// Maximum number of characters of an unknown name that an error shows.
const MAX_SHOWN: usize = 60;

/// Number of records between two reports of progress.
const PROGRESS: u64 = 100_000;
