//! Output files in an object store.

use std::error::Error;
use std::io::{self, Write};

use gateway_cli::core::{Failure, Upload};

use crate::explained;

/// Opens the file that a URL names.
pub(crate) fn open(url: &str) -> Result<Box<dyn Upload>, Failure> {
    let upload = methodical_export::Upload::open(url).map_err(|error| explained(&error))?;
    Ok(Box::new(Uploaded(upload)))
}

#[derive(Debug)]
struct Uploaded(methodical_export::Upload);

impl Write for Uploaded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| with_causes(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Upload for Uploaded {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish().map_err(|error| with_causes(&error))
    }
}

/// Adds the causes to the message of an error, because the program prints only the message of an output error.
fn with_causes(error: &dyn Error) -> io::Error {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    io::Error::other(text)
}
