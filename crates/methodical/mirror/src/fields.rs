//! The columns that a table has at one time, for writing and reading its rows. Also hashes keyed with the mirror's
//! secret (HMAC-SHA-256), because the contents of a record could be guessed from an unkeyed hash.

pub(crate) mod json;
pub(crate) mod row;

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use methodical_model::tables::{ColumnKind, Table};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::error::{Error, ErrorKind};

/// The columns of a table at one time. The store keeps them to read the rows that were written with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) identity: usize,
    pub(crate) columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    pub(crate) kind: Kind,
    pub(crate) is_personal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Text,
    Integer,
    Boolean,
    Json,
}

impl Shape {
    /// Returns a table's columns. The generator avoids reserved and duplicate names; the database rejects duplicates.
    pub(crate) fn of(table: &Table) -> Result<Self, Error> {
        let columns = table.columns().iter().map(|column| {
            let path: Vec<String> = column.path().iter().map(|&name| name.to_owned()).collect();
            let kind = match column.kind() {
                ColumnKind::Integer => Kind::Integer,
                ColumnKind::Boolean => Kind::Boolean,
                ColumnKind::Text => Kind::Text,
                _ => Kind::Json,
            };
            Column { name: path.join("_"), path, kind, is_personal: column.is_personal() }
        });
        let columns: Vec<Column> = columns.collect();
        let invalid = |text: &str| {
            let text = format!("cannot use the table `{}`: {text}", table.name());
            Error::new(ErrorKind::Table, text)
        };
        if table.name().to_lowercase().ends_with("_present") {
            return Err(invalid("its name ends with `_present`, which is reserved for views"));
        }
        if columns.iter().any(|column| !(1..=2).contains(&column.path.len())) {
            return Err(invalid("a path must have one or two names"));
        }
        let is_identity = |column: &Column| {
            column.path == [table.identity()] && matches!(column.kind, Kind::Text | Kind::Integer)
        };
        let identity = columns.iter().position(is_identity).ok_or_else(|| {
            invalid(&format!("`{}` is not a column of text or integers", table.identity()))
        })?;
        Ok(Self { identity, columns })
    }

    /// Reads a shape from the JSON text of a store.
    pub(crate) fn parse(columns: &str) -> Result<Self, Error> {
        serde_json::from_str(columns).map_err(|error| {
            Error::new(ErrorKind::Store, "cannot read the mirror: `mirror_shape` is damaged")
                .because(error)
        })
    }

    pub(crate) fn identity(&self) -> Result<&Column, Error> {
        let damaged = || {
            Error::new(ErrorKind::Store, "cannot read the mirror: the stored columns have no id")
        };
        self.columns.get(self.identity).ok_or_else(damaged)
    }

    /// Returns the column with this name. If the table lacks the column, fails with an error that names the table.
    pub(crate) fn column(&self, table: &str, name: &str) -> Result<&Column, Error> {
        let unknown = || {
            let text = format!("cannot read the table `{table}`: it has no column `{name}`");
            Error::new(ErrorKind::Table, text)
        };
        self.columns.iter().find(|column| column.name == name).ok_or_else(unknown)
    }

    /// Returns the index of the column for the field at this path.
    pub(crate) fn index(&self, path: &[impl AsRef<str>]) -> Option<usize> {
        let is_at = |column: &Column| column.path.iter().eq(path.iter().map(AsRef::as_ref));
        self.columns.iter().position(is_at)
    }

    /// Returns whether a record nested under this name has columns.
    pub(crate) fn nests(&self, name: &str) -> bool {
        let is_below = |column: &Column| matches!(&*column.path, [first, _] if first == name);
        self.columns.iter().any(is_below)
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) [u8; 32]);

/// Does not print the secret.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(<redacted>)")
    }
}

/// A keyed hash: the first 16 bytes of an HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hash(pub(crate) [u8; 16]);

#[derive(Clone)]
pub(crate) struct Hasher(Hmac<Sha256>);

impl Hasher {
    /// Creates a hasher with this secret for one purpose. Its hashes are unrelated to those for any other purpose.
    pub(crate) fn new(secret: &Secret, purpose: &str) -> Self {
        let root = keyed(&secret.0).chain_update(purpose.as_bytes()).finalize().into_bytes();
        Self(keyed(&root))
    }

    pub(crate) fn hash(&self, parts: &[&[u8]]) -> Hash {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(mac.finalize().into_bytes()) {
            *to = from;
        }
        Hash(bytes)
    }
}

#[expect(clippy::expect_used, reason = "HMAC accepts a key of any length")]
fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length")
}

/// Fills a buffer with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| {
        Error::new(ErrorKind::Io, "cannot get random numbers from the operating system")
            .because(error)
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use methodical_model::tables::{Column, Table};

    use super::{Secret, Shape};

    #[test]
    fn a_description_without_identity_or_with_the_name_of_a_view_is_refused() {
        const JSON: &[Column] = &[Column::json(&["id"])];
        const EMPTY: &[Column] = &[Column::text(&["id"]), Column::text(&[])];
        const ID: &[Column] = &[Column::text(&["id"])];
        for (table, says) in [
            (Table::new("photo", "id", JSON), "`id` is not a column of text or integers"),
            (Table::new("photo", "id", EMPTY), "a path must have one or two names"),
            (Table::new("Photo_Present", "id", ID), "its name ends with `_present`"),
        ] {
            let error = Shape::of(&table).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn debug_does_not_print_the_secret() {
        let secret = Secret([171; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(<redacted>)");
    }
}
