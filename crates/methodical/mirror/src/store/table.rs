//! The SQL of one table of records.

use std::fmt::Write as _;
use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, ValueRef};

use crate::error::{Error, ErrorKind};
use crate::fields::row::Value;
use crate::fields::shape::{Kind, Shape};
use crate::store::data::{PAGE, Written};

/// The statements of a table, for rows of one shape.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) shape: Arc<Shape>,
    pub(crate) identity: Kind,
    pub(crate) insert: String,
    pub(crate) update: String,
    pub(crate) mark: String,
    pub(crate) erase: String,
    /// The names of all columns of records.
    pub(crate) existing: Vec<String>,
    /// Empties the personal columns of a row that stays as it is otherwise.
    pub(crate) omit: String,
    /// Finds what is known of a record by its identity.
    pub(crate) known: String,
    /// Reads what is known of all rows.
    pub(crate) all_known: String,
    pub(crate) live_after: String,
    pub(crate) row: String,
    /// Reads a row by its identity.
    pub(crate) row_of: String,
}

impl Table {
    /// Creates the statements from the columns for new rows, all columns of the table, and those that may be kept when a
    /// record is erased.
    pub(crate) fn new(
        name: &str,
        shape: &Shape,
        existing: &[String],
        kept: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let table = quoted(name);
        let identity = shape.identity()?;
        let id = quoted(&identity.name);
        let (mut columns, mut values, mut sets) = (String::new(), String::new(), String::new());
        let others = shape.columns.iter().filter(|column| column.name != identity.name);
        for (column, number) in others.zip(FIRST_CELL..) {
            let column = quoted(&column.name);
            append(&mut columns, format_args!(", {column}"));
            append(&mut values, format_args!(", ?{number}"));
            append(&mut sets, format_args!(", {column} = ?{number}"));
        }
        let is_current = |name: &String| shape.columns.iter().any(|column| column.name == *name);
        for column in existing.iter().filter(|name| !is_current(name)) {
            append(&mut sets, format_args!(", {} = NULL", quoted(column)));
        }
        let mut erased = String::new();
        let is_erased = |name: &&String| **name != identity.name && !kept(name);
        for column in existing.iter().filter(is_erased) {
            append(&mut erased, format_args!(", {} = NULL", quoted(column)));
        }
        let known = format!(
            "SELECT mirror_key, mirror_hash, mirror_state, mirror_misses, mirror_shape, {id} FROM {table}"
        );
        Ok(Self {
            shape: Arc::new(shape.clone()),
            existing: existing.to_vec(),
            identity: identity.kind,
            insert: format!(
                "INSERT INTO {table} (mirror_key, {id}, mirror_hash, mirror_state, mirror_misses, mirror_shape, \
                 mirror_first_seen, mirror_changed_at, mirror_extra, mirror_nulls{columns}) \
                 VALUES (?1, ?2, ?3, 'present', 0, ?4, ?5, ?5, ?6, ?7{values})"
            ),
            update: format!(
                "UPDATE {table} SET {id} = ?2, mirror_hash = ?3, mirror_state = 'present', mirror_misses = 0, \
                 mirror_shape = ?4, mirror_changed_at = coalesce(?5, mirror_changed_at), mirror_missing_since = NULL, \
                 mirror_gone_at = NULL, mirror_extra = ?6, mirror_nulls = ?7{sets} WHERE mirror_key = ?1"
            ),
            mark: format!(
                "UPDATE {table} SET mirror_state = ?2, mirror_misses = ?3, mirror_missing_since = \
                 CASE ?3 WHEN 0 THEN NULL ELSE coalesce(mirror_missing_since, ?4) END WHERE mirror_key = ?1"
            ),
            erase: format!(
                "UPDATE {table} SET mirror_state = ?2, mirror_gone_at = ?3, mirror_misses = 0, mirror_hash = NULL, \
                 mirror_extra = NULL, mirror_nulls = NULL{erased} WHERE mirror_key = ?1"
            ),
            omit: format!(
                "UPDATE {table} SET mirror_extra = ?2, mirror_nulls = ?3{erased} WHERE mirror_key = ?1"
            ),
            all_known: known.clone(),
            known: format!("{known} WHERE {id} = ?1"),
            live_after: format!(
                "SELECT mirror_key, mirror_misses, {id} FROM {table} WHERE mirror_key > ?1 \
                 AND mirror_state IN ('present', 'missing') ORDER BY mirror_key LIMIT {PAGE}"
            ),
            row: format!("SELECT * FROM {table} WHERE mirror_key = ?1"),
            row_of: format!("SELECT * FROM {table} WHERE {id} = ?1"),
        })
    }

    /// Returns an identity as a value of its column.
    pub(crate) fn id<'a>(&self, id: &'a str) -> ToSqlOutput<'a> {
        match (self.identity, id.parse()) {
            (Kind::Integer, Ok(number)) => ToSqlOutput::Borrowed(ValueRef::Integer(number)),
            _ => text(Some(id)),
        }
    }

    /// Returns the parameters of `insert` and `update`.
    pub(crate) fn parameters<'a>(
        &'a self,
        written: &'a Written<'_>,
        hash: &'a [u8],
        changed_at: Option<&'a str>,
    ) -> impl Iterator<Item = ToSqlOutput<'a>> {
        let integer = |value| ToSqlOutput::Borrowed(ValueRef::Integer(value));
        let fixed = [
            integer(written.key),
            self.id(written.id),
            ToSqlOutput::Borrowed(ValueRef::Blob(hash)),
            integer(written.shape),
            text(changed_at),
            text(written.row.extra.as_deref()),
            text(written.row.nulls.as_deref()),
        ];
        let identity = self.shape.identity;
        let cells = written.row.cells.iter().enumerate();
        let others = cells.filter(move |(index, _)| *index != identity);
        fixed.into_iter().chain(others.map(|(_, cell)| ToSqlOutput::Borrowed(sql(cell.as_ref()))))
    }
}

/// Returns the statement that creates a table.
pub(crate) fn create(name: &str, shape: &Shape) -> Result<String, Error> {
    let identity = shape.identity()?;
    let mut sql = format!(
        "CREATE TABLE {} (mirror_key INTEGER PRIMARY KEY, {} {} NOT NULL UNIQUE, mirror_hash BLOB, \
         mirror_state TEXT NOT NULL, mirror_misses INTEGER NOT NULL, mirror_shape INTEGER NOT NULL",
        quoted(name),
        quoted(&identity.name),
        type_of(identity.kind)
    );
    for column in shape.columns.iter().filter(|column| column.name != identity.name) {
        append(&mut sql, format_args!(", {} {}", quoted(&column.name), type_of(column.kind)));
    }
    sql.push_str(
        ", mirror_extra TEXT, mirror_nulls TEXT, mirror_first_seen TEXT NOT NULL, mirror_changed_at TEXT NOT NULL, \
         mirror_missing_since TEXT, mirror_gone_at TEXT) STRICT",
    );
    Ok(sql)
}

/// Returns the statements that add the columns which a table lacks.
pub(crate) fn alter(
    name: &str,
    shape: &Shape,
    existing: &[(String, String)],
) -> Result<String, Error> {
    let mut sql = String::new();
    for column in &shape.columns {
        let expected = type_of(column.kind);
        match existing.iter().find(|(one, _)| one.eq_ignore_ascii_case(&column.name)) {
            Some((_, found)) if found == expected => {}
            Some((_, found)) => {
                let text = format!(
                    "cannot use the column `{}` of `{name}`: it has {found} values, and the description expects \
                     {expected}; create another mirror",
                    column.name
                );
                return Err(Error::new(ErrorKind::Table, text));
            }
            None => append(
                &mut sql,
                format_args!(
                    "ALTER TABLE {} ADD COLUMN {} {expected};",
                    quoted(name),
                    quoted(&column.name)
                ),
            ),
        }
    }
    Ok(sql)
}

/// Returns a value for SQLite.
pub(crate) fn sql<'a>(value: Option<&'a Value<'_>>) -> ValueRef<'a> {
    match value {
        None => ValueRef::Null,
        Some(Value::Text(text)) => ValueRef::Text(text.as_bytes()),
        Some(Value::Integer(value)) => ValueRef::Integer(*value),
        Some(Value::Real(value)) => ValueRef::Real(*value),
        Some(Value::Boolean(value)) => ValueRef::Integer(i64::from(*value)),
    }
}

fn text(text: Option<&str>) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(text.map_or(ValueRef::Null, |text| ValueRef::Text(text.as_bytes())))
}

/// Returns the type of a column in a STRICT table.
const fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Json => "TEXT",
        Kind::Integer | Kind::Boolean => "INTEGER",
        Kind::Real => "REAL",
    }
}

/// Returns a name as an identifier of SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Appends formatted text.
pub(crate) fn append(sql: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = sql.write_fmt(text);
}

/// The number of the first parameter for a column of the shape.
const FIRST_CELL: u32 = 8;
