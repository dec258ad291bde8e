//! The bodies of responses: their end, their failure, and their limits.
use std::io::{self, Read};
use std::iter;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use gateway_transport::{BlockingBody, Body, Phase, TransportError, TransportErrorKind};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::sleep_until;

/// The end of a source, after its chunks.
type End = Result<(), TransportErrorKind>;

/// Returns the next chunk of a source, which panics if it is read after its end.
fn source(
    chunks: &'static [&'static str],
    end: End,
) -> impl FnMut() -> Option<Result<Bytes, TransportError>> {
    let (mut left, mut end) = (chunks.iter(), Some(end));
    move || match left.next() {
        Some(chunk) => Some(Ok(Bytes::from(*chunk))),
        None => end.take().expect("read after its end").map_err(truncated).err().map(Err),
    }
}

fn truncated(kind: TransportErrorKind) -> TransportError {
    let error = TransportError::new(kind, "truncated").with_phase(Phase::Body);
    error.with_source("connection reset")
}

/// Returns a body of chunks and a body over a reader.
fn blocking(chunks: &'static [&'static str], end: End) -> [BlockingBody; 2] {
    struct Reader<F>(F);
    impl<F: FnMut() -> Option<Result<Bytes, TransportError>>> Read for Reader<F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let chunk = (self.0)().transpose().map_err(TransportError::into_io)?;
            (&chunk.unwrap_or_default()[..]).read(buffer)
        }
    }
    let reader = Reader(source(chunks, end));
    [BlockingBody::from_chunks(iter::from_fn(source(chunks, end))), BlockingBody::new(reader)]
}

fn asynchronous(chunks: &'static [&'static str], end: End) -> Body {
    Body::from_chunks(stream::iter(iter::from_fn(source(chunks, end))))
}

const TWO: &[&str] = &["one ", "two"];

#[tokio::test]
async fn a_source_is_not_read_after_its_end() {
    for chunks in [&TWO[..0], &TWO[..1], TWO] {
        let mut body = asynchronous(chunks, Ok(()));
        for chunk in chunks {
            assert_eq!(body.chunk().await.unwrap().unwrap(), *chunk);
        }
        for _ in 0..3 {
            assert_eq!(body.chunk().await.unwrap(), None);
        }
        assert!(body.is_end_stream());
        for body in blocking(chunks, Ok(())) {
            assert_eq!(body.collect(10).unwrap(), chunks.concat());
        }
        for mut body in blocking(chunks, Ok(())) {
            let mut text = String::new();
            body.read_to_string(&mut text).unwrap();
            assert_eq!(text, chunks.concat());
            assert_eq!(body.read(&mut [0]).unwrap(), 0);
            assert_eq!(body.chunk().unwrap(), None);
        }
        for mut body in blocking(chunks, Ok(())) {
            for chunk in chunks {
                assert_eq!(body.chunk().unwrap().unwrap(), *chunk);
            }
            assert_eq!(body.chunk().unwrap(), None);
            assert_eq!(body.chunk().unwrap(), None);
            assert_eq!(body.read(&mut [0]).unwrap(), 0);
        }
    }
}

#[tokio::test]
async fn a_failed_body_keeps_failing() {
    for kind in [TransportErrorKind::Interrupted, TransportErrorKind::Timeout] {
        let mut errors = Vec::new();
        let mut body = asynchronous(&["x"], Err(kind));
        assert_eq!(body.chunk().await.unwrap().unwrap(), "x");
        for _ in 0..3 {
            errors.push(body.chunk().await.unwrap_err());
            assert!(!body.is_end_stream());
        }
        assert_eq!(format!("{body:?}"), "Body(truncated)");
        errors.push(body.collect(10).await.unwrap_err());
        for mut body in blocking(&["x"], Err(kind)) {
            let read = body.read_to_end(&mut Vec::new()).map_err(TransportError::from_io);
            errors.push(read.unwrap_err());
            errors.push(body.read(&mut [0]).map_err(TransportError::from_io).unwrap_err());
            errors.push(body.chunk().unwrap_err());
            assert_eq!(format!("{body:?}"), "BlockingBody(truncated)");
            errors.push(body.collect(10).unwrap_err());
        }
        for error in errors {
            let actual = (error.kind(), error.phase(), error.to_string());
            assert_eq!(actual, (kind, Phase::Body, "truncated".to_owned()));
        }
    }
}

#[test]
fn a_chunk_is_read_in_parts() {
    for mut body in blocking(TWO, Ok(())) {
        // An empty buffer does not end the body.
        assert_eq!(body.read(&mut []).unwrap(), 0);
        assert_eq!(body.read(&mut [0; 3]).unwrap(), 3);
        assert_eq!(body.chunk().unwrap().unwrap(), " ");
        assert_eq!(body.read(&mut [0]).unwrap(), 1);
        assert_eq!(body.collect(2).unwrap(), "wo");
    }
}

#[tokio::test]
async fn a_body_may_be_as_long_as_its_limit() {
    async fn check(body: impl Fn() -> Body) {
        assert_eq!(body().collect(4).await.unwrap(), "abcd");
        assert_eq!(body().collect(3).await.unwrap_err().kind(), TransportErrorKind::TooLarge);
    }
    check(|| Body::from("abcd")).await;
    for pieces in [&["ab", "cd"][..], &["", "abcd"], &["abcd", ""]] {
        check(|| asynchronous(pieces, Ok(()))).await;
    }
    for limit in [1, 2] {
        let mut body = BlockingBody::from("abcd");
        body.read_exact(&mut [0; 2]).unwrap();
        assert_eq!(body.collect(limit).is_ok(), limit == 2);
    }
}

#[tokio::test]
async fn a_body_that_states_a_length_above_the_limit_is_not_read() {
    /// A stream that declares its length, and panics if it is polled.
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
    // The length is known through every layer.
    let far =
        |body: Body| body.with_limits(None, Duration::from_secs(20), |at| sleep_until(at.into()));
    for body in [Body::new(Long), Body::with_errors(Long, |error| error), far(Body::new(Long))] {
        assert_eq!(body.collect(9).await.unwrap_err().kind(), TransportErrorKind::TooLarge);
    }
    for whole in [Body::with_errors(Body::from("late"), |error| error), far(Body::from("late"))] {
        assert_eq!((whole.size_hint().exact(), whole.is_end_stream()), (Some(4), false));
    }
    assert!(Body::with_errors(Body::empty(), |error| error).is_end_stream());
}
