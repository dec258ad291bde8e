//! The fields of one record, from a file of any format or from a stored JSON text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::generated::record::{CandidateRow, PortalRow};

/// The fields of all kinds of records. The ones that are present determine the kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fields {
    pub(crate) id: Option<Text>,
    pub(crate) project: Option<String>,
    pub(crate) name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    phone_mobile: Option<String>,
    date: Option<String>,
    portal: Option<Portal>,
    #[serde(rename = "type")]
    kind: Option<String>,
    pub(crate) vacancy_id: Option<Text>,
    pub(crate) candidate_id: Option<Text>,
    pub(crate) status: Option<String>,
    pub(crate) credits_number: Option<String>,
    pub(crate) currency: Option<String>,
}

#[derive(Debug, Default)]
struct Portal {
    id: Option<Text>,
    name: Option<String>,
}

/// An id: a string, or the number that many tools convert it to.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

/// Why a field of a JSON object was not read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// No record has a field of this name.
    Unknown,
    /// The field is given twice.
    Repeated,
}

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
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Portal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a portal object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Portal, A::Error> {
                let mut portal = Portal::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let read = match &*key {
                        "id" => once(&mut portal.id, &mut map)?,
                        "name" => once(&mut portal.name, &mut map)?,
                        _ => Err(Fault::Unknown),
                    };
                    read.map_err(|_fault| de::Error::custom("unknown or repeated field"))?;
                }
                Ok(portal)
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// Reads a field that may be given once; `null` counts as not given.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    field: &mut Option<T>,
    map: &mut A,
) -> Result<Result<(), Fault>, A::Error> {
    if field.is_some() {
        return Ok(Err(Fault::Repeated));
    }
    *field = map.next_value()?;
    Ok(Ok(()))
}

impl Fields {
    /// Reads the value of the field `key` of a JSON object. The outer error is the one of the parser.
    pub(crate) fn read<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
    ) -> Result<Result<(), Fault>, A::Error> {
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
            _ => Ok(Err(Fault::Unknown)),
        }
    }

    /// Returns the fields as a candidate if there is an id. Checks nothing.
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

    /// Returns the name of a field that is present.
    pub(crate) fn any(&self) -> Option<&'static str> {
        self.texts().into_iter().find_map(|(name, text)| text.map(|_text| name))
    }

    /// Returns the name of a field that contains a NUL character.
    pub(crate) fn with_nul(&self) -> Option<&'static str> {
        let has_nul = |text: Option<&str>| text.is_some_and(|text| text.contains('\0'));
        self.texts().into_iter().find_map(|(name, text)| has_nul(text).then_some(name))
    }

    fn texts(&self) -> [(&'static str, Option<&str>); 16] {
        fn id(field: Option<&Text>) -> Option<&str> {
            field.map(|Text(id)| id.as_str())
        }
        let portal = self.portal.as_ref();
        [
            ("id", id(self.id.as_ref())),
            ("project", self.project.as_deref()),
            ("name", self.name.as_deref()),
            ("email", self.email.as_deref()),
            ("phone", self.phone.as_deref()),
            ("phone_mobile", self.phone_mobile.as_deref()),
            ("date", self.date.as_deref()),
            ("portal", portal.map(|_portal| "")),
            ("portal.id", portal.and_then(|portal| id(portal.id.as_ref()))),
            ("portal.name", portal.and_then(|portal| portal.name.as_deref())),
            ("type", self.kind.as_deref()),
            ("vacancy_id", id(self.vacancy_id.as_ref())),
            ("candidate_id", id(self.candidate_id.as_ref())),
            ("status", self.status.as_deref()),
            ("credits_number", self.credits_number.as_deref()),
            ("currency", self.currency.as_deref()),
        ]
    }

    /// Sets a field by the name of its column. Returns false if the column is unknown.
    pub(crate) fn set(&mut self, column: &str, value: &str) -> bool {
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

/// The fields that [`Fields::read`] knows.
pub(crate) const FIELDS: &str = "id, project, name, email, phone, phone_mobile, date, portal, type, \
    vacancy_id, candidate_id, status, credits_number, currency";

/// The columns that [`Fields::set`] knows.
pub(crate) const COLUMNS: &str = "id, project, name, email, phone, phone_mobile, date, portal_id, \
    portal_name, type, vacancy_id, candidate_id, status, credits_number, currency";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listed_fields_and_columns_are_known() {
        for field in FIELDS.split(", ").filter(|field| *field != "portal") {
            let fields: Fields = serde_json::from_str(&format!("{{\"{field}\":\"1\"}}")).unwrap();
            assert_eq!(fields.any(), Some(field));
        }
        for column in COLUMNS.split(", ") {
            assert!(Fields::default().set(column, ""), "{column}");
        }
    }
}
