//! An answer whose body is passed on as it comes.

use std::time::{Duration, SystemTime};
use std::{fmt, io};

use bytes::{Bytes, BytesMut};
use gateway_transport::{BlockingBody, Body, TransportError};
use http::response::Parts;
use http::{HeaderMap, Response, StatusCode};

use crate::Error;
use crate::answer::Answer;
use crate::retry::retry_after;
use crate::trace::CallSpan;

/// An answer of the service whose body is still on its way, whatever its status:
/// [`Client::stream_raw`](crate::Client::stream_raw), [`blocking::Client::stream_raw`](crate::blocking::Client::stream_raw).
///
/// `B` is the kind of body. Memory holds one piece of it, however long it is. Dropping the answer ends the exchange.
/// `Debug` shows the status and how much has come: an answer may be personal.
pub struct StreamedAnswer<B> {
    head: Parts,
    body: B,
    received: u64,
    attempts: u32,
    span: CallSpan,
}

impl<B> StreamedAnswer<B> {
    pub(crate) fn new(response: Response<B>, attempts: u32, span: CallSpan) -> Self {
        let (head, body) = response.into_parts();
        Self { head, body, received: 0, attempts, span }
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns how long the service asks to wait before the next call (`Retry-After`).
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers(), SystemTime::now())
    }

    /// Returns how often the request was handed to the transport.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns how many bytes of the body have come so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    fn count(
        &mut self,
        piece: Result<Option<Bytes>, TransportError>,
    ) -> Result<Option<Bytes>, Error> {
        match piece {
            Ok(piece) => {
                let length = piece.as_ref().map_or(0, Bytes::len);
                self.received = self.received.saturating_add(length as u64);
                Ok(piece)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn refused(self, body: Bytes) -> Error {
        let error = Error::of_head(self.status(), self.headers());
        error.with_answer(Answer::new(Response::from_parts(self.head, body), self.attempts))
    }

    fn failed(&self, error: TransportError) -> Error {
        let error = Error::from(error).after_attempts(self.attempts).after_bytes(self.received);
        self.span.failed(&error);
        error
    }
}

impl StreamedAnswer<Body> {
    /// Returns the answer if its status is 200, else waits for the error of a call that would have read it, with
    /// as much of the body as came.
    ///
    /// # Errors
    ///
    /// What the status says, as its [`ErrorKind`](crate::ErrorKind).
    pub async fn error_for_status(mut self) -> Result<Self, Error> {
        if self.status() == StatusCode::OK {
            return Ok(self);
        }
        let mut body = BytesMut::new();
        while let Ok(Some(piece)) = self.chunk().await {
            body.extend_from_slice(&piece);
        }
        Err(self.refused(body.freeze()))
    }

    /// Waits for the next piece of the body, which is never empty; `None` is the end.
    ///
    /// The body is whole if the status is 200; of any other answer it is the first 64 KiB.
    ///
    /// # Errors
    ///
    /// Whatever kept the body from being complete, as [`Error::received`] says after how many bytes. After an error there
    /// is nothing more to read.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let piece = self.span.around(self.body.chunk()).await;
        self.count(piece)
    }
}

impl StreamedAnswer<BlockingBody> {
    /// Returns the answer if its status is 200, else the error of a call that would have read it, with
    /// as much of the body as came.
    ///
    /// # Errors
    ///
    /// What the status says, as its [`ErrorKind`](crate::ErrorKind).
    pub fn error_for_status(mut self) -> Result<Self, Error> {
        if self.status() == StatusCode::OK {
            return Ok(self);
        }
        let mut body = BytesMut::new();
        while let Ok(Some(piece)) = self.chunk() {
            body.extend_from_slice(&piece);
        }
        Err(self.refused(body.freeze()))
    }

    /// Waits for the next piece of the body, which is never empty; `None` is the end.
    ///
    /// The body is whole if the status is 200; of any other answer it is the first 64 KiB.
    ///
    /// # Errors
    ///
    /// Whatever kept the body from being complete, as [`Error::received`] says after how many bytes. After an error there
    /// is nothing more to read.
    pub fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let body = &mut self.body;
        let piece = self.span.within(|| body.chunk());
        self.count(piece)
    }
}

/// For [`std::io::copy`] and the like. What `read` returns as an error holds an [`Error`].
impl io::Read for StreamedAnswer<BlockingBody> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let body = &mut self.body;
        match self.span.within(|| body.read(buffer)) {
            Ok(length) => {
                self.received = self.received.saturating_add(length as u64);
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                Err(io::Error::new(kind, self.failed(TransportError::from_io(error))))
            }
        }
    }
}

impl<B> fmt::Debug for StreamedAnswer<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, received, .. } = self;
        write!(f, "StreamedAnswer({}, {received} bytes so far)", head.status.as_u16())
    }
}
