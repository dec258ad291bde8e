//! The formats of downloads, as the program provides them.

use std::io::{self, Write};

use methodical_mirror::model::tables::FieldType;

/// A format in which readers download the records of a view. See [`Dashboard::format`](crate::Dashboard::format).
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_dashboard::{DownloadColumn, DownloadFormat, DownloadWriter};
///
/// /// One JSON object on each line.
/// struct Lines;
///
/// impl DownloadFormat for Lines {
///     fn name(&self) -> &'static str {
///         "NDJSON"
///     }
///
///     fn extension(&self) -> &'static str {
///         "ndjson"
///     }
///
///     fn media_type(&self) -> &'static str {
///         "application/x-ndjson"
///     }
///
///     fn writer(&self, _columns: &[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>> {
///         Ok(Box::new(Self))
///     }
/// }
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
/// ```
pub trait DownloadFormat: Send + Sync {
    /// Returns the name for people, such as `CSV`.
    fn name(&self) -> &'static str;

    /// Returns the extension of files, in lowercase and without a dot. It names the format in links, too.
    fn extension(&self) -> &'static str;

    /// Returns the media type (RFC 9110, section 8.3.1).
    fn media_type(&self) -> &'static str;

    /// Creates a writer of records with these columns.
    ///
    /// # Errors
    ///
    /// Fails if the format cannot hold these columns.
    fn writer(&self, columns: &[DownloadColumn]) -> io::Result<Box<dyn DownloadWriter>>;
}

/// A writer of one download.
pub trait DownloadWriter {
    /// Writes a record, given as JSON text on one line. The record can have fields that are not in a column: personal ones,
    /// too. They must not be written.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written. The download is then cut, so that the reader sees that it is not complete.
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()>;

    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written, or if a value is not in it.
    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()>;
}

/// A column of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownloadColumn {
    pub(crate) path: String,
    pub(crate) field_type: FieldType,
}

impl DownloadColumn {
    /// Returns the path of the field, with dots between its names.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the type of the values.
    pub fn field_type(&self) -> FieldType {
        self.field_type
    }
}
