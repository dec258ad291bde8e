//! The records of the service, borrowed from wherever they are kept, and their JSON.

use std::fmt;

use crate::json;

/// A candidate (spec 2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CandidateRow<'a> {
    /// The field `id`.
    pub id: &'a str,
    /// The field `name`.
    pub name: &'a str,
    /// The field `email`.
    pub email: &'a str,
    /// The field `phone`.
    pub phone: &'a str,
    /// The field `phone_mobile`.
    pub phone_mobile: &'a str,
    /// The field `date`.
    pub date: &'a str,
    /// The field `portal`.
    pub portal: PortalRow<'a>,
    /// The field `type`.
    pub kind: &'a str,
}

impl CandidateRow<'_> {
    /// Appends the record as a JSON object, every field a string.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        json::text(out, self.id);
        out.extend_from_slice(b",\"name\":");
        json::text(out, self.name);
        out.extend_from_slice(b",\"email\":");
        json::text(out, self.email);
        out.extend_from_slice(b",\"phone\":");
        json::text(out, self.phone);
        out.extend_from_slice(b",\"phone_mobile\":");
        json::text(out, self.phone_mobile);
        out.extend_from_slice(b",\"date\":");
        json::text(out, self.date);
        out.extend_from_slice(b",\"portal\":");
        self.portal.write(out);
        out.extend_from_slice(b",\"type\":");
        json::text(out, self.kind);
        out.push(b'}');
    }
}

/// Shows the identity only: the rest is personal data.
impl fmt::Debug for CandidateRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateRow").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The portal of a candidate (spec 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortalRow<'a> {
    /// The field `id`.
    pub id: &'a str,
    /// The field `name`.
    pub name: &'a str,
}

impl PortalRow<'_> {
    /// Appends the record as a JSON object, every field a string.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        json::text(out, self.id);
        out.extend_from_slice(b",\"name\":");
        json::text(out, self.name);
        out.push(b'}');
    }
}

/// A vacancy (spec 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VacancyRow<'a> {
    /// The field `id`.
    pub id: &'a str,
    /// The field `project`.
    pub project: &'a str,
}

impl VacancyRow<'_> {
    /// Appends the record as a JSON object, every field a string.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        json::text(out, self.id);
        out.extend_from_slice(b",\"project\":");
        json::text(out, self.project);
        out.push(b'}');
    }
}

/// The SMS credit balance (spec 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CreditsRow<'a> {
    /// The field `credits_number`.
    pub credits_number: &'a str,
    /// The field `currency`.
    pub currency: &'a str,
}

impl CreditsRow<'_> {
    /// Appends the record as a JSON object, every field a string.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"credits_number\":");
        json::text(out, self.credits_number);
        out.extend_from_slice(b",\"currency\":");
        json::text(out, self.currency);
        out.push(b'}');
    }
}
