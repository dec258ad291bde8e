//! Tables of a copy: their columns, and their rows as lines of COPY.

use std::io::Write as _;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::fields::shape::{Kind, Shape};
use crate::store::failure::failed;
use crate::store::table::quoted;

/// A table of the mirror, and of its copy.
pub(crate) struct Table {
    pub(crate) name: String,
    /// The first one is the key.
    pub(crate) columns: Vec<Column>,
    /// The column that identifies a record; `None` for tables without records.
    pub(crate) identity: Option<String>,
}

/// A column, and its type in PostgreSQL.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) is_personal: bool,
}

/// The hash of a row.
pub(crate) type RowHash = [u8; 16];

impl Table {
    /// Describes a table with these columns, separated by spaces: a name, and the type after a colon unless it is text.
    pub(crate) fn own(name: &str, columns: &'static str) -> Self {
        let column = |text: &'static str| {
            let (name, kind) = text.split_once(':').unwrap_or((text, TEXT));
            Column { name: name.to_owned(), kind, is_personal: name == "value" }
        };
        let columns = columns.split_ascii_whitespace().map(column).collect();
        Self { name: name.to_owned(), columns, identity: None }
    }

    /// Describes the table of records of this name.
    pub(crate) fn of_records(source: &Connection, name: &str) -> Result<Self, Error> {
        let select = "SELECT columns FROM mirror_shape WHERE table_name = ?1 ORDER BY number";
        let shapes: Vec<String> = all(source, select, name)?;
        let shapes: Vec<Shape> =
            shapes.iter().map(|shape| Shape::parse(shape)).collect::<Result<_, _>>()?;
        let names: Vec<String> = all(source, "SELECT name FROM pragma_table_info(?1)", name)?;
        let column = |name: String| {
            let listed = shapes.iter().flat_map(|shape| &shape.columns);
            let listed: Vec<_> = listed.filter(|one| one.name == name).collect();
            let kind = match &*name {
                "mirror_key" => "bigint",
                "mirror_first_seen"
                | "mirror_changed_at"
                | "mirror_missing_since"
                | "mirror_gone_at" => "timestamptz",
                _ => match listed.last().map(|one| one.kind) {
                    Some(Kind::Integer) => "bigint",
                    Some(Kind::Real) => "double precision",
                    Some(Kind::Boolean) => BOOLEAN,
                    _ => TEXT,
                },
            };
            let is_personal = name == "mirror_extra" || listed.iter().any(|one| one.is_personal);
            Column { name, kind, is_personal }
        };
        let is_copied = |name: &String| !BOOKKEEPING.contains(&&**name);
        let columns = names.into_iter().filter(is_copied).map(column).collect();
        let identity = shapes.last().map(|shape| shape.identity()).transpose()?;
        let identity = identity.map(|column| column.name.clone());
        Ok(Self { name: name.to_owned(), columns, identity })
    }

    /// Returns the column of the keys, as SQL has it.
    pub(crate) fn key(&self) -> String {
        self.columns.first().map(|column| quoted(&column.name)).unwrap_or_default()
    }

    /// Returns the columns for a statement.
    pub(crate) fn list(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }

    /// Passes the rows of the mirror with a key above this one: the key, and the line without its end.
    pub(crate) fn each(
        &self,
        source: &Connection,
        above: i64,
        mut row: impl FnMut(i64, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (columns, table, key) = (self.list(), quoted(&self.name), self.key());
        let select = format!("SELECT {columns} FROM {table} WHERE {key} > ?1 ORDER BY {key}");
        let mut statement = source.prepare(&select).map_err(failed)?;
        let mut rows = statement.query((above,)).map_err(failed)?;
        let mut line = Vec::new();
        while let Some(found) = rows.next().map_err(failed)? {
            line.clear();
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    line.push(b'\t');
                }
                append(&mut line, column.kind, found.get_ref(index).map_err(failed)?);
            }
            row(found.get(0).map_err(failed)?, &line)?;
        }
        Ok(())
    }
}

/// Returns the hash of a row from its line.
pub(crate) fn hash(line: &[u8]) -> RowHash {
    Sha256::digest(line).first_chunk().copied().unwrap_or_default()
}

/// Returns a hash as PostgreSQL reads it in a line.
pub(crate) fn hex(bytes: &[u8]) -> String {
    format!("\\\\x{}", crate::fields::hash::hex(bytes))
}

/// Appends a cell of a line.
fn append(line: &mut Vec<u8>, kind: &str, value: ValueRef<'_>) {
    // Writing to memory does not fail.
    let _infallible = match value {
        ValueRef::Null => line.write_all(b"\\N"),
        ValueRef::Integer(number) if kind == BOOLEAN => {
            line.write_all(if number == 0 { b"f" } else { b"t" })
        }
        ValueRef::Integer(number) => write!(line, "{number}"),
        ValueRef::Real(number) => write!(line, "{number:?}"),
        ValueRef::Blob(bytes) => line.write_all(hex(bytes).as_bytes()),
        ValueRef::Text(text) => {
            for byte in text {
                match byte {
                    // PostgreSQL has no U+0000 in text.
                    0 => line.extend_from_slice("\u{FFFD}".as_bytes()),
                    b'\\' => line.extend_from_slice(b"\\\\"),
                    b'\t' => line.extend_from_slice(b"\\t"),
                    b'\n' => line.extend_from_slice(b"\\n"),
                    b'\r' => line.extend_from_slice(b"\\r"),
                    _ => line.push(*byte),
                }
            }
            Ok(())
        }
    };
}

/// Returns the first column of all rows of a table.
fn all(source: &Connection, select: &str, table: &str) -> Result<Vec<String>, Error> {
    let mut statement = source.prepare(select).map_err(failed)?;
    let rows = statement.query_map((table,), |row| row.get(0)).map_err(failed)?;
    rows.collect::<Result<_, _>>().map_err(failed)
}

/// Columns that only the mirror needs.
const BOOKKEEPING: [&str; 3] = ["mirror_hash", "mirror_misses", "mirror_shape"];

const TEXT: &str = "text";

const BOOLEAN: &str = "boolean";
