//! The formats of downloads, as the program provides them.

use std::fmt;
use std::io::{self, Write};

use methodical_mirror::model::tables::FieldType;

/// A format for downloads of a view's records; see [`Dashboard::format`](crate::Dashboard::format).
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_dashboard::{DownloadFormat, DownloadWriter};
///
/// /// One JSON object on each line.
/// struct Lines;
///
/// impl DownloadWriter for Lines {
///     fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
///         writeln!(out, "{record}")
///     }
///
///     fn finish(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
///         Ok(())
///     }
/// }
///
/// DownloadFormat::new("NDJSON", "ndjson", "application/x-ndjson", |_columns| Ok(Box::new(Lines)));
/// ```
pub struct DownloadFormat {
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) writer: Box<WriterOf>,
}

/// Creates a writer of records with these columns.
type WriterOf = dyn Fn(&[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>> + Send + Sync;

impl DownloadFormat {
    /// Creates a format with its display name, such as `CSV`, its file extension, its media type (RFC 9110, section
    /// 8.3.1), and a function that creates a record writer for the given columns, or fails if the format cannot hold
    /// them.
    pub fn new(
        name: &'static str,
        extension: &'static str,
        media_type: &'static str,
        writer: impl Fn(&[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { name, extension, media_type, writer: Box::new(writer) }
    }
}

impl fmt::Debug for DownloadFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DownloadFormat").field(&self.name).finish()
    }
}

/// Writes one download in its format.
pub trait DownloadWriter {
    /// Writes a record, given as JSON text on one line. The record may have fields without a column, including personal
    /// ones, which must not be written.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written. The download is then truncated, so that the reader notices that it is
    /// incomplete.
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()>;

    /// Writes the rest of the download.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written, or if a value is missing from it.
    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()>;
}

/// A column of a download: the path of a field, and the type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DownloadColumn {
    /// The dot-separated path of the field.
    pub path: String,
    /// The type of the column's values.
    pub field_type: FieldType,
}
