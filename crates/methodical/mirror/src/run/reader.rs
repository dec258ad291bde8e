//! Reads records: their identities, the hashes of their meaning, and their rows.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::Error;
use crate::fields::hash::{Hash, Hasher, Secret};
use crate::fields::json::Members;
use crate::fields::layout::Layout;
use crate::fields::meaning;
use crate::fields::omit::Omission;
use crate::fields::row::Row;
use crate::fields::shape::Shape;

/// Reads the records of one list.
pub(crate) struct Reader {
    pub(crate) shape: Shape,
    layout: Layout,
    pub(crate) records: Hasher,
    ids: Hasher,
    /// The forgotten identities.
    suppressed: HashSet<Hash>,
    /// Set if the mirror omits personal data.
    omission: Option<Omission>,
    /// The record that is being hashed.
    meaning: Vec<u8>,
}

/// A record that was read.
pub(crate) struct Parsed<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) hash: Hash,
    pub(crate) members: Members<'a>,
}

impl Reader {
    pub(crate) fn new(
        shape: Shape,
        secret: &Secret,
        suppressed: HashSet<Hash>,
        omission: Option<Omission>,
    ) -> Result<Self, Error> {
        let layout = Layout::of(&shape)?;
        let (records, ids) = (Hasher::new(secret, "record"), Hasher::new(secret, "identity"));
        Ok(Self { shape, layout, records, ids, suppressed, omission, meaning: Vec::new() })
    }

    /// Reads a record from JSON text.
    pub(crate) fn read<'a>(&mut self, json: &'a str) -> Result<Parsed<'a>, Error> {
        let members = Members::of(json)?;
        let id = self.layout.identity(&members)?;
        self.meaning.clear();
        meaning::write(&members, &mut self.meaning)?;
        Ok(Parsed { id, hash: self.records.hash(&[&self.meaning]), members })
    }

    /// Returns whether rows are stored without personal data.
    pub(crate) fn is_reduced(&self) -> bool {
        self.omission.is_some()
    }

    /// Returns a record as the row that is stored.
    pub(crate) fn row<'a>(&self, members: &Members<'a>) -> Result<Row<'a>, Error> {
        let row = self.layout.row(members);
        match &self.omission {
            Some(omission) => omission.reduce(row, &self.shape),
            None => Ok(row),
        }
    }

    /// Returns a record as JSON text, without what the mirror omits.
    pub(crate) fn kept<'a>(&self, json: &'a str) -> Result<Cow<'a, str>, Error> {
        match self.omission {
            Some(_) => Ok(self.row(&Members::of(json)?)?.to_json(&self.shape)?.into()),
            None => Ok(json.into()),
        }
    }

    /// Returns whether an identity is forgotten.
    pub(crate) fn is_suppressed(&self, id: &str) -> bool {
        !self.suppressed.is_empty() && self.suppressed.contains(&self.ids.hash(&[id.as_bytes()]))
    }
}
