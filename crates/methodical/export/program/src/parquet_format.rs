//! The Parquet output format.

use std::io::{self, Write};

use gateway_cli::core::{Failure, OutputFormat, OutputSetup, RecordWriter};
use methodical_export::ParquetStream;

/// The Parquet output format.
pub(crate) const PARQUET: OutputFormat =
    OutputFormat::new("parquet", "Parquet, for warehouses and data frames", begin)
        .extensions(&["parquet"])
        .binary();

fn begin(setup: &OutputSetup) -> Result<Box<dyn RecordWriter>, Failure> {
    let columns = setup.columns.iter();
    let types: Vec<_> = columns.map(|one| (one.name(), one.field_type)).collect();
    let stream = ParquetStream::new(&types).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Box::new(Writer(stream)))
}

#[derive(Debug)]
struct Writer(ParquetStream);

impl RecordWriter for Writer {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.0.write(out, record)
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        self.0.finish(out)?;
        Ok(Vec::new())
    }
}
