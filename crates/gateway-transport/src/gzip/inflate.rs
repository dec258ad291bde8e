//! Decodes gzip in chunks, with bounded memory.
use std::io::{self, Write};

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;

use crate::{ErrorKind, Phase, TransportError};

/// A push decoder: takes encoded bytes and returns decoded bytes.
pub(super) struct Inflate {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// Whether any byte has arrived. A response without a body (HEAD, 204, 304) is not truncated.
    has_started: bool,
}

impl Inflate {
    pub(super) fn new() -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), has_started: false }
    }

    /// Takes bytes from the front of `encoded` and returns their decoded form, about 96 KiB at most.
    pub(super) fn push(&mut self, encoded: &mut Bytes) -> Result<Bytes, TransportError> {
        self.has_started = true;
        // One `write` fills one buffer of the decoder and takes only the bytes it used. `write_all` would decode all of
        // `encoded`, regardless of the size of the output.
        let used = self.decoder.write(encoded).map_err(|error| match self.decoder.header() {
            None => malformed(error),
            // The stream starts as gzip, so the peer did send gzip.
            Some(_) => corrupt(error),
        })?;
        encoded.advance(used);
        if encoded.is_empty() {
            // Otherwise the decoder keeps its last output until more input arrives, which may take long.
            self.decoder.flush().map_err(corrupt)?;
        }
        Ok(self.take())
    }

    /// Ends the stream and returns the remaining decoded bytes.
    pub(super) fn finish(&mut self) -> Result<Bytes, TransportError> {
        if self.has_started {
            self.decoder.try_finish().map_err(corrupt)?;
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Bytes {
        std::mem::take(self.decoder.get_mut()).into()
    }
}

#[cold]
fn malformed(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Protocol, "the body is declared as gzip but is not gzip")
        .with_phase(Phase::Body)
        .with_source(error)
}

#[cold]
fn corrupt(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Interrupted, "the gzip stream is truncated or corrupt")
        .with_phase(Phase::Body)
        .with_source(error)
}
