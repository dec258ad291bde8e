//! Decodes gzip piece by piece, with bounded memory.
use std::io::{self, Write};

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;

use crate::{ErrorKind, Phase, TransportError};

/// A decoder that is pushed: encoded bytes in, decoded bytes out.
pub(super) struct Inflate {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// An answer without a body (HEAD, 204, 304) is not a truncated one.
    has_started: bool,
}

impl Inflate {
    pub(super) fn new() -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), has_started: false }
    }

    /// Takes some bytes from the front of `encoded` and returns what they decode to, at most about 64 KiB.
    pub(super) fn push(&mut self, encoded: &mut Bytes) -> Result<Bytes, TransportError> {
        self.has_started = true;
        // One `write` decodes into one buffer of the decoder and takes only what it used; `write_all` would go on until
        // all is used, however large that becomes.
        let used = self.decoder.write(encoded).map_err(|error| match self.decoder.header() {
            None => malformed(error),
            // It begins as gzip, so it was gzip when it was sent.
            Some(_) => damaged(error),
        })?;
        encoded.advance(used);
        Ok(self.take())
    }

    /// Takes the end of the encoded bytes and returns the rest.
    pub(super) fn finish(&mut self) -> Result<Bytes, TransportError> {
        if self.has_started {
            self.decoder.try_finish().map_err(damaged)?;
        }
        Ok(self.take())
    }

    fn take(&mut self) -> Bytes {
        std::mem::take(self.decoder.get_mut()).into()
    }
}

#[cold]
fn malformed(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Protocol, "the body is not the gzip it claims to be")
        .with_phase(Phase::Body)
        .with_source(error)
}

#[cold]
fn damaged(error: io::Error) -> TransportError {
    TransportError::new(ErrorKind::Interrupted, "the gzip stream was cut or damaged")
        .with_phase(Phase::Body)
        .with_source(error)
}
