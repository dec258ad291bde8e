//! The SQL of one table of records.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::{Error, ErrorKind};
use crate::fields::shape::{Kind, Shape};
use crate::store::PAGE;
use crate::store::postgres::link::Session;

/// The statements of a table, for rows of one shape.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) shape: Arc<Shape>,
    /// The shapes of all rows, by their numbers.
    pub(crate) shapes: HashMap<i64, Arc<Shape>>,
    pub(crate) identity: Kind,
    /// The columns of records that exist, in the order of the statements that read rows.
    pub(crate) columns: Vec<String>,
    pub(crate) copy: String,
    pub(crate) update: String,
    pub(crate) mark: String,
    pub(crate) erase: String,
    /// Empties the personal columns of rows that stay as they are otherwise.
    pub(crate) omit: String,
    /// Finds what is known of records by their identities.
    pub(crate) known: String,
    /// Reads what is known of the rows after a key.
    pub(crate) known_after: String,
    pub(crate) live_after: String,
    /// Reads rows by their keys.
    pub(crate) rows: String,
    /// Reads rows by their identities.
    pub(crate) rows_of: String,
    /// Reads rows; without a condition.
    pub(crate) select: String,
}

impl Table {
    /// Creates the statements of a table from its qualified name, the columns for new rows, the shapes of all rows, and the
    /// columns that exist.
    pub(crate) fn new(
        table: &str,
        shape: Arc<Shape>,
        shapes: HashMap<i64, Arc<Shape>>,
        columns: Vec<String>,
    ) -> Result<Self, Error> {
        let identity = shape.identity()?;
        let id = quoted(&identity.name);
        let fields: Vec<_> =
            shape.columns.iter().filter(|column| column.name != identity.name).collect();

        let names = listed(fields.iter().map(|column| &column.name));
        let copy = format!("COPY {table} ({id}, {INSERTED}{names}) FROM STDIN (FORMAT binary)");

        // Every value of an update is text, so that each column is one array.
        let (mut arrays, mut values, mut sets) = (String::new(), String::new(), String::new());
        for (column, number) in fields.iter().zip(FIRST_CELL..) {
            let (name, kind) = (quoted(&column.name), type_of(column.kind));
            append(&mut arrays, format_args!(", ${number}::text[]"));
            append(&mut values, format_args!(", c{number}"));
            append(&mut sets, format_args!(", {name} = v.c{number}::{kind}"));
        }
        let is_current = |name: &String| shape.columns.iter().any(|column| column.name == *name);
        for column in columns.iter().filter(|name| !is_current(name)) {
            append(&mut sets, format_args!(", {} = NULL", quoted(column)));
        }
        let update = format!(
            "UPDATE {table} SET {id} = v.id::{}, mirror_hash = v.hash, mirror_state = 'present', mirror_misses = 0, \
             mirror_shape = $7, mirror_changed_at = CASE WHEN v.is_changed THEN to_timestamp($8) \
             ELSE mirror_changed_at END, mirror_missing_since = NULL, mirror_gone_at = NULL, mirror_extra = v.extra, \
             mirror_nulls = v.nulls{sets} FROM UNNEST($1::bigint[], $2::text[], $3::bytea[], $4::boolean[], $5::text[], \
             $6::text[]{arrays}) AS v (key, id, hash, is_changed, extra, nulls{values}) WHERE mirror_key = v.key",
            type_of(identity.kind)
        );

        let mut erased = String::new();
        let kept = kept(&shapes);
        for column in
            columns.iter().filter(|name| **name != identity.name && !kept.contains(&***name))
        {
            append(&mut erased, format_args!(", {} = NULL", quoted(column)));
        }
        let known = format!(
            "SELECT mirror_key, mirror_hash, mirror_state, mirror_misses, mirror_shape, {id}::text FROM {table}"
        );
        let all = listed(columns.iter());
        let rows = format!(
            "SELECT mirror_key, mirror_hash, mirror_state, mirror_misses, mirror_shape, mirror_extra, mirror_nulls, \
             {}, {}, {}, {}{all} FROM {table}",
            seconds("mirror_first_seen"),
            seconds("mirror_changed_at"),
            seconds("mirror_missing_since"),
            seconds("mirror_gone_at")
        );
        let identity_kind = identity.kind;
        Ok(Self {
            identity: identity_kind,
            copy,
            update,
            mark: format!(
                "UPDATE {table} SET mirror_state = CASE v.misses WHEN 0 THEN 'present' ELSE 'missing' END, \
                 mirror_misses = v.misses, mirror_missing_since = CASE v.misses WHEN 0 THEN NULL \
                 ELSE coalesce(mirror_missing_since, to_timestamp($3)) END \
                 FROM UNNEST($1::bigint[], $2::integer[]) AS v (key, misses) WHERE mirror_key = v.key"
            ),
            omit: format!(
                "UPDATE {table} SET mirror_extra = one.extra, mirror_nulls = one.nulls{erased} \
                 FROM unnest($1, $2, $3) AS one (key, extra, nulls) WHERE mirror_key = one.key"
            ),
            erase: format!(
                "UPDATE {table} SET mirror_state = $2, mirror_gone_at = to_timestamp($3), mirror_misses = 0, \
                 mirror_hash = NULL, mirror_extra = NULL, mirror_nulls = NULL{erased} WHERE mirror_key = ANY($1)"
            ),
            known: format!("{known} WHERE {id} = ANY($1)"),
            known_after: format!("{known} WHERE mirror_key > $1 ORDER BY mirror_key LIMIT $2"),
            live_after: format!(
                "SELECT mirror_key, mirror_misses, {id}::text FROM {table} WHERE mirror_key > $1 \
                 AND {} ORDER BY mirror_key LIMIT {LIVE_PAGE}",
                is_in(&["'present'", "'missing'"])
            ),
            rows: format!("{rows} WHERE mirror_key = ANY($1)"),
            rows_of: format!("{rows} WHERE {id} = ANY($1)"),
            select: rows,
            shape,
            shapes,
            columns,
        })
    }
}

impl Table {
    /// Runs a statement whose parameter is an array of identities.
    pub(crate) fn find(
        &self,
        session: &mut Session,
        sql: &str,
        ids: &[String],
    ) -> Result<Vec<Row>, Error> {
        if self.identity == Kind::Integer {
            let ids: Vec<i64> = ids.iter().filter_map(|id| id.parse().ok()).collect();
            return session.query(sql, &[(&ids, Type::INT8_ARRAY)]);
        }
        // No identity has U+0000, and PostgreSQL refuses it.
        let ids: Vec<&String> = ids.iter().filter(|id| !id.contains('\0')).collect();
        session.query(sql, &[(&ids, Type::TEXT_ARRAY)])
    }
}

/// Returns the columns that stay when a record is erased: those that are listed, and that no shape calls personal.
fn kept(shapes: &HashMap<i64, Arc<Shape>>) -> BTreeSet<&str> {
    let columns = || shapes.values().flat_map(|shape| &shape.columns);
    let personal: BTreeSet<&str> =
        columns().filter(|column| column.is_personal).map(|column| &*column.name).collect();
    columns().map(|column| &*column.name).filter(|name| !personal.contains(name)).collect()
}

/// Returns the statement that creates a table.
pub(crate) fn create(table: &str, shape: &Shape) -> Result<String, Error> {
    let identity = shape.identity()?;
    let (id, kind) = (quoted(&identity.name), type_of(identity.kind));
    // Text is equal if its bytes are, in every locale of a database.
    let collation = if kind == "text" { " COLLATE \"C\"" } else { "" };
    let mut sql = format!(
        "CREATE TABLE {table} (mirror_key bigint PRIMARY KEY, {id} {kind}{collation} NOT NULL UNIQUE, mirror_hash bytea, \
         mirror_state text NOT NULL, mirror_misses integer NOT NULL, mirror_shape bigint NOT NULL"
    );
    for column in shape.columns.iter().filter(|column| column.name != identity.name) {
        append(&mut sql, format_args!(", {} {}", quoted(&column.name), type_of(column.kind)));
    }
    sql.push_str(
        ", mirror_extra text, mirror_nulls text, mirror_first_seen timestamptz NOT NULL, \
         mirror_changed_at timestamptz NOT NULL, mirror_missing_since timestamptz, mirror_gone_at timestamptz);",
    );
    sql.push_str(&without_statistics(table, "mirror_extra"));
    for column in shape.columns.iter().filter(|column| column.is_personal) {
        sql.push_str(&without_statistics(table, &column.name));
    }
    Ok(sql)
}

/// Returns the statements that add the columns which a table lacks. `existing` has names and types.
pub(crate) fn alter(
    table: &str,
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
            None => {
                let added = quoted(&column.name);
                append(
                    &mut sql,
                    format_args!("ALTER TABLE {table} ADD COLUMN {added} {expected};"),
                );
                if column.is_personal {
                    sql.push_str(&without_statistics(table, &column.name));
                }
            }
        }
    }
    Ok(sql)
}

/// The statistics of a column would keep samples of its values after an erasure.
fn without_statistics(table: &str, column: &str) -> String {
    format!("ALTER TABLE {table} ALTER COLUMN {} SET STATISTICS 0;", quoted(column))
}

/// Returns the condition that a state is one of these. Before its first statistics, a database takes a plain `IN` for so rare
/// that it would read and sort the whole table for each page.
pub(crate) fn is_in<T: Borrow<str>>(states: &[T]) -> String {
    format!("CASE WHEN mirror_state IN ({}) THEN TRUE ELSE FALSE END", states.join(", "))
}

/// Returns the expression of a time in seconds since 1970.
pub(crate) fn seconds(column: &str) -> String {
    format!("extract(epoch FROM {column})::bigint")
}

pub(crate) const fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Json => "text",
        Kind::Integer => "bigint",
        Kind::Real => "double precision",
        Kind::Boolean => "boolean",
    }
}

/// Returns columns for a list that has others before.
fn listed(columns: impl Iterator<Item = impl AsRef<str>>) -> String {
    columns.fold(String::new(), |sql, column| sql + ", " + &quoted(column.as_ref()))
}

/// Returns a name as an identifier of SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) fn append(sql: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = sql.write_fmt(text);
}

/// The columns of each new row, after its identity.
const INSERTED: &str = "mirror_key, mirror_hash, mirror_state, mirror_misses, mirror_shape, mirror_first_seen, \
                        mirror_changed_at, mirror_extra, mirror_nulls";

/// The number of the columns in `INSERTED`, with the identity.
pub(crate) const FIXED: usize = 10;

/// The number of the first parameter for a column of the shape, in an update.
const FIRST_CELL: u32 = 9;

/// Maximum number of records in an answer to `live_after`. Each answer is a round trip.
const LIVE_PAGE: usize = PAGE * 16;
