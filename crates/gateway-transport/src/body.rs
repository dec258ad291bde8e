//! The response body of an async transport. The blocking body wraps it.
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;

use crate::{Deadline, Instant, MaybeSend, Phase, TransportError, platform};

/// A response body that may still be arriving.
///
/// Read it with [`chunk`](Self::chunk) or [`collect`](Self::collect), or through the trait [`http_body::Body`].
/// Dropping the body ends the exchange.
///
/// # Examples
///
/// ```
/// use gateway_transport::Body;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), gateway_transport::TransportError> {
/// let mut body = Body::from("hello");
/// assert_eq!(body.chunk().await?.unwrap(), "hello");
/// assert_eq!(body.chunk().await?, None);
/// # Ok(())
/// # }
/// ```
pub struct Body(State);

/// A body that is complete, is still arriving, or has failed.
enum State {
    /// A complete body, which needs no allocation.
    Full(Bytes),
    Stream(Stream),
    Failed(TransportError),
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
type Stream = Pin<Box<dyn HttpBody<Data = Bytes, Error = TransportError> + Send>>;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
type Stream = Pin<Box<dyn HttpBody<Data = Bytes, Error = TransportError>>>;

impl Body {
    /// Creates an empty body.
    pub const fn empty() -> Self {
        Self(State::Full(Bytes::new()))
    }

    pub(crate) const fn full(data: Bytes) -> Self {
        Self(State::Full(data))
    }

    /// Prints the body for `Debug`, with `name` as the name of its type.
    pub(crate) fn print(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            State::Full(data) => write!(f, "{name}({} bytes)", data.len()),
            State::Stream(_) => write!(f, "{name}(stream)"),
            State::Failed(error) => write!(f, "{name}({error})"),
        }
    }

    /// Creates a body from a stream whose error is already a [`TransportError`].
    pub fn new<B>(stream: B) -> Self
    where
        B: HttpBody<Data = Bytes, Error = TransportError> + MaybeSend + 'static,
    {
        Self(State::Stream(Box::pin(stream)))
    }

    /// Creates a body from a stream of chunks. [`chunk`](Self::chunk) returns them without copying.
    ///
    /// The stream is not polled again after its end or an error.
    ///
    /// ```
    /// use futures_util::stream;
    /// use gateway_transport::{Body, TransportErrorKind, TransportError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), TransportError> {
    /// let cut = TransportError::new(TransportErrorKind::Interrupted, "connection reset");
    /// let mut body = Body::from_chunks(stream::iter([Ok("hel".into()), Ok("lo".into()), Err(cut)]));
    /// assert_eq!(body.chunk().await?.unwrap(), "hel");
    /// assert_eq!(body.chunk().await?.unwrap(), "lo");
    /// assert_eq!(body.chunk().await.unwrap_err().kind(), TransportErrorKind::Interrupted);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_chunks<S>(chunks: S) -> Self
    where
        S: futures_core::Stream<Item = Result<Bytes, TransportError>> + MaybeSend + 'static,
    {
        let mut chunks = Box::pin(chunks);
        Self::from_poll(move |cx| chunks.as_mut().poll_next(cx))
    }

    /// Creates a body from a function that polls for the next chunk. The function is not called again after the end or
    /// an error.
    pub(crate) fn from_poll<F>(poll: F) -> Self
    where
        F: FnMut(&mut Context<'_>) -> Poll<Option<Result<Bytes, TransportError>>>
            + MaybeSend
            + 'static,
    {
        Self::new(Polled(poll))
    }

    /// Creates a body from the stream of an HTTP client. `classify` converts the stream's errors.
    pub fn with_errors<B, F>(stream: B, classify: F) -> Self
    where
        B: HttpBody<Data = Bytes> + MaybeSend + 'static,
        F: FnMut(B::Error) -> TransportError + MaybeSend + Unpin + 'static,
    {
        Self::new(stream.map_err(classify))
    }

    /// Applies a deadline and an idle timeout (the longest wait for a frame) to this body. The time between reads does
    /// not count towards the idle timeout, because a client may receive nothing while its caller is busy.
    ///
    /// Use this in an adapter for an HTTP client without timeouts. `sleep_until` returns a future that completes at an
    /// instant, such as `|at| tokio::time::sleep_until(at.into())`. The clock is read before each frame, so the
    /// deadline also ends a body that always has data ready.
    ///
    /// # Errors
    ///
    /// Reading the body fails with [`TransportErrorKind::Timeout`](crate::TransportErrorKind::Timeout) as soon as the
    /// body reaches one of the limits.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use gateway_transport::{Body, Deadline, TransportErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let deadline = Deadline::after(Duration::ZERO);
    /// let mut body = Body::from("late").with_limits(Some(deadline), Duration::from_secs(20), |at| {
    ///     tokio::time::sleep_until(at.into())
    /// });
    /// assert_eq!(body.chunk().await.unwrap_err().kind(), TransportErrorKind::Timeout);
    /// # }
    /// ```
    #[must_use]
    pub fn with_limits<S, F>(
        self,
        deadline: Option<Deadline>,
        idle_timeout: Duration,
        sleep_until: S,
    ) -> Self
    where
        S: Fn(Instant) -> F + MaybeSend + Unpin + 'static,
        F: Future<Output = ()> + MaybeSend + 'static,
    {
        let end = deadline.map(Deadline::instant);
        let (waiting_since, timer) = (None, None);
        Self::new(Limited { body: self, end, idle_timeout, waiting_since, sleep_until, timer })
    }

    /// Waits for the next chunk, which is never empty, and returns `None` at the end. Trailers are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the rest of the body cannot be received. Each later call returns the same error again, without its
    /// source, so a truncated body never looks complete.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        // A stream that knows its length also knows when it has ended, so it need not be polled once more.
        while !self.is_end_stream() {
            let frame = std::future::poll_fn(|cx| Pin::new(&mut *self).poll_frame(cx)).await;
            match frame {
                None => break,
                Some(Err(error)) => return Err(error),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data()
                        && !data.is_empty()
                    {
                        return Ok(Some(data));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Waits for the whole body and fails as soon as the body is known to exceed `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::TooLarge`](crate::TransportErrorKind::TooLarge) if the body exceeds `limit`, or
    /// the error that ended the body early.
    ///
    /// ```
    /// use gateway_transport::{Body, TransportErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), gateway_transport::TransportError> {
    /// assert_eq!(Body::from("12345").collect(5).await?, "12345");
    /// let error = Body::from("12345").collect(4).await.unwrap_err();
    /// assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn collect(mut self, limit: u64) -> Result<Bytes, TransportError> {
        if self.size_hint().lower() > limit {
            return Err(TransportError::body_too_large(limit));
        }
        let mut first = Bytes::new();
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            let so_far = first.len().max(whole.len());
            if (so_far as u64).saturating_add(chunk.len() as u64) > limit {
                return Err(TransportError::body_too_large(limit));
            }
            // A body of one chunk is not copied.
            if first.is_empty() {
                first = chunk;
                continue;
            }
            if whole.is_empty() {
                whole.reserve(first.len() + chunk.len());
                whole.extend_from_slice(&first);
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(if whole.is_empty() { first } else { whole.freeze() })
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let frame = match &mut self.0 {
            State::Full(data) if data.is_empty() => return Poll::Ready(None),
            State::Full(data) => return Poll::Ready(Some(Ok(Frame::data(std::mem::take(data))))),
            State::Failed(error) => return Poll::Ready(Some(Err(error.without_source()))),
            State::Stream(stream) => ready!(stream.as_mut().poll_frame(cx)),
        };
        // The stream is dropped at its end. Many streams panic if polled again, or report a clean end after a failure.
        match &frame {
            None => *self = Self::empty(),
            Some(Ok(_)) => {}
            Some(Err(error)) => self.0 = State::Failed(error.without_source()),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            State::Full(data) => data.is_empty(),
            State::Stream(stream) => stream.is_end_stream(),
            State::Failed(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            State::Full(data) => SizeHint::with_exact(data.len() as u64),
            State::Stream(stream) => stream.size_hint(),
            State::Failed(_) => SizeHint::default(),
        }
    }
}

/// A body whose chunks come from a function that polls for the next one.
struct Polled<F>(F);

impl<F> Unpin for Polled<F> {}

impl<F> HttpBody for Polled<F>
where
    F: FnMut(&mut Context<'_>) -> Poll<Option<Result<Bytes, TransportError>>>,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        (self.0)(cx).map_ok(Frame::data)
    }
}

/// A body with a deadline and an idle timeout.
struct Limited<S, F> {
    body: Body,
    end: Option<Instant>,
    idle_timeout: Duration,
    /// When the pending poll for the next frame began.
    waiting_since: Option<Instant>,
    sleep_until: S,
    /// Fires at the next limit or earlier, because a frame moves the limit but not the timer.
    timer: Option<Pin<Box<F>>>,
}

impl<S, F> HttpBody for Limited<S, F>
where
    S: Fn(Instant) -> F + Unpin,
    F: Future<Output = ()>,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        let now = platform::now();
        if this.end.is_some_and(|end| end <= now) {
            return Poll::Ready(Some(Err(TransportError::timeout(Phase::Body))));
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            this.waiting_since = None;
            return Poll::Ready(frame);
        }
        let since = *this.waiting_since.get_or_insert(now);
        // An idle timeout beyond the range of the clock never expires.
        let idle_end = since.checked_add(this.idle_timeout);
        while let Some(limit) = idle_end.into_iter().chain(this.end).min() {
            if limit <= platform::now() {
                return Poll::Ready(Some(Err(TransportError::timeout(Phase::Body))));
            }
            let timer = this.timer.get_or_insert_with(|| Box::pin((this.sleep_until)(limit)));
            if timer.as_mut().poll(cx).is_pending() {
                break;
            }
            this.timer = None;
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Implements `Debug`, `Default` and the conversions from complete bodies.
macro_rules! conversions {
    ($body:ident: $($data:ty;)+) => {
        impl std::fmt::Debug for $body {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.print(stringify!($body), f)
            }
        }

        impl Default for $body {
            fn default() -> Self {
                Self::empty()
            }
        }

        $(impl From<$data> for $body {
            fn from(data: $data) -> Self {
                Self::full(data.into())
            }
        })+
    };
}

pub(crate) use conversions;

conversions!(Body: Bytes; Vec<u8>; String; &'static str;);
