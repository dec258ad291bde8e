//! Checkpoints: the state of a table as one Parquet file, so that readers need not read every commit.

use std::sync::Arc;

use arrow_json::ReaderBuilder;
use arrow_json::writer::LineDelimitedWriter;
use arrow_schema::{DataType, Field, Fields, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::delta::action::Action;
use crate::delta::log::{Hint, LAST_CHECKPOINT, actions, checkpoint_file};
use crate::error::{Error, ErrorKind, unwritable};
use crate::place::Place;

/// Writes the actions that lead to a version as its checkpoint.
pub(crate) fn write(table: &Place, version: i64, all: &[Action]) -> Result<(), Error> {
    let schema = Arc::new(schema());
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema))
        .with_batch_size(all.len())
        .build_decoder()
        .map_err(unwritable)?;
    decoder.serialize(all).map_err(unwritable)?;
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, None).map_err(unwritable)?;
    if let Some(batch) = decoder.flush().map_err(unwritable)? {
        writer.write(&batch).map_err(unwritable)?;
    }
    let file = writer.into_inner().map_err(unwritable)?;
    table.write(&checkpoint_file(version), file.into())?;
    let hint = Hint { version, size: i64::try_from(all.len()).unwrap_or(i64::MAX) };
    table.write(LAST_CHECKPOINT, serde_json::to_vec(&hint).map_err(unwritable)?.into())
}

/// Reads the actions of a checkpoint.
pub(crate) fn read(file: Bytes) -> Result<Vec<Action>, Error> {
    let damaged = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::new(ErrorKind::Log, "cannot read a checkpoint").because(error)
    };
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(ParquetRecordBatchReaderBuilder::build)
        .map_err(|error| damaged(error.into()))?;
    let mut lines = LineDelimitedWriter::new(Vec::new());
    for batch in reader {
        let batch = batch.map_err(|error| damaged(error.into()))?;
        lines.write(&batch).map_err(|error| damaged(error.into()))?;
    }
    lines.finish().map_err(|error| damaged(error.into()))?;
    actions(&lines.into_inner().into()).map_err(|error| damaged(error.into()))
}

/// Returns the schema of a checkpoint.
fn schema() -> Schema {
    let text = |name| Field::new(name, DataType::Utf8, true);
    let long = |name| Field::new(name, DataType::Int64, true);
    let int = |name| Field::new(name, DataType::Int32, true);
    let flag = |name| Field::new(name, DataType::Boolean, true);
    let texts = |name| {
        let element = Field::new("element", DataType::Utf8, true);
        Field::new(name, DataType::List(Arc::new(element)), true)
    };
    let map = |name| {
        let entry = [Field::new("key", DataType::Utf8, false), text("value")];
        let entries =
            Field::new("key_value", DataType::Struct(Fields::from(entry.to_vec())), false);
        Field::new(name, DataType::Map(Arc::new(entries), false), true)
    };
    let group = |name, fields: Vec<Field>| Field::new(name, DataType::Struct(fields.into()), true);
    Schema::new(vec![
        group("txn", vec![text("appId"), long("version")]),
        group(
            "add",
            vec![
                text("path"),
                map("partitionValues"),
                long("size"),
                long("modificationTime"),
                flag("dataChange"),
                text("stats"),
                map("tags"),
            ],
        ),
        group("remove", vec![text("path"), long("deletionTimestamp"), flag("dataChange")]),
        group(
            "metaData",
            vec![
                text("id"),
                text("name"),
                group("format", vec![text("provider"), map("options")]),
                text("schemaString"),
                texts("partitionColumns"),
                map("configuration"),
                long("createdTime"),
            ],
        ),
        group(
            "protocol",
            vec![
                int("minReaderVersion"),
                int("minWriterVersion"),
                texts("readerFeatures"),
                texts("writerFeatures"),
            ],
        ),
    ])
}
