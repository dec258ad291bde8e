//! A Parquet file that is written in bounded memory, and the upload that sends it as it grows.

use std::io::{self, Write};
use std::sync::Arc;
use std::{fmt, mem};

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use object_store::{MultipartUpload, ObjectStoreExt as _};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::error::{Error, ErrorKind, unwritable};
use crate::place::Place;

/// A Parquet file under construction.
pub(crate) struct File<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: Rows,
    count: u64,
}

impl<W: Write + Send> File<W> {
    /// Starts a file with these columns.
    pub(crate) fn new(out: W, columns: &[Column]) -> Result<Self, Error> {
        let schema = schema(columns)?;
        let rows = Rows::new(columns, Arc::clone(&schema));
        Ok(Self { writer: writer(out, schema, columns)?, rows, count: 0 })
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &[Option<Value<'_>>]) -> Result<(), Error> {
        self.rows.push(row);
        self.count += 1;
        if self.rows.is_full() { self.write_rows() } else { Ok(()) }
    }

    /// Returns how many rows were appended.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the output to which the file is written.
    pub(crate) fn out(&mut self) -> &mut W {
        self.writer.inner_mut()
    }

    /// Writes the rest of the file and returns its output.
    pub(crate) fn finish(mut self) -> Result<W, Error> {
        self.write_rows()?;
        self.writer.into_inner().map_err(unwritable)
    }

    fn write_rows(&mut self) -> Result<(), Error> {
        self.writer.write(&self.rows.take()?).map_err(unwritable)?;
        if self.writer.memory_size() >= GROUP_BYTES {
            self.writer.flush().map_err(unwritable)?;
        }
        Ok(())
    }
}

impl<W: Write + Send> fmt::Debug for File<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("count", &self.count).finish_non_exhaustive()
    }
}

fn writer<W: Write + Send>(
    out: W,
    schema: SchemaRef,
    columns: &[Column],
) -> Result<ArrowWriter<W>, Error> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_created_by("gateway".to_owned());
    for column in columns.iter().filter(|column| column.kind == Kind::Text) {
        // Statistics about text are of little use and may contain long values.
        let path = ColumnPath::new(vec![column.name.clone()]);
        properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    ArrowWriter::try_new(out, schema, Some(properties.build())).map_err(unwritable)
}

/// Maximum number of rows in a row group.
const GROUP_ROWS: usize = 131_072;

/// Size in memory at which a row group is written, in bytes.
const GROUP_BYTES: usize = 32 << 20;

/// A file in an object store, which appears only when it is complete. If this is dropped before
/// [`finish`](Self::finish), no file appears.
///
/// ```no_run
/// use std::io::Write as _;
///
/// use methodical_export::Upload;
///
/// let mut upload = Upload::open("s3://archive/photos.ndjson")?;
/// writeln!(upload, r#"{{"id":"007"}}"#)?;
/// upload.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Upload {
    place: Place,
    name: String,
    held: Vec<u8>,
    sent: Option<Box<dyn MultipartUpload>>,
}

impl Upload {
    /// Starts the file that a URL names. All URLs of [`Place::open`] are supported except `file://`, where a killed
    /// program would leave an unfinished file behind.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Place::open`], and [`ErrorKind::Url`](crate::ErrorKind::Url) if the URL names no file.
    pub fn open(url: &str) -> Result<Self, Error> {
        let refused =
            |why: &str| Error::new(ErrorKind::Url, format!("cannot write to a URL: {why}"));
        if !url.contains("://") || url.starts_with("file:") {
            return Err(refused("it does not point to an object store"));
        }
        let place = Place::open(url)?;
        if url.ends_with('/') || place.is_root() {
            return Err(refused("it names no file"));
        }
        Ok(Self::new(&place, ""))
    }

    /// Starts a file in a place.
    pub(crate) fn new(place: &Place, name: &str) -> Self {
        let (place, name) = (place.clone(), name.to_owned());
        Self { place, name, held: Vec::new(), sent: None }
    }

    /// Completes the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Store`](crate::ErrorKind::Store) if the object store fails. No file appears in that case.
    pub fn finish(mut self) -> Result<(), Error> {
        let rest = mem::take(&mut self.held);
        if self.sent.is_none() {
            let path = self.place.path(&self.name);
            return self
                .place
                .run(|store| async move { store.put(&path, rest.into()).await.map(drop) });
        }
        if !rest.is_empty() {
            self.send(rest)?;
        }
        match self.sent.take() {
            Some(mut sent) => self.place.run(|_| async move { sent.complete().await.map(drop) }),
            None => Ok(()),
        }
    }

    fn send(&mut self, part: Vec<u8>) -> Result<(), Error> {
        let sent = if let Some(sent) = &mut self.sent {
            sent
        } else {
            let path = self.place.path(&self.name);
            let begun = self.place.run(|store| async move { store.put_multipart(&path).await })?;
            self.sent.insert(begun)
        };
        let part = sent.put_part(part.into());
        self.place.run(|_| part)
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Some stores require parts of equal size. The last part is held back until the end, because a file that fits
        // one part needs no multipart upload.
        if self.held.len() >= PART {
            let part = mem::take(&mut self.held);
            self.send(part).map_err(io::Error::other)?;
        }
        let taken = bytes.len().min(PART.saturating_sub(self.held.len()));
        self.held.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut sent) = self.sent.take() {
            // The original failure is more useful.
            drop(self.place.run(|_| async move { sent.abort().await }));
        }
    }
}

/// Size of an upload part, in bytes. S3 accepts 10,000 parts.
const PART: usize = 8 << 20;

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
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

impl Column {
    pub(crate) fn new(name: &str, kind: Kind) -> Self {
        // Spark and Delta Lake refuse these characters in names.
        let name = name.replace([' ', ',', ';', '{', '}', '(', ')', '\n', '\t', '='], "_");
        Self { name, kind }
    }
}

/// Returns the columns as an Arrow schema.
///
/// Fails if two names are equal ignoring case, because most readers do not distinguish them.
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
    /// Microseconds since 1970, in UTC or without a zone.
    Time(i64),
}

/// Collects rows into a batch of a file.
#[derive(Debug)]
pub(crate) struct Rows {
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
    /// The size of the text in the batch, in bytes.
    bytes: usize,
}

impl Rows {
    pub(crate) fn new(columns: &[Column], schema: SchemaRef) -> Self {
        let columns = columns.iter().map(|column| Builder::new(column.kind)).collect();
        Self { schema, columns, rows: 0, bytes: 0 }
    }

    /// Appends a row, with one value for each column. A value of the wrong type becomes null.
    pub(crate) fn push(&mut self, row: &[Option<Value<'_>>]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(Value::Text(text)) = value {
                self.bytes += text.len();
            }
            column.push(*value);
        }
        self.rows += 1;
    }

    /// Returns whether the batch is full.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES
    }

    /// Returns the rows and starts a new batch.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, Error> {
        (self.rows, self.bytes) = (0, 0);
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(unwritable)
    }
}

/// Maximum number of rows in a batch.
const MAX_ROWS: usize = 8192;

/// Size of a batch's text at which the batch is written, in bytes.
const MAX_BYTES: usize = 4 << 20;

#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Real(Float64Builder),
    Boolean(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
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
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => ArrayBuilder::finish(builder),
            Self::Integer(builder) => ArrayBuilder::finish(builder),
            Self::Real(builder) => ArrayBuilder::finish(builder),
            Self::Boolean(builder) => ArrayBuilder::finish(builder),
            Self::Time(builder) => ArrayBuilder::finish(builder),
        }
    }
}
