//! The records of a list, as they are read.

use std::fmt;
use std::io::Read as _;

use gateway_model::{Record, StreamDecoder};
use gateway_transport::{BlockingBody, TransportError};

use crate::Error;
use crate::records::{Entry, Reader, Taken};

/// The records of [`Client::stream`](crate::blocking::Client::stream): an [`Iterator`].
///
/// After an error nothing more comes. Dropping it ends the exchange and closes the connection.
pub struct Records<T> {
    body: BlockingBody,
    buffer: Box<[u8]>,
    reader: Reader<T>,
}

impl<T: Record> Records<T> {
    pub(crate) fn new(body: BlockingBody, decoder: StreamDecoder<T>, attempts: u32) -> Self {
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Self { body, buffer, reader: Reader::new(decoder, attempts) }
    }

    /// Sets how many bytes a single record may have. Default: 1 MiB.
    #[must_use]
    pub fn record_limit(mut self, bytes: usize) -> Self {
        self.reader = self.reader.record_limit(bytes);
        self
    }
}

impl<T: Record> Iterator for Records<T> {
    type Item = Result<Entry<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.take() {
                Taken::Entry(entry) => return Some(entry),
                Taken::End => return None,
                Taken::NeedMore => match self.body.read(&mut self.buffer) {
                    Ok(0) => self.reader.decoder.finish(),
                    Ok(length) => {
                        self.reader.decoder.push(self.buffer.get(..length).unwrap_or_default());
                    }
                    Err(error) => {
                        return Some(Err(self.reader.fail(TransportError::from_io(error).into())));
                    }
                },
            }
        }
    }
}

impl<T> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("reader", &self.reader).finish_non_exhaustive()
    }
}

/// How much is read at once.
const BUFFER: usize = 64 * 1024;
