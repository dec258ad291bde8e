//! Copies a mirror: one Parquet file for each table, which is replaced atomically.

use std::collections::HashMap;

use chrono::DateTime;
use methodical_mirror::model::tables::{FieldType, Table};
use methodical_mirror::{CopyColumn, CopyKind, CopySource, CopyTable, CopyValue, Mirror};

use crate::error::Error;
use crate::fields::{civil, decimal};
use crate::file::{Column, File, Kind, Upload, Value};
use crate::place::Place;

/// A copy of the tables of a mirror.
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
    /// The types of the fields whose texts have another type, by table and column.
    types: HashMap<(String, String), FieldType>,
    decimals: bool,
}

impl Copy {
    /// Creates a copy of all tables. The descriptions of tables say which texts are civil times and decimal numbers.
    pub fn new(tables: &[&'static Table]) -> Self {
        let columns = tables.iter().flat_map(|table| {
            let of = |column: &methodical_mirror::model::tables::Column| {
                ((table.name().to_owned(), column.path().join("_")), column.field_type())
            };
            table.columns().iter().map(of)
        });
        Self { types: columns.collect(), decimals: false }
    }

    /// Adds a column `<field>_decimal` for each decimal number, of the type `DECIMAL(38, 9)`. It is null if the text is not a plain
    /// decimal number, or has more digits. The text stays in its own column.
    pub fn decimals(self) -> Self {
        Self { decimals: true, ..self }
    }

    /// Writes each table to a file of the place, such as `photo.parquet`, all from one state of the mirror. Each file is replaced
    /// when it is complete. Returns the names of the tables and the numbers of their rows.
    ///
    /// The mirror remembers the copy under the URL of the place, so that [`forget`](Mirror::forget) names it.
    ///
    /// # Errors
    ///
    /// Fails if the mirror or the place does. The files that were not replaced have their former contents then.
    pub fn run(&self, mirror: &mut Mirror, place: &Place) -> Result<Vec<(String, u64)>, Error> {
        let source = mirror.begin_copy(&place.to_string())?;
        place.sweep();
        let tables = source.tables()?;
        let written = tables.iter().map(|table| self.write(&source, table, place));
        let written = written.collect::<Result<_, _>>()?;
        mirror.end_copy(source)?;
        Ok(written)
    }

    fn write(
        &self,
        source: &CopySource,
        table: &CopyTable,
        place: &Place,
    ) -> Result<(String, u64), Error> {
        let typed = |column: &CopyColumn| {
            let key = (table.name.clone(), column.name.clone());
            match self.types.get(&key) {
                Some(FieldType::DateTime) => Some(Kind::Civil),
                Some(FieldType::Decimal) if self.decimals => Some(Kind::Decimal),
                _ => None,
            }
        };
        let typed: Vec<Option<Kind>> = table.columns.iter().map(typed).collect();
        let mut columns = Vec::new();
        for (column, typed) in table.columns.iter().zip(&typed) {
            columns.push(Column::new(&column.name, kind(column.kind)));
            let suffix = if *typed == Some(Kind::Civil) { "at" } else { "decimal" };
            let name = format!("{}_{suffix}", column.name);
            columns.extend(typed.map(|kind| Column::new(&name, kind)));
        }
        let upload = Upload::new(place, &format!("{}.parquet", table.name));
        let mut file = File::new(upload, &columns)?;
        source.each_row(table, |values| {
            let mut row = Vec::with_capacity(columns.len());
            for ((value, column), typed) in values.iter().zip(&table.columns).zip(&typed) {
                row.push(cell(*value, column.kind));
                row.extend(typed.map(|kind| match (value, kind) {
                    (CopyValue::Text(text), Kind::Civil) => civil(text).map(Value::Time),
                    (CopyValue::Text(text), _) => decimal(text).map(Value::Decimal),
                    _ => None,
                }));
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
