//! Copies of a mirror, which the mirror remembers: the tables, the feed and the history as they are at one moment.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;

use rusqlite::types::ValueRef;

use crate::error::{Error, debug_with};
use crate::fields::Kind;
use crate::mirror::Mirror;
use crate::store::{OrFailed as _, Store, quoted};

/// The mirror at one moment, for a copy of its tables. Begin with [`Mirror::begin_copy`].
pub struct CopySource {
    store: Store,
    target: String,
    at: i64,
}

/// A table of the mirror, and of its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyTable {
    /// The name of the table.
    pub name: String,
    /// The columns. The first one is the key, an integer.
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
    /// The kind of its values.
    pub kind: CopyKind,
    /// Whether its values may be personal.
    pub is_personal: bool,
}

/// The kind of the values of a [`CopyColumn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyKind {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Real,
    /// A boolean, as the integer 0 or 1.
    Boolean,
    /// A time in UTC, as RFC 3339 text.
    Time,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CopyValue<'a> {
    /// No value.
    Null,
    /// A whole number, or a boolean.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text, or a time.
    Text(&'a str),
}

impl Mirror {
    /// Begins to copy the mirror as it is now, also while another process syncs.
    ///
    /// The mirror remembers the copy under the name `target`, which should have no password: [`forget`](Self::forget) names
    /// each copy that may still hold the erased record, and the next copy removes it. Call [`end_copy`](Self::end_copy) when the copy is
    /// complete.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the mirror is in memory, or fails.
    ///
    /// ```
    /// use methodical_mirror::{Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let source = Source::new("https://gateway.example.com", "me");
    /// let mut mirror = Mirror::open(folder.path().join("mirror.db"), &source)?;
    /// let source = mirror.begin_copy("the archive")?;
    /// for table in source.tables()? {
    ///     source.each_row(&table, |row| {
    ///         println!("{} {row:?}", table.name);
    ///         Ok::<(), methodical_mirror::Error>(())
    ///     })?;
    /// }
    /// mirror.end_copy(source)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn begin_copy(&mut self, target: &str) -> Result<CopySource, Error> {
        let (at, store) = (self.now(), self.store());
        // Before the copy, so that an erasure at the same time names it.
        store.note_copy(target, None)?;
        CopySource::open(&store, target, at)
    }

    /// Says that a copy is complete.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn end_copy(&mut self, source: CopySource) -> Result<(), Error> {
        let CopySource { store, target, at } = source;
        drop(store);
        self.store().note_copy(&target, Some(at))
    }
}

impl CopySource {
    fn open(store: &Store, target: &str, at: i64) -> Result<Self, Error> {
        let mut store = Store::open(store.path("copy")?, None)?;
        store.begin_reading()?;
        Ok(Self { store, target: target.to_owned(), at })
    }

    /// Returns the tables: those of records, in the order of their names, and those of the history and the feed.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn tables(&self) -> Result<Vec<CopyTable>, Error> {
        let tables = self.store.tables()?;
        let records = tables.iter().map(|status| self.table(&status.table));
        records.chain(OWN.iter().map(|(name, columns)| Ok(own(name, columns)))).collect()
    }

    /// Describes the table of records of this name.
    fn table(&self, name: &str) -> Result<CopyTable, Error> {
        let shapes = self.store.shapes_of(name)?;
        let column = |name: String| {
            let listed = shapes.iter().flat_map(|(_, shape)| &shape.columns);
            let listed: Vec<_> = listed.filter(|one| one.name == name).collect();
            let kind = match (&*name, listed.last().map(|one| one.kind)) {
                ("mirror_key", _) | (_, Some(Kind::Integer)) => CopyKind::Integer,
                (time, None) if TIMES.contains(&time) => CopyKind::Time,
                (_, Some(Kind::Real)) => CopyKind::Real,
                (_, Some(Kind::Boolean)) => CopyKind::Boolean,
                _ => CopyKind::Text,
            };
            let is_personal = name == "mirror_extra" || listed.iter().any(|one| one.is_personal);
            CopyColumn { name, kind, is_personal }
        };
        let names = self.store.columns(name)?.into_iter().map(|(name, _)| name);
        let copied = names.filter(|name| !BOOKKEEPING.contains(&&**name));
        let identity = shapes.last().map(|(_, shape)| shape.identity()).transpose()?;
        let identity = identity.map(|column| column.name.clone());
        Ok(CopyTable { name: name.to_owned(), columns: copied.map(column).collect(), identity })
    }

    /// Passes the rows of a table to `take`, in the order of their keys.
    ///
    /// # Errors
    ///
    /// Fails if the store or `take` does.
    pub fn each_row<E: From<Error>>(
        &self,
        table: &CopyTable,
        mut take: impl FnMut(&[CopyValue<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (columns, key, name) = (table.list(), table.key(), quoted(&table.name));
        let select = format!("SELECT {columns} FROM {name} ORDER BY {key}");
        let mut statement = self.store.connection.prepare(&select).or_failed()?;
        let mut rows = statement.query(()).or_failed()?;
        while let Some(row) = rows.next().or_failed()? {
            let value = |index| -> rusqlite::Result<CopyValue<'_>> {
                Ok(match row.get_ref(index)? {
                    ValueRef::Null | ValueRef::Blob(_) => CopyValue::Null,
                    ValueRef::Integer(number) => CopyValue::Integer(number),
                    ValueRef::Real(number) => CopyValue::Real(number),
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
    /// Returns the column of the keys, as SQL has it.
    fn key(&self) -> String {
        self.columns.first().map(|column| quoted(&column.name)).unwrap_or_default()
    }

    /// Returns the columns for a statement.
    fn list(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }
}

debug_with!(CopySource: target);

/// Describes a table with these columns, separated by spaces: a name, and the kind after a colon unless it is text.
fn own(name: &str, columns: &str) -> CopyTable {
    let column = |text: &str| {
        let (name, kind) = text.split_once(':').unwrap_or((text, ""));
        let kind = match kind {
            "integer" => CopyKind::Integer,
            "boolean" => CopyKind::Boolean,
            "time" => CopyKind::Time,
            _ => CopyKind::Text,
        };
        CopyColumn {
            name: name.to_owned(),
            kind,
            is_personal: ["previous", "value"].contains(&name),
        }
    };
    let columns = columns.split_ascii_whitespace().map(column).collect();
    CopyTable { name: name.to_owned(), columns, identity: None }
}

/// Columns that only the mirror needs.
const BOOKKEEPING: [&str; 3] = ["mirror_hash", "mirror_misses", "mirror_shape"];

/// The columns of records with times.
const TIMES: [&str; 4] =
    ["mirror_first_seen", "mirror_changed_at", "mirror_missing_since", "mirror_gone_at"];

/// The tables of the history and the feed, and their columns.
const OWN: [(&str, &str); 5] = [
    (
        "mirror_run",
        "number:integer started_at:time ended_at:time table_name outcome reason is_baseline:boolean added:integer changed:integer \
         unchanged:integer returned:integer missing:integer gone:integer rejected:integer repeated:integer suppressed:integer \
         calls:integer",
    ),
    ("mirror_sample", "number:integer at:time gauge amount unit"),
    (
        "mirror_scope",
        "rowid:integer name table_name present:integer missing:integer completed_at:time",
    ),
    (
        "mirror_spell",
        "number:integer table_name record_id group_id member_id value began_at:time ended_at:time began_before:boolean",
    ),
    ("mirror_change", "number:integer at:time table_name record_id kind fields previous value"),
];
