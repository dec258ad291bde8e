//! The response body of a blocking transport: an async body that is never pending.
use std::io::{self, Read};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf as _, Bytes};

use crate::body::conversions;
use crate::{Body, TransportError, TransportErrorKind};

/// A response body that may still be arriving: [`Read`] it, or get it in [chunks](Self::chunk). Dropping the body ends
/// the exchange.
///
/// Errors from `read` wrap a [`TransportError`], which [`TransportError::from_io`] unwraps.
///
/// # Examples
///
/// ```
/// use std::io::Read;
///
/// use gateway_transport::BlockingBody;
///
/// let mut text = String::new();
/// BlockingBody::from("hello").read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct BlockingBody {
    body: Body,
    /// The part of the last chunk that `read` has not returned yet.
    rest: Bytes,
}

impl BlockingBody {
    /// Creates an empty body.
    pub const fn empty() -> Self {
        Self::full(Bytes::new())
    }

    const fn full(data: Bytes) -> Self {
        Self { body: Body::full(data), rest: Bytes::new() }
    }

    /// Creates a body from a reader.
    ///
    /// If the reader can classify an error more precisely than an [`io::ErrorKind`] does, it should return a
    /// [`TransportError`] wrapped with [`into_io`](TransportError::into_io).
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self::with_errors(reader, TransportError::from_io)
    }

    /// Creates a body from chunks. [`chunk`](Self::chunk) returns them without copying.
    ///
    /// The iterator may block until the next chunk arrives. It is not called again after its end or an error.
    ///
    /// ```
    /// use gateway_transport::{BlockingBody, TransportErrorKind, TransportError};
    ///
    /// let cut = TransportError::new(TransportErrorKind::Interrupted, "connection reset");
    /// let mut body = BlockingBody::from_chunks([Ok("hel".into()), Ok("lo".into()), Err(cut)]);
    /// assert_eq!(body.chunk()?.unwrap(), "hel");
    /// assert_eq!(body.chunk()?.unwrap(), "lo");
    /// assert_eq!(body.chunk().unwrap_err().kind(), TransportErrorKind::Interrupted);
    /// # Ok::<(), TransportError>(())
    /// ```
    pub fn from_chunks<I>(chunks: I) -> Self
    where
        I: IntoIterator<Item = Result<Bytes, TransportError>, IntoIter: Send + 'static>,
    {
        let mut chunks = chunks.into_iter();
        Self::empty().map(|_| Body::from_poll(move |_| Poll::Ready(chunks.next())))
    }

    /// Creates a body from the reader of an HTTP client. `classify` converts the reader's errors.
    pub fn with_errors<R, F>(mut reader: R, mut classify: F) -> Self
    where
        R: Read + Send + 'static,
        F: FnMut(io::Error) -> TransportError + Send + 'static,
    {
        let mut buffer = Vec::new();
        Self::from_chunks(std::iter::from_fn(move || {
            buffer.resize(CHUNK_SIZE, 0);
            loop {
                return match reader.read(&mut buffer) {
                    Ok(0) => None,
                    Ok(count) => buffer.get(..count).map(|read| Ok(Bytes::copy_from_slice(read))),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Some(Err(classify(error))),
                };
            }
        }))
    }

    fn print(&self, name: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.body.print(name, f)
    }

    /// Replaces the inner body. The new one must not be pending unless the old one is.
    pub(crate) fn map(self, change: impl FnOnce(Body) -> Body) -> Self {
        Self { body: change(self.body), rest: self.rest }
    }

    /// Converts the unread part into an async [`Body`]. It is never pending: polling it blocks the current thread.
    #[doc(hidden)]
    pub fn into_body(mut self) -> Body {
        if self.rest.is_empty() {
            return self.body;
        }
        Body::from_poll(move |_| Poll::Ready(self.chunk().transpose()))
    }

    /// Reads the whole body and fails as soon as the body is known to exceed `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::TooLarge`](crate::TransportErrorKind::TooLarge) if the body exceeds `limit`, or
    /// the error that ended the body early.
    ///
    /// ```
    /// use gateway_transport::{BlockingBody, TransportErrorKind};
    ///
    /// assert_eq!(BlockingBody::from("12345").collect(5)?, "12345");
    /// let error = BlockingBody::from("12345").collect(4).unwrap_err();
    /// assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    /// # Ok::<(), gateway_transport::TransportError>(())
    /// ```
    pub fn collect(self, limit: u64) -> Result<Bytes, TransportError> {
        let mut whole = now(self.body.collect(limit))?;
        if !self.rest.is_empty() {
            whole = [self.rest, whole].concat().into();
        }
        if whole.len() as u64 > limit {
            return Err(TransportError::body_too_large(limit));
        }
        Ok(whole)
    }

    /// Waits for the next chunk, which is never empty, and returns `None` at the end.
    ///
    /// The chunks of a body from [`from_chunks`](Self::from_chunks) are not copied.
    ///
    /// # Errors
    ///
    /// Fails if the rest of the body cannot be received. Each later call returns the same error again, without its
    /// source, so a truncated body never looks complete.
    ///
    /// ```
    /// use gateway_transport::BlockingBody;
    ///
    /// let mut body = BlockingBody::from("hello");
    /// assert_eq!(body.chunk()?.unwrap(), "hello");
    /// assert_eq!(body.chunk()?, None);
    /// # Ok::<(), gateway_transport::TransportError>(())
    /// ```
    pub fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        if self.rest.is_empty() {
            return now(self.body.chunk());
        }
        Ok(Some(std::mem::take(&mut self.rest)))
    }
}

impl Read for BlockingBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !buffer.is_empty() && self.rest.is_empty() {
            self.rest = self.chunk().map_err(TransportError::into_io)?.unwrap_or_default();
        }
        (&mut self.rest).reader().read(buffer)
    }
}

conversions!(BlockingBody: Bytes; Vec<u8>; String; &'static str;);

/// Returns the output of a future that is ready at the first poll. A pending future is an error.
fn now<T>(future: impl Future<Output = Result<T, TransportError>>) -> Result<T, TransportError> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => Err(TransportError::new(
            TransportErrorKind::Other,
            "the body is not ready, but a blocking body must be",
        )),
    }
}

/// Maximum size of a chunk from a reader, in bytes.
const CHUNK_SIZE: usize = 32 * 1024;
