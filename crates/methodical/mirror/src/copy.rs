//! Copies of a mirror: a consistent snapshot of the tables, the feed and the history. The mirror remembers its copies.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;

use rusqlite::types::ValueRef;

use crate::error::{Error, debug_with};
use crate::fields::Kind;
use crate::mirror::Mirror;
use crate::store::{OrFailed as _, Store, quoted};

/// A snapshot of the mirror, from which its tables are copied; see [`Mirror::copy`].
pub struct CopySource(Store);

/// A table of the mirror and its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyTable {
    /// The name of the table.
    pub name: String,
    /// The columns. The first column is the key, an integer.
    pub columns: Vec<CopyColumn>,
    /// The column that identifies a record; `None` for tables without records.
    pub identity: Option<String>,
}

/// A column of a [`CopyTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyColumn {
    /// The name of the column.
    pub name: String,
    /// The kind of the column's values.
    pub kind: CopyKind,
    /// Whether the values may be personal data.
    pub is_personal: bool,
}

/// The kind of values in a [`CopyColumn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyKind {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A boolean, as the integer 0 or 1.
    Boolean,
    /// A time in UTC, as RFC 3339 text.
    Time,
}

/// A value in a row of a [`CopyTable`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CopyValue<'a> {
    /// No value.
    Null,
    /// A whole number, or a boolean.
    Integer(i64),
    /// Text, or a time.
    Text(&'a str),
}

impl Mirror {
    /// Passes a snapshot of the mirror to `write`, which copies its tables. Another process may be syncing the mirror.
    ///
    /// The mirror remembers the copy under the name `target`, which should not contain a password:
    /// [`forget`](Self::forget) names each copy that may still hold the erased record, and the next copy removes it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Store`](crate::ErrorKind::Store) if the mirror is in memory or SQLite fails, or the
    /// error of `write`.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &mut Mirror) -> Result<(), Error> {
    ///     mirror.copy("the archive", |source| {
    ///         for table in source.tables()? {
    ///             source.each_row(&table, |row| Ok::<_, Error>(println!("{} {row:?}", table.name)))?;
    ///         }
    ///         Ok(())
    ///     })
    /// }
    /// ```
    pub fn copy<T, E: From<Error>>(
        &mut self,
        target: &str,
        write: impl FnOnce(&CopySource) -> Result<T, E>,
    ) -> Result<T, E> {
        let (at, store) = (self.now(), self.store());
        // Before the copy, so that a concurrent erasure names it.
        store.note_copy(target, None)?;
        let mut source = Store::open(store.path("copy")?, None)?;
        source.begin_reading()?;
        let written = write(&CopySource(source))?;
        // If another process is writing, the earlier time stays: an erasure may then name the copy once too often.
        drop(store.note_copy(target, Some(at)));
        Ok(written)
    }
}

impl CopySource {
    /// Returns the tables: first the tables of records, ordered by name, then the history and the feed.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn tables(&self) -> Result<Vec<CopyTable>, Error> {
        let tables = self.0.tables()?;
        let records = tables.iter().map(|status| &*status.table);
        records.chain(OWN).map(|name| self.table(name)).collect()
    }

    fn table(&self, name: &str) -> Result<CopyTable, Error> {
        let shapes = self.0.shapes_of(name)?;
        let column = |(column, kind): (String, String)| {
            let listed = shapes.iter().flat_map(|(_, shape)| &shape.columns);
            let listed: Vec<_> = listed.filter(|one| one.name == column).collect();
            let kind = match (&*column, &*kind, listed.last().map(|one| one.kind)) {
                ("is_baseline" | "began_before", _, None) | (.., Some(Kind::Boolean)) => {
                    CopyKind::Boolean
                }
                ("at" | "mirror_first_seen" | "mirror_missing_since", _, None) => CopyKind::Time,
                (time, _, None) if time.ends_with("_at") => CopyKind::Time,
                (_, "INTEGER", _) => CopyKind::Integer,
                _ => CopyKind::Text,
            };
            let is_value = shapes.is_empty() && ["previous", "value"].contains(&&*column);
            let is_personal =
                is_value || column == "mirror_extra" || listed.iter().any(|one| one.is_personal);
            CopyColumn { name: column, kind, is_personal }
        };
        let mut columns = self.0.columns(name)?;
        columns.retain(|(name, _)| !BOOKKEEPING.contains(&&**name));
        if name == "mirror_scope" {
            columns.insert(0, ("rowid".to_owned(), "INTEGER".to_owned()));
        }
        let identity = shapes.last().map(|(_, shape)| shape.identity()).transpose()?;
        let identity = identity.map(|column| column.name.clone());
        let columns = columns.into_iter().map(column).collect();
        Ok(CopyTable { name: name.to_owned(), columns, identity })
    }

    /// Passes the rows of a table to `take`, ordered by key.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or with the error that `take` returned.
    pub fn each_row<E: From<Error>>(
        &self,
        table: &CopyTable,
        mut take: impl FnMut(&[CopyValue<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (columns, key, name) = (table.list(), table.key(), quoted(&table.name));
        let select = format!("SELECT {columns} FROM {name} ORDER BY {key}");
        let mut statement = self.0.connection.prepare(&select).or_failed()?;
        let mut rows = statement.query(()).or_failed()?;
        while let Some(row) = rows.next().or_failed()? {
            let value = |index| -> rusqlite::Result<CopyValue<'_>> {
                Ok(match row.get_ref(index)? {
                    ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => CopyValue::Null,
                    ValueRef::Integer(number) => CopyValue::Integer(number),
                    ValueRef::Text(text) => CopyValue::Text(std::str::from_utf8(text)?),
                })
            };
            let values = (0..table.columns.len()).map(value).collect::<Result<Vec<_>, _>>();
            take(&values.or_failed()?)?;
        }
        Ok(())
    }
}

impl CopyTable {
    /// Returns the key column, as an SQL identifier.
    fn key(&self) -> String {
        self.columns.first().map(|column| quoted(&column.name)).unwrap_or_default()
    }

    fn list(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }
}

debug_with!(CopySource:);

/// Columns that only the mirror needs.
const BOOKKEEPING: [&str; 3] = ["mirror_hash", "mirror_misses", "mirror_shape"];

/// The tables of the history and the feed.
const OWN: [&str; 5] =
    ["mirror_run", "mirror_sample", "mirror_scope", "mirror_past_value", "mirror_change"];
