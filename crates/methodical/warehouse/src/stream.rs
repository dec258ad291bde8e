//! Records as a stream of Parquet, for an output that is written from its start to its end.

use std::io::{self, Write};
use std::mem;

use methodical_mirror::model::FieldType;

use crate::error::Error;
use crate::fields::Fields;
use crate::file::File;

/// A writer of records, given as JSON text, as one Parquet file.
///
/// The columns are those of [`Export`](crate::Export), without the ones that belong to the mirror. Everything without a
/// column is in the column `extra`, and the names of fields that were `null` are in the column `nulls`. A field of unknown
/// type is text: a string itself, and any other value as JSON.
///
/// ```
/// use methodical_mirror::model::FieldType;
/// use methodical_warehouse::ParquetStream;
///
/// let mut parquet = ParquetStream::new(&[
///     ("id".to_owned(), Some(FieldType::Id)),
///     ("camera.shots".to_owned(), Some(FieldType::Integer)),
/// ])?;
/// let mut out = Vec::new();
/// parquet.write(&mut out, r#"{"id":"007","camera":{"shots":12}}"#)?;
/// parquet.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ParquetStream {
    fields: Fields,
    /// `None` after the end.
    file: Option<File<Pieces>>,
}

impl ParquetStream {
    /// Begins a file with these fields: paths with dots, and types.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) if two columns would have the same name.
    pub fn new(types: &[(String, Option<FieldType>)]) -> Result<Self, Error> {
        Self::of(Fields::of_types(types, false))
    }

    /// Begins a file that has a second column `<field>_decimal` for each decimal number, of the type `DECIMAL(38, 9)`. It is null if the
    /// text is not a plain decimal number, or has more digits.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`].
    pub fn with_decimals(types: &[(String, Option<FieldType>)]) -> Result<Self, Error> {
        Self::of(Fields::of_types(types, true))
    }

    fn of(fields: Fields) -> Result<Self, Error> {
        let file = File::new(Pieces::default(), &fields.columns("extra", "nulls"))?;
        Ok(Self { fields, file: Some(file) })
    }

    /// Writes a record. It may be held until later.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object, or the output cannot be written.
    pub fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let cells = self.fields.read(record).map_err(io::Error::other)?;
        cells.with(|row| file.push(row), &[], &[]).map_err(io::Error::other)?;
        mem::take(file.out()).pass(out)
    }

    /// Writes the rest of the file.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.file.take() {
            Some(file) => file.finish().map_err(io::Error::other)?.pass(out),
            None => Ok(()),
        }
    }
}

/// Bytes that were written, in pieces: one block would be copied as a row group grows in it.
#[derive(Debug, Default)]
struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    fn pass(self, out: &mut dyn Write) -> io::Result<()> {
        self.0.into_iter().try_for_each(|piece| out.write_all(&piece))
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
