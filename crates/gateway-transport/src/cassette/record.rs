//! Writing a cassette.
use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::Method;
use http::response::Parts;

use crate::cassette::line::{Line, target};
use crate::{
    BlockingResponse, BlockingTransport, ErrorKind, Request, Response, Transport, TransportError,
};

/// Sends through another transport and writes each exchange to a cassette. Async and blocking.
///
/// A response is received completely before it is handed on. Exchanges that fail are not written. See the
/// [module documentation](super) for what is kept and an example.
pub struct Recorder<T, W> {
    inner: T,
    writer: Mutex<W>,
    limit: u64,
}

impl<T, W: Write> Recorder<T, W> {
    /// Takes over `inner`, and writes to `writer`, one line for each exchange, flushed at once.
    pub fn new(inner: T, writer: W) -> Self {
        Self { inner, writer: Mutex::new(writer), limit: DEFAULT_LIMIT }
    }

    /// Sets how large a recorded body may be, in bytes; a larger one is an error. Default: 16 MiB.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Ends the recording and gives the writer back.
    pub fn into_writer(self) -> W {
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(
        &self,
        method: &Method,
        target: String,
        head: &Parts,
        body: &Bytes,
    ) -> Result<(), TransportError> {
        let not_written = || TransportError::new(ErrorKind::Other, "the cassette was not written");
        let mut line = serde_json::to_vec(&Line::new(method, target, head, body))
            .map_err(|error| not_written().with_source(error))?;
        line.push(b'\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.write_all(&line).and_then(|()| writer.flush());
        written.map_err(|error| not_written().with_source(error))
    }
}

impl<T: Transport, W: Write + Send + 'static> Transport for Recorder<T, W> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let (method, target) = (request.method().clone(), target(request.uri()));
        let (head, body) = self.inner.send(request).await?.into_parts();
        let body = body.collect(self.limit).await?;
        self.write(&method, target, &head, &body)?;
        Ok(Response::from_parts(head, body.into()))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

impl<T: BlockingTransport, W: Write + Send + 'static> BlockingTransport for Recorder<T, W> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let (method, target) = (request.method().clone(), target(request.uri()));
        let (head, body) = self.inner.send(request)?.into_parts();
        let body = body.collect(self.limit)?;
        self.write(&method, target, &head, &body)?;
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

const DEFAULT_LIMIT: u64 = 16 << 20;
