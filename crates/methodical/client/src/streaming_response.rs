//! A response whose body is passed on as it arrives.

use std::marker::PhantomData;
use std::{fmt, io, mem};

use bytes::{Buf as _, Bytes, BytesMut};
use gateway_transport::{BlockingBody, Body};
use http::response::Parts;
use http::{HeaderMap, Response, StatusCode};
use pollster::block_on;

use crate::Error;
use crate::engine::Answer;
use crate::pace::Permit;
use crate::time::{Limit, now};
use crate::trace::CallSpan;

/// A response with any status, whose body has not been received yet. [`Client::stream_raw`](crate::Client::stream_raw)
/// and [`blocking::Client::stream_raw`](crate::blocking::Client::stream_raw) return it.
///
/// Use this to pass on a body that may not fit in memory, or to inspect an undecoded response. `B` is the body type.
/// Only one chunk of the body is in memory at a time. Dropping this value ends the exchange. `Debug` shows only the
/// status and the number of bytes received, because a response may contain personal data.
pub struct StreamingResponse<B> {
    head: Parts,
    body: Body,
    /// The part of the last chunk that `read` has not returned yet.
    rest: Bytes,
    received: u64,
    attempts: u32,
    /// The time limit of the whole body.
    end: Limit,
    span: CallSpan,
    _permit: Permit,
    mode: PhantomData<fn() -> B>,
}

impl<B> StreamingResponse<B> {
    pub(crate) fn new(answer: Answer<Body>, span: CallSpan) -> Self {
        let Answer { response, attempts, end, permit } = answer;
        let (head, body) = response.into_parts();
        let (rest, mode) = (Bytes::new(), PhantomData);
        Self { head, body, rest, received: 0, attempts, end, span, _permit: permit, mode }
    }

    /// Returns the status code of the response.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Returns the headers of the response.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the response if its status is 200, otherwise an error with the rest of the body.
    async fn checked(mut self) -> Result<Self, Error> {
        let Err(error) = Error::check_status(self.status(), self.headers()) else {
            return Ok(self);
        };
        let mut body = BytesMut::new();
        while let Ok(Some(chunk)) = self.next_chunk().await {
            body.extend_from_slice(&chunk);
        }
        Err(error.with_response(Response::from_parts(self.head, body.freeze()), self.attempts))
    }

    /// Returns the next chunk and counts it.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let chunk = match mem::take(&mut self.rest) {
            rest if rest.is_empty() => self.receive().await?,
            rest => Some(rest),
        };
        self.count(chunk.as_ref().map_or(0, Bytes::len));
        Ok(chunk)
    }

    async fn receive(&mut self) -> Result<Option<Bytes>, Error> {
        self.span.around(self.body.chunk()).await.map_err(|error| {
            let error = self.end.error(error, now()).with_head(self.head.clone());
            let error = error.after_attempts(self.attempts).after_bytes(self.received);
            self.span.failed(&error);
            error
        })
    }

    fn count(&mut self, length: usize) {
        self.received = self.received.saturating_add(length as u64);
    }
}

impl StreamingResponse<Body> {
    /// Returns the response if its status is 200, otherwise the error that [`Client::send`](crate::Client::send) would
    /// have returned, with as much of the body as was received.
    ///
    /// # Errors
    ///
    /// Fails with the [`ErrorKind`](crate::ErrorKind) of the status.
    pub async fn error_for_status(self) -> Result<Self, Error> {
        self.checked().await
    }

    /// Waits for the next chunk of the body. A chunk is never empty; `None` means the end of the body.
    ///
    /// If the status is not 200, the body ends after 64 KiB.
    ///
    /// # Errors
    ///
    /// Fails if the body cannot be received to its end. Each later call fails again.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        self.next_chunk().await
    }
}

impl StreamingResponse<BlockingBody> {
    /// Returns the response if its status is 200, otherwise the error that
    /// [`Client::send`](crate::blocking::Client::send) would have returned, with as much of the body as was received.
    ///
    /// # Errors
    ///
    /// Fails with the [`ErrorKind`](crate::ErrorKind) of the status.
    pub fn error_for_status(self) -> Result<Self, Error> {
        block_on(self.checked())
    }

    /// Receives the next chunk of the body. A chunk is never empty; `None` means the end of the body.
    ///
    /// If the status is not 200, the body ends after 64 KiB.
    ///
    /// # Errors
    ///
    /// Fails if the body cannot be received to its end. Each later call fails again.
    pub fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        block_on(self.next_chunk())
    }
}

/// Lets you pass the body to [`std::io::copy`] and similar functions. An error from `read` wraps an [`Error`].
impl io::Read for StreamingResponse<BlockingBody> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !buffer.is_empty() && self.rest.is_empty() {
            self.rest = block_on(self.receive()).map_err(io::Error::other)?.unwrap_or_default();
        }
        let length = (&mut self.rest).reader().read(buffer)?;
        self.count(length);
        Ok(length)
    }
}

impl<B> fmt::Debug for StreamingResponse<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, received, .. } = self;
        write!(f, "StreamingResponse({}, {received} bytes so far)", head.status.as_u16())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::time::Duration;

    use gateway_transport::MemoryTransport;

    use super::*;
    use crate::ErrorKind;
    use crate::tests::{any_json, async_builder, blocking_builder};

    const BODY: &str = "personal data";

    fn transport(status: u16) -> MemoryTransport {
        let response = Response::builder().status(status).header("retry-after", "7200");
        MemoryTransport::new([Ok(response.body(BODY.into()).unwrap())])
    }

    fn blocking(status: u16) -> StreamingResponse<BlockingBody> {
        let client = blocking_builder().transport(transport(status));
        client.build().unwrap().stream_raw(&any_json()).unwrap()
    }

    async fn asynchronous(status: u16) -> StreamingResponse<Body> {
        let client = async_builder().transport(transport(status));
        client.build().unwrap().stream_raw(&any_json()).await.unwrap()
    }

    #[tokio::test]
    async fn only_status_200_is_not_an_error() {
        let mut body = String::new();
        blocking(200).error_for_status().unwrap().read_to_string(&mut body).unwrap();
        assert_eq!(body, BODY);
        let mut response = asynchronous(200).await.error_for_status().await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), BODY);

        for (status, kind) in
            [(204, ErrorKind::Status), (404, ErrorKind::NotFound), (500, ErrorKind::Server)]
        {
            for error in [
                blocking(status).error_for_status().unwrap_err(),
                asynchronous(status).await.error_for_status().await.unwrap_err(),
            ] {
                assert_eq!((error.kind(), error.attempts()), (kind, 1), "{status}");
                assert_eq!(error.body().unwrap(), BODY, "{status}");
                assert_eq!(error.retry_after(), Some(Duration::from_secs(7200)), "{status}");
            }
        }
    }
}
