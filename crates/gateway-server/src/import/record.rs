//! The fields of one record of an import, whatever file it came from.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::generated::record::{CandidateRow, PortalRow};

/// All fields that any record has. Which are there says what the record is.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(super) id: Option<Text>,
    pub(super) project: Option<String>,
    pub(super) name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    phone_mobile: Option<String>,
    date: Option<String>,
    portal: Option<Portal>,
    kind: Option<String>,
    pub(super) vacancy_id: Option<Text>,
    pub(super) candidate_id: Option<Text>,
    pub(super) status: Option<String>,
    pub(super) credits_number: Option<String>,
    pub(super) currency: Option<String>,
}

#[derive(Debug, Default)]
struct Portal {
    id: Option<Text>,
    name: Option<String>,
}

/// An id: text, or the number that many tools make of it.
#[derive(Debug)]
pub(super) struct Text(pub(super) String);

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

    /// Names a field that is there.
    pub(super) fn any(&self) -> Option<&'static str> {
        [
            ("id", self.id.is_some()),
            ("project", self.project.is_some()),
            ("name", self.name.is_some()),
            ("email", self.email.is_some()),
            ("phone", self.phone.is_some()),
            ("phone_mobile", self.phone_mobile.is_some()),
            ("date", self.date.is_some()),
            ("portal", self.portal.is_some()),
            ("type", self.kind.is_some()),
            ("vacancy_id", self.vacancy_id.is_some()),
            ("candidate_id", self.candidate_id.is_some()),
            ("status", self.status.is_some()),
            ("credits_number", self.credits_number.is_some()),
            ("currency", self.currency.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_there)| is_there.then_some(name))
    }

    pub(super) fn has_nul(&self) -> bool {
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
