//! The output format Parquet.

use std::io::{self, Write};

use gateway_cli::core::{Ending, Failure, OutputFormat, OutputSetup, RecordWriter};
use gateway_warehouse::ParquetStream;

/// The output format Parquet.
#[derive(Debug)]
pub(crate) struct ParquetFormat;

impl OutputFormat for ParquetFormat {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn about(&self) -> &'static str {
        "Parquet, for warehouses and data frames"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        let columns = setup.columns().iter();
        let types: Vec<_> = columns.map(|one| (one.name(), one.field_type())).collect();
        let stream =
            ParquetStream::new(&types).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Box::new(Writer(stream)))
    }
}

#[derive(Debug)]
struct Writer(ParquetStream);

impl RecordWriter for Writer {
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.0.write(out, record)
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending> {
        self.0.finish(out).map(|()| Ending::new())
    }
}
