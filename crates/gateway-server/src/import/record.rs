//! One record of an import, whatever file it came from: checked, and handed to the stage.

use std::borrow::Cow;
use std::fmt;

use gateway_model::{CivilDateTime, DecimalText};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, PortalRow, VacancyRow};
use crate::store::{ApplicationRow, Place, Stage};

/// All fields that any record has. Which are there says what the record is.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    id: Option<Text>,
    project: Option<String>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    phone_mobile: Option<String>,
    date: Option<String>,
    portal: Option<Portal>,
    kind: Option<String>,
    vacancy_id: Option<Text>,
    candidate_id: Option<Text>,
    status: Option<String>,
    credits_number: Option<String>,
    currency: Option<String>,
}

#[derive(Debug, Default)]
struct Portal {
    id: Option<Text>,
    name: Option<String>,
}

/// An id: text, or the number that many tools make of it.
#[derive(Debug)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an id")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

impl<'de> Deserialize<'de> for Portal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Portal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a portal object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Portal, A::Error> {
                let mut portal = Portal::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    match &*key {
                        "id" => once(&mut portal.id, &mut map)?,
                        "name" => once(&mut portal.name, &mut map)?,
                        _ => return Err(de::Error::custom("unknown field")),
                    }
                }
                Ok(portal)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    fields.read(&key, &mut map)?;
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Reads a member that may stand once; `null` is as good as nothing.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    field: &mut Option<T>,
    map: &mut A,
) -> Result<(), A::Error> {
    if field.is_some() {
        return Err(de::Error::custom("given twice"));
    }
    *field = map.next_value()?;
    Ok(())
}

impl Fields {
    /// Reads the value of a member of a JSON object.
    pub(super) fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "id" => once(&mut self.id, map),
            "project" => once(&mut self.project, map),
            "name" => once(&mut self.name, map),
            "email" => once(&mut self.email, map),
            "phone" => once(&mut self.phone, map),
            "phone_mobile" => once(&mut self.phone_mobile, map),
            "date" => once(&mut self.date, map),
            "portal" => once(&mut self.portal, map),
            "type" => once(&mut self.kind, map),
            "vacancy_id" => once(&mut self.vacancy_id, map),
            "candidate_id" => once(&mut self.candidate_id, map),
            "status" => once(&mut self.status, map),
            "credits_number" => once(&mut self.credits_number, map),
            "currency" => once(&mut self.currency, map),
            _ => Err(de::Error::custom("unknown field")),
        }
    }

    /// Reads the fields as a candidate, if the id is there. Nothing is checked.
    pub(crate) fn as_candidate(&self) -> Option<CandidateRow<'_>> {
        fn text(field: Option<&String>) -> &str {
            field.map_or("", String::as_str)
        }
        let Text(id) = self.id.as_ref()?;
        let portal = self.portal.as_ref();
        Some(CandidateRow {
            id,
            name: text(self.name.as_ref()),
            email: text(self.email.as_ref()),
            phone: text(self.phone.as_ref()),
            phone_mobile: text(self.phone_mobile.as_ref()),
            date: text(self.date.as_ref()),
            portal: PortalRow {
                id: text(portal.and_then(|portal| portal.id.as_ref()).map(|Text(id)| id)),
                name: text(portal.and_then(|portal| portal.name.as_ref())),
            },
            kind: self.kind.as_deref().filter(|kind| !kind.is_empty()).unwrap_or("person"),
        })
    }

    fn has_nul(&self) -> bool {
        let portal = self.portal.as_ref();
        [
            self.project.as_deref(),
            self.name.as_deref(),
            self.email.as_deref(),
            self.phone.as_deref(),
            self.phone_mobile.as_deref(),
            self.kind.as_deref(),
            self.status.as_deref(),
            portal.and_then(|portal| portal.name.as_deref()),
            portal.and_then(|portal| portal.id.as_ref()).map(|Text(id)| id.as_str()),
            self.currency.as_deref(),
        ]
        .into_iter()
        .flatten()
        .any(|text| text.contains('\0'))
    }

    /// Sets a field by the name of a column. Returns false if there is no such column.
    pub(super) fn set(&mut self, column: &str, value: &str) -> bool {
        let text = || Some(value.to_owned());
        match column {
            "id" => self.id = text().map(Text),
            "project" => self.project = text(),
            "name" => self.name = text(),
            "email" => self.email = text(),
            "phone" => self.phone = text(),
            "phone_mobile" => self.phone_mobile = text(),
            "date" => self.date = text(),
            "portal_id" => self.portal.get_or_insert_default().id = text().map(Text),
            "portal_name" => self.portal.get_or_insert_default().name = text(),
            "type" => self.kind = text(),
            "vacancy_id" => self.vacancy_id = text().map(Text),
            "candidate_id" => self.candidate_id = text().map(Text),
            "status" => self.status = text(),
            "credits_number" => self.credits_number = text(),
            "currency" => self.currency = text(),
            _ => return false,
        }
        true
    }
}

/// Where records go.
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

    /// Says how many records were read in all.
    pub(super) fn finish(self) {
        (self.progress)(self.count);
    }

    /// Checks a record and stages it.
    pub(super) fn put(&mut self, place: Place, fields: Fields) -> Result<(), Error> {
        if fields.has_nul() {
            // PostgreSQL has no text with it, and both databases hold the same.
            return Err(Error::at(place, "a text has a NUL character"));
        }
        self.count += 1;
        if self.count.is_multiple_of(PROGRESS) {
            (self.progress)(self.count);
        }
        match fields {
            Fields { candidate_id: Some(candidate), vacancy_id, status, .. } => {
                let (vacancy_id, _) = id(place, "vacancy_id", vacancy_id)?;
                let (candidate_id, _) = id(place, "candidate_id", Some(candidate))?;
                let status = status.unwrap_or_default();
                self.application(
                    place,
                    &ApplicationRow { vacancy_id, candidate_id, status: &status },
                )
            }
            Fields { project: Some(project), id: vacancy, .. } => {
                let (number, text) = id(place, "id", vacancy)?;
                self.stage.vacancy(place, number, &VacancyRow { id: &text, project: &project })
            }
            Fields { credits_number: Some(number), currency, .. } => {
                let currency = currency.unwrap_or_default();
                credits(place, &number, &currency)?;
                let row = CreditsRow { credits_number: &number, currency: &currency };
                self.stage.credits(place, &row)
            }
            candidate => self.candidate(place, candidate),
        }
    }

    fn candidate(&mut self, place: Place, fields: Fields) -> Result<(), Error> {
        let row = fields.as_candidate();
        let row = row.ok_or_else(|| Error::at(place, "id is missing"))?;
        let number = number(place, "id", row.id)?;
        if !row.date.is_empty() && CivilDateTime::from(row.date).civil().is_none() {
            return Err(Error::at(place, "date is not a date and time as YYYY-MM-DD HH:MM:SS"));
        }
        self.stage.candidate(place, number, &row)?;
        let own = match (fields.vacancy_id, &fields.status) {
            (Some(vacancy), Some(status)) => {
                Some((id(place, "vacancy_id", Some(vacancy))?.0, status))
            }
            (None, None) => None,
            _ => return Err(Error::at(place, "vacancy_id and status belong together")),
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
        if length == 0 || length > LONGEST_STATUS {
            let text = format!("status must have 1 to {LONGEST_STATUS} characters");
            return Err(Error::at(place, text));
        }
        self.stage.application(place, row)
    }
}

/// Reads an id: decimal digits without a leading zero, in the range of the database.
fn id(place: Place, field: &str, text: Option<Text>) -> Result<(i64, String), Error> {
    let text = text.map(|Text(text)| text).unwrap_or_default();
    number(place, field, &text).map(|number| (number, text))
}

fn number(place: Place, field: &str, text: &str) -> Result<i64, Error> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    match text.parse() {
        Ok(number) if canonical => Ok(number),
        _ if text.is_empty() => Err(Error::at(place, format!("{field} is missing"))),
        _ => Err(Error::at(place, format!("{field} is not a number from 0 to {}", i64::MAX))),
    }
}

/// Checks a balance.
pub(crate) fn credits(place: Place, number: &str, currency: &str) -> Result<(), Error> {
    if !DecimalText::from(number).is_plain() {
        return Err(Error::at(place, "credits_number is not a plain decimal number"));
    }
    if currency.is_empty() || currency.len() > 16 {
        return Err(Error::at(place, "currency must have 1 to 16 characters"));
    }
    Ok(())
}

const LONGEST_STATUS: usize = 200;

/// Progress is told after so many records.
const PROGRESS: u64 = 100_000;
