//! The columns of a Parquet file, and the batch that collects their values.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Decimal128Builder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::error::{Error, ErrorKind, unwritable};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Real,
    Boolean,
    /// A time in UTC.
    Time,
    /// A civil time without a zone.
    Civil,
    /// A decimal number of [`PRECISION`] digits, [`SCALE`] of them after the point.
    Decimal,
}

/// Number of digits of a decimal number.
pub(crate) const PRECISION: u8 = 38;

/// Number of digits after the point of a decimal number. `BigQuery`, Snowflake and Spark have a type of this size.
pub(crate) const SCALE: i8 = 9;

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

impl Column {
    pub(crate) fn new(name: &str, kind: Kind) -> Self {
        // Delta Lake refuses these characters in names.
        let name = name.replace([' ', ',', ';', '{', '}', '(', ')', '\n', '\t', '='], "_");
        Self { name, kind }
    }
}

/// Returns the columns as a schema of Arrow.
///
/// Fails if two names differ at most in case: most readers do not distinguish them.
pub(crate) fn schema(columns: &[Column]) -> Result<SchemaRef, Error> {
    let mut names: Vec<_> = columns.iter().map(|column| column.name.to_lowercase()).collect();
    names.sort();
    if let Some([name, _]) = names.windows(2).find(|pair| matches!(pair, [one, two] if one == two))
    {
        let text = format!("cannot write Parquet: two columns are named `{name}`");
        return Err(Error::new(ErrorKind::Data, text));
    }
    let field = |column: &Column| {
        let kind = match column.kind {
            Kind::Text => DataType::Utf8,
            Kind::Integer => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Boolean => DataType::Boolean,
            Kind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC"))),
            Kind::Civil => DataType::Timestamp(TimeUnit::Microsecond, None),
            Kind::Decimal => DataType::Decimal128(PRECISION, SCALE),
        };
        Field::new(&column.name, kind, true)
    };
    Ok(Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>())))
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Integer(i64),
    Real(f64),
    Boolean(bool),
    /// In microseconds since 1970: of UTC, or without a zone.
    Time(i64),
    /// In units of the last digit after the point.
    Decimal(i128),
}

/// Rows that become a batch of a file.
#[derive(Debug)]
pub(crate) struct Rows {
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
    /// The size of the texts.
    bytes: usize,
}

impl Rows {
    pub(crate) fn new(columns: &[Column], schema: SchemaRef) -> Self {
        let columns = columns.iter().map(|column| Builder::new(column.kind)).collect();
        Self { schema, columns, rows: 0, bytes: 0 }
    }

    /// Appends a row, which has one value for each column. A value of another type is null.
    pub(crate) fn push(&mut self, row: &[Option<Value<'_>>]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(Value::Text(text)) = value {
                self.bytes += text.len();
            }
            column.push(*value);
        }
        self.rows += 1;
    }

    /// Returns whether the rows should be taken.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES
    }

    /// Returns the rows, and begins with none again.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, Error> {
        (self.rows, self.bytes) = (0, 0);
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(unwritable)
    }
}

/// Maximum number of rows of a batch.
const MAX_ROWS: usize = 8192;

/// Size of the texts of a batch after which it is written, in bytes.
const MAX_BYTES: usize = 4 << 20;

#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Real(Float64Builder),
    Boolean(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    Decimal(Decimal128Builder),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Integer => Self::Integer(Int64Builder::new()),
            Kind::Real => Self::Real(Float64Builder::new()),
            Kind::Boolean => Self::Boolean(BooleanBuilder::new()),
            Kind::Time => Self::Time(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
            Kind::Civil => Self::Time(TimestampMicrosecondBuilder::new()),
            Kind::Decimal => Self::Decimal(
                Decimal128Builder::new().with_data_type(DataType::Decimal128(PRECISION, SCALE)),
            ),
        }
    }

    fn push(&mut self, value: Option<Value<'_>>) {
        match (self, value) {
            (Self::Text(to), Some(Value::Text(text))) => to.append_value(text),
            (Self::Text(to), _) => to.append_null(),
            (Self::Integer(to), Some(Value::Integer(value))) => to.append_value(value),
            (Self::Integer(to), _) => to.append_null(),
            (Self::Real(to), Some(Value::Real(value))) => to.append_value(value),
            (Self::Real(to), _) => to.append_null(),
            (Self::Boolean(to), Some(Value::Boolean(value))) => to.append_value(value),
            (Self::Boolean(to), _) => to.append_null(),
            (Self::Time(to), Some(Value::Time(value))) => to.append_value(value),
            (Self::Time(to), _) => to.append_null(),
            (Self::Decimal(to), Some(Value::Decimal(value))) => to.append_value(value),
            (Self::Decimal(to), _) => to.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => ArrayBuilder::finish(builder),
            Self::Integer(builder) => ArrayBuilder::finish(builder),
            Self::Real(builder) => ArrayBuilder::finish(builder),
            Self::Boolean(builder) => ArrayBuilder::finish(builder),
            Self::Time(builder) => ArrayBuilder::finish(builder),
            Self::Decimal(builder) => ArrayBuilder::finish(builder),
        }
    }
}
