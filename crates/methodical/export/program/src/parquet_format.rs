//! The output format Parquet.

use std::io::{self, Write};

use gateway_cli::core::{Ending, Failure, OutputFormat, OutputSetup, RecordWriter};
use methodical_export::ParquetStream;

/// The output format Parquet.
#[derive(Debug)]
pub(crate) struct ParquetFormat {
    /// Whether decimal numbers have a second column of a decimal type.
    decimals: bool,
}

impl ParquetFormat {
    pub(crate) const TEXT: Self = Self { decimals: false };
    pub(crate) const DECIMALS: Self = Self { decimals: true };
}

impl OutputFormat for ParquetFormat {
    fn name(&self) -> &'static str {
        if self.decimals { "parquet-decimals" } else { "parquet" }
    }

    fn about(&self) -> &'static str {
        if self.decimals {
            "Parquet with a second column for each decimal number"
        } else {
            "Parquet, for warehouses and data frames"
        }
    }

    fn extensions(&self) -> &'static [&'static str] {
        if self.decimals { &[] } else { &["parquet"] }
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        let columns = setup.columns().iter();
        let types: Vec<_> = columns.map(|one| (one.name(), one.field_type())).collect();
        let begin = if self.decimals { ParquetStream::with_decimals } else { ParquetStream::new };
        let stream = begin(&types).map_err(|error| Failure::usage(error.to_string()))?;
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
