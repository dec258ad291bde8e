//! The response body of an async transport.
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::body_state::{State, conversions};
use crate::{MaybeSend, TransportError};

/// A response body that may still be arriving.
///
/// It implements [`http_body::Body`]. [`chunk`](Self::chunk) and [`collect`](Self::collect) work without that crate.
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
pub struct Body(State<Stream>);

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
type Stream = Pin<Box<dyn HttpBody<Data = Bytes, Error = TransportError> + Send>>;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
type Stream = Pin<Box<dyn HttpBody<Data = Bytes, Error = TransportError>>>;

impl Body {
    /// Creates an empty body.
    pub const fn empty() -> Self {
        Self(State::empty())
    }

    /// Creates a body from a stream whose error is already a [`TransportError`].
    pub fn new<B>(stream: B) -> Self
    where
        B: HttpBody<Data = Bytes, Error = TransportError> + MaybeSend + 'static,
    {
        Self(State::Source(Box::pin(stream)))
    }

    /// Creates a body from a stream of chunks, which [`chunk`](Self::chunk) returns without a copy.
    ///
    /// The stream is not polled again after its end or an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use futures_util::stream;
    /// use gateway_transport::{Body, ErrorKind, TransportError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), TransportError> {
    /// let cut = TransportError::new(ErrorKind::Interrupted, "connection reset");
    /// let mut body = Body::from_chunks(stream::iter([Ok("hel".into()), Ok("lo".into()), Err(cut)]));
    /// assert_eq!(body.chunk().await?.unwrap(), "hel");
    /// assert_eq!(body.chunk().await?.unwrap(), "lo");
    /// assert_eq!(body.chunk().await.unwrap_err().kind(), ErrorKind::Interrupted);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_chunks<S>(chunks: S) -> Self
    where
        S: futures_core::Stream<Item = Result<Bytes, TransportError>> + MaybeSend + 'static,
    {
        Self::new(Chunks(Box::pin(chunks)))
    }

    /// Creates a body from a client's stream. `classify` converts its errors.
    pub fn with_errors<B, F>(stream: B, classify: F) -> Self
    where
        B: HttpBody<Data = Bytes> + MaybeSend + 'static,
        F: FnMut(B::Error) -> TransportError + MaybeSend + Unpin + 'static,
    {
        Self::with_errors_unpin(Box::pin(stream), classify)
    }

    /// Like [`with_errors`](Self::with_errors), but without a second allocation, for a stream that is `Unpin`.
    pub(crate) fn with_errors_unpin<B, F>(stream: B, classify: F) -> Self
    where
        B: HttpBody<Data = Bytes> + MaybeSend + Unpin + 'static,
        F: FnMut(B::Error) -> TransportError + MaybeSend + Unpin + 'static,
    {
        Self::new(WithErrors { stream, classify })
    }

    /// Waits for the next chunk, which is never empty, and returns `None` at the end. Trailers are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the rest of the body cannot be received. Each later call returns the same error again, without its
    /// source, so a truncated body never looks complete.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        // A stream that knows its length knows its end, which saves one more poll of everything below.
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

    /// Waits for the whole body, and fails as soon as it is known to exceed `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) if the body exceeds `limit`, or the error that kept
    /// the body from being received completely.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_transport::{Body, ErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), gateway_transport::TransportError> {
    /// assert_eq!(Body::from("12345").collect(5).await?, "12345");
    /// let error = Body::from("12345").collect(4).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::TooLarge);
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
            State::Source(stream) => ready!(stream.as_mut().poll_frame(cx)),
        };
        self.0.release_after(match &frame {
            None => Ok(true),
            Some(Ok(_)) => Ok(false),
            Some(Err(error)) => Err(error),
        });
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            State::Full(data) => data.is_empty(),
            State::Source(stream) => stream.is_end_stream(),
            State::Failed(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            State::Full(data) => SizeHint::with_exact(data.len() as u64),
            State::Source(stream) => stream.size_hint(),
            State::Failed(_) => SizeHint::default(),
        }
    }
}

/// A stream of chunks.
struct Chunks<S>(Pin<Box<S>>);

impl<S: futures_core::Stream<Item = Result<Bytes, TransportError>>> HttpBody for Chunks<S> {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        self.0.as_mut().poll_next(cx).map_ok(Frame::data)
    }
}

/// A stream with converted errors.
struct WithErrors<B, F> {
    stream: B,
    classify: F,
}

impl<B, F> HttpBody for WithErrors<B, F>
where
    B: HttpBody<Data = Bytes> + Unpin,
    F: FnMut(B::Error) -> TransportError + Unpin,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        let frame = Pin::new(&mut this.stream).poll_frame(cx);
        frame.map(|frame| frame.map(|frame| frame.map_err(&mut this.classify)))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.stream.size_hint()
    }
}

conversions!(Body);

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http_body::{Body as HttpBody, Frame, SizeHint};

    use super::Body;
    use crate::{ErrorKind, Phase, TransportError};

    /// A stream of at most one chunk that panics when it is polled after its end.
    struct Once {
        chunk: Option<&'static str>,
        end: Option<Result<(), ErrorKind>>,
    }

    impl HttpBody for Once {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            Poll::Ready(match self.chunk.take() {
                Some(chunk) => Some(Ok(Frame::data(chunk.into()))),
                None => match self.end.take().expect("polled after its end") {
                    Ok(()) => None,
                    Err(kind) => {
                        let error = TransportError::new(kind, "truncated").with_phase(Phase::Body);
                        Some(Err(error.with_source("connection reset")))
                    }
                },
            })
        }
    }

    #[tokio::test]
    async fn a_stream_is_not_polled_after_its_end() {
        for chunk in [Some("x"), None] {
            let mut body = Body::new(Once { chunk, end: Some(Ok(())) });
            assert_eq!(body.chunk().await.unwrap(), chunk.map(Bytes::from));
            for _ in 0..3 {
                assert_eq!(body.chunk().await.unwrap(), None);
            }
            assert!(body.is_end_stream());
        }
    }

    #[tokio::test]
    async fn a_failed_body_keeps_failing() {
        for kind in [ErrorKind::Interrupted, ErrorKind::Timeout] {
            let mut body = Body::new(Once { chunk: Some("x"), end: Some(Err(kind)) });
            assert_eq!(body.chunk().await.unwrap().unwrap(), "x");
            for _ in 0..3 {
                let error = body.chunk().await.unwrap_err();
                let actual = (error.kind(), error.phase(), error.to_string());
                assert_eq!(actual, (kind, Phase::Body, "truncated".to_owned()));
                assert!(!body.is_end_stream());
            }
            assert_eq!(format!("{body:?}"), "Body(truncated)");
            assert_eq!(body.collect(10).await.unwrap_err().kind(), kind);
        }
    }

    #[tokio::test]
    async fn a_body_may_be_as_long_as_its_limit() {
        let stream = |pieces: [&'static str; 2]| {
            Body::from_chunks(futures_util::stream::iter(pieces.map(|piece| Ok(piece.into()))))
        };
        for pieces in [["ab", "cd"], ["", "abcd"], ["abcd", ""]] {
            assert_eq!(stream(pieces).collect(4).await.unwrap(), "abcd");
            let error = stream(pieces).collect(3).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooLarge);
        }
        assert_eq!(Body::from("abcd").collect(4).await.unwrap(), "abcd");
        assert_eq!(Body::from("abcd").collect(3).await.unwrap_err().kind(), ErrorKind::TooLarge);
    }

    /// A stream that states its length, and panics when it is polled.
    struct Long;

    impl HttpBody for Long {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            panic!("polled");
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(10)
        }
    }

    #[tokio::test]
    async fn a_body_that_states_a_length_above_the_limit_is_not_read() {
        let error = Body::new(Long).collect(9).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        // The length is known through every layer.
        let error = Body::with_errors(Long, |error| error).collect(9).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn classified_errors_change_neither_length_nor_end() {
        let whole = Body::with_errors(Body::from("late"), |error| error);
        assert_eq!((whole.size_hint().exact(), whole.is_end_stream()), (Some(4), false));
        assert!(Body::with_errors(Body::empty(), |error| error).is_end_stream());
    }
}
