//! The columns of records, and the C stream interface of Arrow.

use std::error::Error as _;
use std::slice::IterMut;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::{iter, mem};

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int64Builder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use gateway_client::Error;
use gateway_client::model::tables::{Column, ColumnKind, FieldType};
use jiff::civil::DateTime;
use methodical_model::codegen;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde::Serialize;
use serde_json::Value;

use crate::error::of_call;
use crate::feed::Feed;

/// Creates the exception for an error, which may wrap the error of a call.
fn raised(py: Python<'_>, error: &ArrowError) -> PyErr {
    let call = error.source().and_then(|source| source.downcast_ref::<Error>());
    call.map_or_else(|| PyRuntimeError::new_err(error.to_string()), |call| of_call(py, call))
}

/// The batches of a list, which a thread produces.
pub(crate) struct Batches {
    schema: SchemaRef,
    /// The first batch, which has already arrived.
    first: Option<RecordBatch>,
    rest: Feed<Result<RecordBatch, ArrowError>>,
}

impl Batches {
    /// Starts reading a list on a thread and waits for the first batch. After that, the thread does not need Python.
    pub(crate) fn start(
        py: Python<'_>,
        columns: &'static [Column],
        read: impl FnOnce(&mut Rows<'_>) -> Result<(), ArrowError> + Send + 'static,
    ) -> PyResult<Self> {
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let of_thread = Arc::clone(&schema);
        let rest = Feed::start(1, move |sender| {
            let mut rows = Rows {
                columns: columns.iter().map(Builder::new).collect(),
                rows: 0,
                schema: of_thread,
                sender,
            };
            if let Err(error) = read(&mut rows).and_then(|()| rows.flush()) {
                sender.send(Err(error)).ok();
            }
        })?;
        let mut batches = Self { schema, first: None, rest };
        batches.first = batches.next(py)?;
        Ok(batches)
    }

    fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        self.rest.wait(py, 1)?.pop().transpose().map_err(|error| raised(py, &error))
    }

    /// Waits for all batches and returns them as a table.
    pub(crate) fn collect(self, py: Python<'_>) -> PyResult<Table> {
        let mut batches: Vec<_> = self.first.iter().cloned().collect();
        while let Some(batch) = self.next(py)? {
            batches.push(batch);
        }
        Ok(Table { schema: self.schema, batches })
    }

    /// Returns a stream that reads each batch when the caller requests it.
    pub(crate) fn capsule(self, py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
        let Self { schema, first, rest } = self;
        let rest = iter::from_fn(move || rest.next())
            .map(|batch| batch.unwrap_or_else(|why| Err(ArrowError::CDataInterface(why.into()))));
        capsule(py, RecordBatchIterator::new(first.into_iter().map(Ok).chain(rest), schema))
    }
}

/// All batches of a list.
#[pyclass(frozen, module = "gateway._native")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A reader must accept the schema that we offer.
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        capsule(py, RecordBatchIterator::new(batches, Arc::clone(&self.schema)))
    }
}

fn capsule(
    py: Python<'_>,
    batches: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn field(column: &Column) -> Field {
    let kind = match (column.kind(), column.field_type()) {
        (_, FieldType::DateTime) => DataType::Timestamp(TimeUnit::Microsecond, None),
        (ColumnKind::Integer, _) => DataType::Int64,
        (ColumnKind::Boolean, _) => DataType::Boolean,
        _ => DataType::Utf8,
    };
    Field::new(column.path().join("_"), kind, true)
}

/// Collects records into batches.
pub(crate) struct Rows<'a> {
    columns: Vec<Builder>,
    rows: usize,
    schema: SchemaRef,
    sender: &'a SyncSender<Result<RecordBatch, ArrowError>>,
}

/// Appends the values of a record, in the order of the columns.
pub(crate) struct Row<'a>(IterMut<'a, Builder>);

impl Rows<'_> {
    pub(crate) fn row(&mut self) -> Row<'_> {
        Row(self.columns.iter_mut())
    }

    pub(crate) fn end_row(&mut self) -> Result<(), ArrowError> {
        self.rows += 1;
        if self.rows < BATCH { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), ArrowError> {
        if mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)?;
        self.sender.send(Ok(batch)).map_err(|error| ArrowError::CDataInterface(error.to_string()))
    }
}

/// Maximum number of records in a batch.
const BATCH: usize = 32 * 1024;

impl Row<'_> {
    /// Appends a string.
    pub(crate) fn text(&mut self, text: Option<&str>) {
        match self.0.next() {
            Some(Builder::Text(to)) => to.append_option(text),
            Some(Builder::Time(to)) => to.append_option(text.and_then(micros)),
            _ => {}
        }
    }

    /// Appends a value that is not a string.
    #[expect(dead_code, reason = "all fields of the contract are text")]
    pub(crate) fn value(&mut self, value: &impl Serialize) {
        let value = serde_json::to_value(value).unwrap_or_default();
        match self.0.next() {
            Some(Builder::Integer(to)) => to.append_option(value.as_i64()),
            Some(Builder::Boolean(to)) => to.append_option(value.as_bool()),
            Some(Builder::Time(to)) => to.append_option(value.as_str().and_then(micros)),
            Some(Builder::Text(to)) => match value {
                Value::Null => to.append_null(),
                Value::String(text) => to.append_value(text),
                other => to.append_value(other.to_string()),
            },
            None => {}
        }
    }
}

/// Converts a date and time without a time zone to microseconds since 1970-01-01; `None` if the text is not a date and
/// time that exists.
fn micros(text: &str) -> Option<i64> {
    let time = codegen::date_time(text, "date").ok()?;
    i64::try_from(time.duration_since(EPOCH).as_micros()).ok()
}

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

enum Builder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Boolean(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
}

impl Builder {
    fn new(column: &Column) -> Self {
        match field(column).data_type() {
            DataType::Int64 => Self::Integer(Int64Builder::new()),
            DataType::Boolean => Self::Boolean(BooleanBuilder::new()),
            DataType::Timestamp(..) => Self::Time(TimestampMicrosecondBuilder::new()),
            _ => Self::Text(StringBuilder::new()),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => {
                // The next batch is probably about as large.
                let bytes = builder.values_slice().len();
                let next = StringBuilder::with_capacity(BATCH, bytes + bytes / 16);
                ArrayBuilder::finish(&mut mem::replace(builder, next))
            }
            Self::Integer(builder) => ArrayBuilder::finish(builder),
            Self::Boolean(builder) => ArrayBuilder::finish(builder),
            Self::Time(builder) => ArrayBuilder::finish(builder),
        }
    }
}
