//! Creates the tables of records, extends them, describes them in SQL, and assigns them to the lists that fill them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};

use crate::error::{Error, ErrorKind, named};
use crate::fields::json::written;
use crate::fields::row::Value;
use crate::fields::{Kind, Shape};
use crate::store::{OrFailed as _, Store, count, integer, quoted, utc};

/// The state of one table in a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableStatus {
    /// The name of the table.
    pub table: String,
    /// When its last complete list was synced, in seconds since 1970 (UTC); `None` before the first one.
    pub completed_at: Option<i64>,
    /// How many records are present.
    pub present: u64,
    /// How many records are missing.
    pub missing: u64,
    /// How many records of the table's last list were rejected.
    pub rejected: u64,
    /// How its last sync by [`sync_all`](crate::Mirror::sync_all) ended; `None` before the first one. Syncs that were
    /// killed, or refused because another process was syncing, do not count.
    pub outcome: Option<Outcome>,
    /// Why the outcome is not [`Outcome::Complete`]; `None` if it is.
    pub reason: Option<String>,
    /// In a recovered table, when the values of the group that has waited longest were last requested, in seconds since
    /// 1970 (UTC); `None` in other tables.
    pub values_from: Option<i64>,
}

/// How a [`PastRun`](crate::PastRun) ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The table is up to date.
    #[default]
    Complete,
    /// The values of some groups could not be recovered.
    Partial,
    /// The deletion guard or the check of a filter refused the responses. Nothing was committed.
    Refused,
    /// A call or the store failed. Nothing was committed.
    Failed,
}

named!(Outcome: Complete = "complete", Partial = "partial", Refused = "refused", Failed = "failed");

/// The SQL statements of a table, for rows of one shape.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) shape: Arc<Shape>,
    identity: Kind,
    /// The names of all columns for fields, including those that the shape lacks.
    pub(crate) existing: Vec<String>,
    /// Assignments to append to an `UPDATE`, which clear the columns that an erasure empties.
    pub(crate) erased: String,
    pub(crate) insert: String,
    pub(crate) update: String,
    /// Reads the key of a row by its identity.
    pub(crate) key: String,
    /// Reads a row by its identity.
    pub(crate) row: String,
}

impl Table {
    /// Creates the statements, given the shape of new rows and all columns for fields. An erasure keeps the columns
    /// that `personal` lists with `false`.
    fn new(
        name: &str,
        shape: &Shape,
        existing: Vec<String>,
        personal: &BTreeMap<&str, bool>,
    ) -> Result<Self, Error> {
        let (table, identity) = (quoted(name), shape.identity()?);
        let id = quoted(&identity.name);
        let (mut columns, mut values, mut sets) = (String::new(), String::new(), String::new());
        for (column, number) in shape.columns.iter().zip(FIRST_CELL..) {
            let column = quoted(&column.name);
            let _ = write!(columns, ", {column}");
            let _ = write!(values, ", ?{number}");
            let _ = write!(sets, ", {column} = ?{number}");
        }
        let mut erased = String::new();
        for column in &existing {
            let is_current = shape.columns.iter().any(|one| one.name == *column);
            let empty = format!(", {} = NULL", quoted(column));
            if !is_current {
                sets += &empty;
            }
            if *column != identity.name && personal.get(&**column) != Some(&false) {
                erased += &empty;
            }
        }
        Ok(Self {
            shape: Arc::new(shape.clone()),
            identity: identity.kind,
            existing,
            erased,
            insert: format!(
                "INSERT INTO {table} (mirror_key, mirror_hash, mirror_shape, mirror_changed_at, mirror_extra, mirror_nulls, \
                 mirror_first_seen, mirror_state, mirror_misses{columns}) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?4, 'present', 0{values}) ON CONFLICT ({id}) DO NOTHING"
            ),
            update: format!(
                "UPDATE {table} SET mirror_hash = ?2, mirror_shape = ?3, mirror_changed_at = coalesce(?4, mirror_changed_at), \
                 mirror_extra = ?5, mirror_nulls = ?6, mirror_state = 'present', mirror_misses = 0, \
                 mirror_missing_since = NULL, mirror_gone_at = NULL{sets} WHERE mirror_key = ?1"
            ),
            key: format!("SELECT mirror_key FROM {table} WHERE {id} = ?1"),
            row: format!("SELECT * FROM {table} WHERE {id} = ?1"),
        })
    }

    /// Returns an identity as its column stores it; `None` if the column cannot store it.
    pub(crate) fn id(&self, id: &str) -> Option<SqlValue> {
        self.identity.value(id)
    }
}

impl Store {
    /// Registers a list. Fails if its table or name belongs to another list. Creates the table, or adds the columns
    /// that it lacks. Returns whether no list of the scope is complete yet, and the number of the shape.
    pub(crate) fn register(
        &mut self,
        scope: &str,
        table: &str,
        shape: &Shape,
    ) -> Result<(bool, i64), Error> {
        let insert =
            "INSERT INTO mirror_scope (name, table_name) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.execute(insert, (scope, table))?;
        // A row that belongs to another list comes first.
        let select = "SELECT name, table_name, completed_at IS NULL FROM mirror_scope \
                      WHERE table_name = ?1 OR name = ?2 ORDER BY table_name = ?1 AND name = ?2";
        let owner = self.connection.query_row(select, (table, scope), |row| row.try_into());
        let (name, of, is_first): (String, String, bool) = owner.or_failed()?;
        if name != scope || of != table {
            let text = if name == scope {
                format!("cannot sync `{scope}` into `{table}`: its table is `{of}`")
            } else {
                format!(
                    "cannot sync `{scope}` into the table `{table}`: the table holds the records of `{name}`, which would all become missing; use another table"
                )
            };
            return Err(Error::new(ErrorKind::Table, text));
        }
        let number = self.migrate(table, shape)?;
        let described = self.describe(table, Some(shape))?;
        let described = described.map(|described| (table.to_owned(), Arc::new(described)));
        *self.tables.get_mut() = described.into_iter().collect();
        self.execute("DELETE FROM mirror_rejected WHERE scope = ?1", (scope,))?;
        Ok((is_first, number))
    }

    /// Creates the table and its view, or adds the columns that they lack. Returns the number of the shape.
    fn migrate(&self, name: &str, shape: &Shape) -> Result<i64, Error> {
        let existing = self.columns(name)?;
        let sql =
            if existing.is_empty() { create(name, shape)? } else { alter(name, shape, &existing)? };
        self.run(&sql)?;
        let existing: Vec<String> = self.columns(name)?.into_iter().map(|(name, _)| name).collect();
        let (view, wanted) = (view_name(name), view_columns(&shape.identity()?.name, &existing));
        let found: Vec<String> = self.columns(&view)?.into_iter().map(|(name, _)| name).collect();
        if found != wanted {
            let list: Vec<String> = wanted.into_iter().map(quoted).collect();
            let (view, table, list) = (quoted(&view), quoted(name), list.join(", "));
            self.run(&format!(
                "DROP VIEW IF EXISTS {view}; \
                 CREATE VIEW {view} AS SELECT {list} FROM {table} WHERE mirror_state = 'present'"
            ))?;
        }
        if let Some((number, _)) = self.shapes_of(name)?.into_iter().find(|(_, one)| one == shape) {
            return Ok(number);
        }
        let insert = "INSERT INTO mirror_shape (table_name, columns) VALUES (?1, ?2)";
        self.execute(insert, (name, written(shape)?))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Returns the statements of a table for its latest columns.
    pub(crate) fn table(&self, name: &str) -> Result<Arc<Table>, Error> {
        if let Some(table) = self.tables.borrow().get(name) {
            return Ok(Arc::clone(table));
        }
        let table = self.describe(name, None)?.ok_or_else(|| {
            Error::new(ErrorKind::Table, format!("the mirror has no table `{name}`"))
        })?;
        let table = Arc::new(table);
        self.tables.borrow_mut().insert(name.to_owned(), Arc::clone(&table));
        Ok(table)
    }

    /// Returns the statements of a table; `None` if it does not exist. New rows have this shape, or the latest one.
    fn describe(&self, name: &str, shape: Option<&Shape>) -> Result<Option<Table>, Error> {
        let shapes = self.shapes_of(name)?;
        let Some(shape) = shape.or_else(|| Some(&shapes.last()?.1)) else { return Ok(None) };
        let existing = self.columns(name)?.into_iter().map(|(name, _)| name);
        let existing = existing.filter(|name| !name.starts_with("mirror_")).collect();
        let mut personal = BTreeMap::new();
        for column in shapes.iter().flat_map(|(_, shape)| &shape.columns) {
            *personal.entry(&*column.name).or_default() |= column.is_personal;
        }
        Table::new(name, shape, existing, &personal).map(Some)
    }

    /// Returns the column names and types of a table or view, or nothing if it does not exist.
    pub(crate) fn columns(&self, name: &str) -> Result<Vec<(String, String)>, Error> {
        let select = "SELECT name, type FROM pragma_table_info(?1)";
        self.query(select, (name,), |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the shapes of a table with their numbers, latest last.
    pub(crate) fn shapes_of(&self, name: &str) -> Result<Vec<(i64, Shape)>, Error> {
        let select =
            "SELECT number, columns FROM mirror_shape WHERE table_name = ?1 ORDER BY number";
        let rows =
            self.query(select, (name,), |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
        rows.into_iter().map(|(number, columns)| Ok((number, Shape::parse(&columns)?))).collect()
    }

    pub(crate) fn tables(&self) -> Result<Vec<TableStatus>, Error> {
        let select = "SELECT present, mirror_scope.missing, mirror_scope.table_name, unixepoch(completed_at), \
                      (SELECT count(*) FROM mirror_rejected WHERE scope = name), last.outcome, last.reason \
                      FROM mirror_scope LEFT JOIN mirror_run last ON last.number = \
                      (SELECT max(number) FROM mirror_run WHERE table_name = mirror_scope.table_name) ORDER BY 3";
        self.query(select, (), |row| {
            Ok(TableStatus {
                table: row.get(2)?,
                completed_at: row.get(3)?,
                present: count(row, 0)?,
                missing: count(row, 1)?,
                rejected: count(row, 4)?,
                outcome: row
                    .get::<_, Option<String>>(5)?
                    .and_then(|name| Outcome::from_name(&name)),
                reason: row.get(6)?,
                values_from: None,
            })
        })
    }

    /// Sets how many records of a table are present and missing, and when its last complete list was synced; `None`
    /// keeps the earlier time.
    pub(crate) fn set_counts(
        &self,
        table: &str,
        (present, missing): (u64, u64),
        completed_at: Option<i64>,
    ) -> Result<(), Error> {
        let update = "UPDATE mirror_scope SET present = ?2, missing = ?3, completed_at = coalesce(?4, completed_at) \
                      WHERE table_name = ?1";
        let row = (table, integer(present), integer(missing), completed_at.map(utc));
        self.execute(update, row).map(drop)
    }
}

fn create(name: &str, shape: &Shape) -> Result<String, Error> {
    let identity = shape.identity()?;
    let mut sql = format!(
        "CREATE TABLE {} (mirror_key INTEGER PRIMARY KEY, {} {} NOT NULL UNIQUE, mirror_hash BLOB, \
         mirror_state TEXT NOT NULL, mirror_misses INTEGER NOT NULL, mirror_shape INTEGER NOT NULL",
        quoted(name),
        quoted(&identity.name),
        type_of(identity.kind)
    );
    for column in shape.columns.iter().filter(|column| column.name != identity.name) {
        let _ = write!(sql, ", {} {}", quoted(&column.name), type_of(column.kind));
    }
    sql += ", mirror_extra TEXT, mirror_nulls TEXT, mirror_first_seen TEXT NOT NULL, mirror_changed_at TEXT NOT NULL, \
            mirror_missing_since TEXT, mirror_gone_at TEXT) STRICT";
    Ok(sql)
}

fn alter(name: &str, shape: &Shape, existing: &[(String, String)]) -> Result<String, Error> {
    let mut sql = String::new();
    for column in &shape.columns {
        let expected = type_of(column.kind);
        match existing.iter().find(|(one, _)| one.eq_ignore_ascii_case(&column.name)) {
            Some((_, found)) if found == expected => {}
            Some((_, found)) => {
                let text = format!(
                    "cannot use the column `{}` of `{name}`: it has {found} values, but the description expects \
                     {expected}; create another mirror",
                    column.name
                );
                return Err(Error::new(ErrorKind::Table, text));
            }
            None => {
                let (table, column) = (quoted(name), quoted(&column.name));
                let _ = write!(sql, "ALTER TABLE {table} ADD COLUMN {column} {expected};");
            }
        }
    }
    Ok(sql)
}

/// Returns the name of the view with a table's present records. A table cannot have such a name.
pub(crate) fn view_name(table: &str) -> String {
    format!("{table}_present")
}

/// Returns the columns of a view, given the columns of its table: the identity, the times, and the columns for fields.
/// A column added to the table comes last, so that the view can be replaced in place.
pub(crate) fn view_columns<'a>(identity: &'a str, existing: &'a [String]) -> Vec<&'a str> {
    let own = existing.iter().map(|name| &**name);
    let own = own.filter(|name| *name != identity && !name.starts_with("mirror_"));
    [identity, "mirror_first_seen", "mirror_changed_at"].into_iter().chain(own).collect()
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Boolean(value) => ValueRef::Integer(i64::from(*value)),
        }))
    }
}

impl Kind {
    /// Converts text to a value of a column; `None` if the column cannot hold it.
    pub(crate) fn value(self, text: &str) -> Option<SqlValue> {
        Some(match self {
            Self::Text | Self::Json => text.to_owned().into(),
            Self::Integer => text.parse::<i64>().ok()?.into(),
            Self::Boolean => text.parse::<bool>().ok()?.into(),
        })
    }
}

const fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Json => "TEXT",
        Kind::Integer | Kind::Boolean => "INTEGER",
    }
}

/// The number of the first statement parameter that contains the value of a column in the shape.
const FIRST_CELL: u32 = 7;
