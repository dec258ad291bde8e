//! Writes a cassette.
use std::fmt;
use std::io::Write;

use bytes::Bytes;
use http::response::Parts;

use crate::cassette::line::{Asked, Line};
use crate::mutex::Mutex;
use crate::{
    BlockingResponse, BlockingTransport, ErrorKind, Request, Response, Transport, TransportError,
};

/// A transport that sends through another one and writes each exchange to a cassette. Async and blocking.
///
/// Each response is received completely before it is returned. Failed exchanges are not written. The
/// [module documentation](crate::cassette) says what is recorded and has an example.
pub struct Recorder<T, W> {
    inner: T,
    writer: Mutex<W>,
    limit: u64,
}

impl<T, W: Write> Recorder<T, W> {
    /// Wraps `inner` and writes each exchange to `writer` as one line, flushed immediately.
    pub fn new(inner: T, writer: W) -> Self {
        Self { inner, writer: Mutex::new(writer), limit: DEFAULT_LIMIT }
    }

    /// Sets the maximum size of a recorded body, in bytes; a larger body is an error. Default: 16 MiB.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Ends the recording and returns the writer.
    pub fn into_writer(self) -> W {
        self.writer.into_inner()
    }

    fn write(&self, asked: Asked, head: &Parts, body: &Bytes) -> Result<(), TransportError> {
        let not_written = || TransportError::new(ErrorKind::Other, "cannot write to the cassette");
        let mut line = serde_json::to_vec(&Line::new(asked, head, body))
            .map_err(|error| not_written().with_source(error))?;
        line.push(b'\n');
        let mut writer = self.writer.lock();
        let written = writer.write_all(&line).and_then(|()| writer.flush());
        written.map_err(|error| not_written().with_source(error))
    }
}

impl<T: Transport, W: Write + Send + 'static> Transport for Recorder<T, W> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let asked = Asked::of(&request);
        let (head, body) = self.inner.send(request).await?.into_parts();
        let body = body.collect(self.limit).await?;
        self.write(asked, &head, &body)?;
        Ok(Response::from_parts(head, body.into()))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

impl<T: BlockingTransport, W: Write + Send + 'static> BlockingTransport for Recorder<T, W> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let asked = Asked::of(&request);
        let (head, body) = self.inner.send(request)?.into_parts();
        let body = body.collect(self.limit)?;
        self.write(asked, &head, &body)?;
        Ok(BlockingResponse::from_parts(head, body.into()))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

impl<T: fmt::Debug, W> fmt::Debug for Recorder<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recorder").field(&self.inner).finish()
    }
}

/// Default of the maximum body size, in bytes.
const DEFAULT_LIMIT: u64 = 16 << 20;
