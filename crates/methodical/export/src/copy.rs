//! Copies a mirror: one Parquet file for each table, which is replaced atomically.

use std::collections::HashSet;

use chrono::DateTime;
use methodical_mirror::model::tables::{FieldType, Table};
use methodical_mirror::{CopyColumn, CopyKind, CopySource, CopyTable, CopyValue, Mirror};

use crate::error::Error;
use crate::fields::civil;
use crate::file::{Column, File, Kind, Upload, Value};
use crate::place::Place;

/// A copy of a mirror's tables.
///
/// ```no_run
/// use methodical_export::{Copy, Place};
/// use methodical_mirror::Mirror;
/// use methodical_mirror::model::tables::Table;
///
/// fn copy(mirror: &mut Mirror, tables: &[&'static Table]) -> Result<(), methodical_export::Error> {
///     let place = Place::open("s3://archive/photos")?;
///     for (table, rows) in Copy::new(tables).run(mirror, &place)? {
///         println!("{table}: {rows} rows");
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Copy {
    /// The table name and column name of each string that may be a civil time.
    times: HashSet<(String, String)>,
}

impl Copy {
    /// Creates a copy of all tables. Their descriptions say which strings are civil times.
    pub fn new(tables: &[&'static Table]) -> Self {
        let times = tables.iter().flat_map(|table| {
            let columns = table.columns().iter();
            let times = columns.filter(|column| column.field_type() == FieldType::DateTime);
            times.map(|column| (table.name().to_owned(), column.path().join("_")))
        });
        Self { times: times.collect() }
    }

    /// Writes each table to a file in `place`, such as `photo.parquet`. All files contain the same state of the mirror.
    /// Each file replaces the previous one only once it is complete. Returns the name of each table and its number of
    /// rows.
    ///
    /// The mirror remembers the copy under the URL of the place, so that [`forget`](Mirror::forget) names it.
    ///
    /// # Errors
    ///
    /// Fails if the mirror cannot be read or updated, or if a file cannot be written. Files that were not replaced keep
    /// their previous contents.
    pub fn run(&self, mirror: &mut Mirror, place: &Place) -> Result<Vec<(String, u64)>, Error> {
        mirror.copy(&place.to_string(), |source| {
            place.sweep();
            source.tables()?.iter().map(|table| self.write(source, table, place)).collect()
        })
    }

    fn write(
        &self,
        source: &CopySource,
        table: &CopyTable,
        place: &Place,
    ) -> Result<(String, u64), Error> {
        let has_time =
            |column: &CopyColumn| self.times.contains(&(table.name.clone(), column.name.clone()));
        let times: Vec<bool> = table.columns.iter().map(has_time).collect();
        let mut columns = Vec::new();
        for (column, has_time) in table.columns.iter().zip(&times) {
            columns.push(Column::new(&column.name, kind(column.kind)));
            if *has_time {
                columns.push(Column::new(&format!("{}_at", column.name), Kind::Civil));
            }
        }
        let upload = Upload::new(place, &format!("{}.parquet", table.name));
        let mut file = File::new(upload, &columns)?;
        source.each_row(table, |values| {
            let mut row = Vec::with_capacity(columns.len());
            for ((value, column), has_time) in values.iter().zip(&table.columns).zip(&times) {
                row.push(cell(*value, column.kind));
                if *has_time {
                    row.push(match value {
                        CopyValue::Text(text) => civil(text).map(Value::Time),
                        _ => None,
                    });
                }
            }
            file.push(&row)
        })?;
        let rows = file.count();
        file.finish()?.finish()?;
        Ok((table.name.clone(), rows))
    }
}

fn kind(kind: CopyKind) -> Kind {
    match kind {
        CopyKind::Integer => Kind::Integer,
        CopyKind::Boolean => Kind::Boolean,
        CopyKind::Time => Kind::Time,
        _ => Kind::Text,
    }
}

fn cell(value: CopyValue<'_>, kind: CopyKind) -> Option<Value<'_>> {
    Some(match (value, kind) {
        (CopyValue::Integer(number), CopyKind::Boolean) => Value::Boolean(number != 0),
        (CopyValue::Integer(number), _) => Value::Integer(number),
        (CopyValue::Text(text), CopyKind::Time) => {
            Value::Time(DateTime::parse_from_rfc3339(text).ok()?.timestamp_micros())
        }
        (CopyValue::Text(text), _) => Value::Text(text),
        _ => return None,
    })
}
