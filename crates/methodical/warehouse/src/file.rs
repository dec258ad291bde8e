//! A Parquet file that is written in bounded memory, and the upload that sends it as it grows.

use std::io::{self, Write};
use std::sync::Arc;
use std::{fmt, mem};

use arrow_schema::SchemaRef;
use object_store::{MultipartUpload, ObjectStoreExt as _};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::columns::{Column, Kind, Rows, Value, schema};
use crate::error::{Error, ErrorKind, unwritable};
use crate::place::Place;

/// A Parquet file under construction.
pub(crate) struct File<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: Rows,
    count: u64,
}

impl<W: Write + Send> File<W> {
    /// Begins a file with these columns.
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

    /// Returns the number of rows.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the output.
    pub(crate) fn out(&mut self) -> &mut W {
        self.writer.inner_mut()
    }

    /// Writes the rest of the file, and returns its output.
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
        // Statistics of text have little use, and long values.
        let path = ColumnPath::new(vec![column.name.clone()]);
        properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
    }
    ArrowWriter::try_new(out, schema, Some(properties.build())).map_err(unwritable)
}

/// Maximum number of rows of a row group.
const GROUP_ROWS: usize = 131_072;

/// Memory of a row group after which it is written, in bytes.
const GROUP_BYTES: usize = 32 << 20;

/// A file of an object store that appears when it is complete. If it is dropped before, nothing appears.
///
/// ```no_run
/// use std::io::Write as _;
///
/// use methodical_warehouse::Upload;
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
    bytes: u64,
}

impl Upload {
    /// Begins the file that a URL names. Those of [`Place::open`] are supported, except `file://`: a program that is killed would leave an
    /// unfinished file beside it.
    ///
    /// # Errors
    ///
    /// Those of [`Place::open`], and [`ErrorKind::Url`](crate::ErrorKind::Url) if the URL names no file.
    pub fn open(url: &str) -> Result<Self, Error> {
        let refused =
            |why: &str| Error::new(ErrorKind::Url, format!("cannot write to a URL: {why}"));
        if !url.contains("://") || url.starts_with("file:") {
            return Err(refused("it is not that of an object store"));
        }
        let place = Place::open(url)?;
        if url.ends_with('/') || place.is_root() {
            return Err(refused("it names no file"));
        }
        Ok(Self::new(&place, ""))
    }

    /// Begins a file of a place.
    pub(crate) fn new(place: &Place, name: &str) -> Self {
        let (place, name) = (place.clone(), name.to_owned());
        Self { place, name, held: Vec::new(), sent: None, bytes: 0 }
    }

    /// Returns the number of bytes.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Completes the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the object store fails. Nothing appears then.
    pub fn finish(mut self) -> Result<(), Error> {
        let rest = mem::take(&mut self.held);
        if self.sent.is_none() {
            return self.place.write(&self.name, rest.into());
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
        // Some stores want parts of one size. The last one is sent at the end, because a file of one part needs no parts.
        if self.held.len() >= PART {
            let part = mem::take(&mut self.held);
            self.send(part).map_err(io::Error::other)?;
        }
        let taken = bytes.len().min(PART.saturating_sub(self.held.len()));
        self.held.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        self.bytes += u64::try_from(taken).unwrap_or_default();
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut sent) = self.sent.take() {
            // The failure that led here matters more.
            drop(self.place.run(|_| async move { sent.abort().await }));
        }
    }
}

/// Size of the parts of an upload, in bytes. S3 accepts 10,000 parts.
const PART: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::Upload;
    use crate::error::ErrorKind;
    use crate::place::Place;

    #[test]
    fn a_removed_upload_is_a_conflict() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::open(folder.path().to_str().unwrap()).unwrap();
        let mut upload = Upload::new(&place, "data/a.parquet");
        // More than one part, so that it begins before it is complete.
        upload.write_all(&vec![7; 17 << 20]).unwrap();
        let listed = place.list("data", "").unwrap();
        let [file] = &*listed else { panic!("{listed:?}") };
        assert_eq!(file.name, "data/a.parquet#1");
        place.delete(&["data/a.parquet#1".to_owned()]).unwrap();
        assert_eq!(upload.finish().unwrap_err().kind(), ErrorKind::Conflict);
        assert_eq!(fs::read_dir(folder.path().join("data")).unwrap().count(), 0);
    }
}
