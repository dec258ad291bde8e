//! Reads, marks and erases the rows of records.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Row as SqlRow;
use rusqlite::types::{FromSqlError, ValueRef};

use crate::error::{Error, ErrorKind, debug_with, named};
use crate::fields::row::{Row, Value};
use crate::fields::{Hash, Kind, Shape};
use crate::store::filter::Filter;
use crate::store::page::Paging;
use crate::store::{OrFailed as _, Store, quoted, utc};

/// The state of a record, which depends on the lists that contained or lacked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// It was in the last complete list.
    Present,
    /// It was absent from the last complete list.
    Missing,
    /// It was absent from two complete lists in a row, so that it counts as deleted. Its personal fields are erased.
    Gone,
    /// It was erased on request, and later lists do not bring it back.
    Forgotten,
}

named!(State: Present = "present", Missing = "missing", Gone = "gone", Forgotten = "forgotten");

impl State {
    /// Returns whether the record is present or missing, so that it has contents.
    pub(crate) const fn is_live(self) -> bool {
        matches!(self, Self::Present | Self::Missing)
    }
}

/// The mirror's knowledge of a record before it compares the record with the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The number of the record's row.
    pub(crate) key: i64,
    pub(crate) state: State,
    /// The number of the shape with which the row was written.
    pub(crate) shape: i64,
    /// The hash of its contents; `None` if it is erased, or an older release wrote it.
    pub(crate) hash: Option<Hash>,
}

/// A record of a table.
///
/// All times are in seconds since 1970 (UTC), by the clock of the program that synced.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The number of the row, in insertion order. Numbers start at 1, and a later row has a larger number.
    pub number: i64,
    /// The record's identity.
    pub id: String,
    /// The record's state.
    pub state: State,
    /// When a list contained the record for the first time.
    pub first_seen: i64,
    /// When a list last contained the record with a changed meaning; initially, when the record was first seen.
    pub changed_at: i64,
    /// When the first of the consecutive complete lists without the record was received; `None` if it is present.
    pub missing_since: Option<i64>,
    /// When the record became gone or forgotten; `None` if it is neither.
    pub gone_at: Option<i64>,
    /// The record as JSON text. If it is gone or forgotten, it has no personal or unlisted fields.
    pub json: String,
}

// Does not show the record, which may be personal.
debug_with!(Record: number, id, state, first_seen, changed_at, missing_since, gone_at);

/// A record as the store has it.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// The record, without its JSON text.
    pub(crate) record: Record,
    pub(crate) row: Row<'static>,
    /// The columns with which the row was written.
    pub(crate) shape: Arc<Shape>,
    /// The hash of its contents, which is longer if an older release wrote it; `None` if it is erased.
    pub(crate) hash: Option<Vec<u8>>,
}

impl Stored {
    /// Returns whether the record has anything to erase.
    pub(crate) fn is_readable(&self) -> bool {
        let mut erased = self.row.clone();
        erased.erase(&self.shape);
        erased != self.row || self.hash.is_some()
    }

    pub(crate) fn into_record(mut self) -> Result<Record, Error> {
        // An earlier release kept a hash of personal values that it omitted.
        self.row.extra.take_if(|extra| extra.starts_with(r#"{"mirror_personal":"#));
        self.record.json = self.row.to_json(&self.shape)?;
        Ok(self.record)
    }
}

impl Store {
    /// Returns the known state of all records in a table, ordered by key.
    pub(crate) fn known(&self, table: &str) -> Result<Vec<Known>, Error> {
        let select = format!(
            "SELECT mirror_key, mirror_hash, mirror_state, mirror_shape FROM {} ORDER BY mirror_key",
            quoted(table)
        );
        self.query(&select, (), |row| {
            let hash = row.get_ref(1)?.as_blob_or_null()?;
            let state = state(row.get_ref(2)?)?;
            Ok(Known {
                key: row.get(0)?,
                // The next list replaces a damaged row.
                hash: hash
                    .filter(|_| state.is_some())
                    .and_then(|hash| hash.try_into().ok().map(Hash)),
                state: state.unwrap_or(State::Present),
                shape: row.get(3)?,
            })
        })
    }

    /// Returns the key, identity and state of each present or missing record of a table.
    pub(crate) fn live(&self, table: &str) -> Result<Vec<(i64, String, State)>, Error> {
        let select = format!(
            "SELECT mirror_key, {}, mirror_state = 'missing' FROM {} \
             WHERE mirror_state IN ('present', 'missing') ORDER BY mirror_key",
            quoted(&self.table(table)?.shape.identity()?.name),
            quoted(table)
        );
        self.query(&select, (), |row| {
            let state = if row.get(2)? { State::Missing } else { State::Present };
            Ok((row.get(0)?, id(row.get_ref(1)?), state))
        })
    }

    /// Returns a record by its identity; `None` if the record or its table does not exist.
    pub(crate) fn record(&self, table: &str, id: &str) -> Result<Option<Stored>, Error> {
        let table = match self.table(table) {
            Ok(table) => table,
            Err(error) if error.kind() == ErrorKind::Table => return Ok(None),
            Err(error) => return Err(error),
        };
        self.read(&table.row, (table.id(id),))
    }

    /// Returns the first record of a statement that selects all columns; `None` if the statement selects no rows.
    pub(crate) fn read(
        &self,
        select: &str,
        parameters: impl rusqlite::Params,
    ) -> Result<Option<Stored>, Error> {
        let mut found = None;
        self.read_each(select, parameters, |row| {
            found = Some(self.stored(row)?);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Passes the rows of a statement to `visit`, until it returns false.
    pub(crate) fn read_each(
        &self,
        select: &str,
        parameters: impl rusqlite::Params,
        mut visit: impl FnMut(&SqlRow<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut statement = self.connection.prepare_cached(select).or_failed()?;
        let mut rows = statement.query(parameters).or_failed()?;
        while let Some(row) = rows.next().or_failed()? {
            if !visit(row)? {
                break;
            }
        }
        Ok(())
    }

    /// Passes each record of a table that a filter accepts, in pages, so that `take` can change the mirror.
    pub(crate) fn each_record(
        &self,
        table: &str,
        filter: &Filter,
        mut take: impl FnMut(Stored) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut paging = Paging::new(PAGE);
        loop {
            let (page, next) = self.page(table, filter, &paging)?;
            page.into_iter().try_for_each(&mut take)?;
            match next {
                Some(_) => paging.after = next,
                None => return Ok(()),
            }
        }
    }

    /// Marks a record present or missing, without changing its fields.
    pub(crate) fn mark(&self, table: &str, key: i64, state: State, at: &str) -> Result<(), Error> {
        let update = format!(
            "UPDATE {} SET mirror_state = ?2, mirror_misses = ?3, mirror_missing_since = \
             CASE ?3 WHEN 0 THEN NULL ELSE ?4 END WHERE mirror_key = ?1",
            quoted(table)
        );
        let misses = u32::from(state == State::Missing);
        self.execute(&update, (key, state.as_str(), misses, at)).map(drop)
    }

    /// Empties a record's personal columns and everything without a column, sets its state, and updates the counts.
    pub(crate) fn erase(
        &self,
        table: &str,
        (key, former): (i64, State),
        state: State,
        at: i64,
    ) -> Result<(), Error> {
        let update = format!(
            "UPDATE {} SET mirror_state = ?2, mirror_gone_at = ?3, mirror_misses = 0, mirror_hash = NULL, \
             mirror_extra = NULL, mirror_nulls = NULL{} WHERE mirror_key = ?1",
            quoted(table),
            self.table(table)?.erased
        );
        self.execute(&update, (key, state.as_str(), utc(at)))?;
        if former.is_live() {
            let count = former.as_str();
            let update = format!(
                "UPDATE mirror_scope SET {count} = max({count} - 1, 0) WHERE table_name = ?1"
            );
            self.execute(&update, (table,))?;
            self.note_erasure()?;
        }
        Ok(())
    }

    /// Reads a record from a row with all columns, using the shape that the row was written with.
    pub(crate) fn stored(&self, row: &SqlRow<'_>) -> Result<Stored, Error> {
        let number = row.get("mirror_shape").or_failed()?;
        let mut shapes = self.shapes.borrow_mut();
        let shape = if let Some(shape) = shapes.get(&number) {
            Arc::clone(shape)
        } else {
            let select = "SELECT columns FROM mirror_shape WHERE number = ?1";
            let columns = self.query(select, (number,), |row| row.get::<_, String>(0))?;
            let shape = Arc::new(Shape::parse(columns.first().map_or("", |columns| columns))?);
            shapes.insert(number, Arc::clone(&shape));
            shape
        };
        stored(row, shape).or_failed()
    }
}

fn stored(row: &SqlRow<'_>, shape: Arc<Shape>) -> rusqlite::Result<Stored> {
    let identity = shape.columns.get(shape.identity).map_or("", |column| &*column.name);
    let cells = shape.columns.iter().map(|column| cell(row, &column.name, column.kind));
    let record = Record {
        number: row.get("mirror_key")?,
        id: id(row.get_ref(identity)?),
        state: state(row.get_ref("mirror_state")?)?.unwrap_or(State::Present),
        first_seen: time(row, "mirror_first_seen")?.unwrap_or_default(),
        changed_at: time(row, "mirror_changed_at")?.unwrap_or_default(),
        missing_since: time(row, "mirror_missing_since")?,
        gone_at: time(row, "mirror_gone_at")?,
        json: String::new(),
    };
    Ok(Stored {
        record,
        hash: row.get("mirror_hash")?,
        row: Row {
            cells: cells.collect::<Result<_, _>>()?,
            extra: row.get("mirror_extra")?,
            nulls: row.get("mirror_nulls")?,
        },
        shape,
    })
}

/// Reads a state; `None` if it is damaged.
fn state(value: ValueRef<'_>) -> rusqlite::Result<Option<State>> {
    Ok(std::str::from_utf8(value.as_bytes()?).ok().and_then(State::from_name))
}

pub(crate) fn id(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    }
}

/// Reads a time as seconds since 1970; `None` if the column is `NULL`.
fn time(row: &SqlRow<'_>, name: &str) -> rusqlite::Result<Option<i64>> {
    let text = row.get_ref(name)?.as_str_or_null()?;
    let time = text.map(str::parse::<Timestamp>).transpose();
    let damaged = |_error| FromSqlError::InvalidType;
    Ok(time.map_err(damaged)?.map(Timestamp::as_second))
}

fn cell(row: &SqlRow<'_>, name: &str, kind: Kind) -> rusqlite::Result<Option<Value<'static>>> {
    Ok(match kind {
        Kind::Text | Kind::Json => {
            row.get::<_, Option<String>>(name)?.map(|text| Value::Text(text.into()))
        }
        Kind::Integer => row.get::<_, Option<_>>(name)?.map(Value::Integer),
        Kind::Boolean => row.get::<_, Option<_>>(name)?.map(Value::Boolean),
    })
}

/// Maximum number of records that are read together.
pub(crate) const PAGE: usize = 512;
