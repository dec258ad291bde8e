//! The response body of a blocking transport.
use std::io::{self, Read};

use bytes::Bytes;

use crate::TransportError;
use crate::body_state::{State, conversions};

/// A response body that may still be arriving, to [`Read`] or to take in [chunks](Self::chunk). Dropping it ends the
/// exchange.
///
/// An error of `read` wraps a [`TransportError`]; [`TransportError::from_io`] unwraps it.
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
pub struct BlockingBody(State<Source>);

enum Source {
    Read(Box<dyn Read + Send>),
    Chunks(Chunks),
}

/// A source of chunks.
struct Chunks {
    source: Box<dyn Iterator<Item = Result<Bytes, TransportError>> + Send>,
    /// The part of the last chunk that `read` has not returned yet.
    rest: Bytes,
}

impl Chunks {
    /// Returns the next chunk, which is empty only at the end.
    fn next(&mut self) -> Result<Bytes, TransportError> {
        if !self.rest.is_empty() {
            return Ok(std::mem::take(&mut self.rest));
        }
        loop {
            match self.source.next().transpose()? {
                Some(chunk) if chunk.is_empty() => {}
                next => return Ok(next.unwrap_or_default()),
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, TransportError> {
        let mut chunk = self.next()?;
        let count = move_bytes(&mut chunk, buffer);
        self.rest = chunk;
        Ok(count)
    }
}

impl BlockingBody {
    /// Creates an empty body.
    pub const fn empty() -> Self {
        Self(State::empty())
    }

    /// Creates a body from a reader.
    ///
    /// If the reader can classify an error more precisely than an [`io::ErrorKind`] does, it should return a
    /// [`TransportError`] wrapped with [`into_io`](TransportError::into_io).
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self(State::Source(Source::Read(Box::new(reader))))
    }

    /// Creates a body from chunks, which [`chunk`](Self::chunk) returns without a copy.
    ///
    /// The iterator may block for the next chunk. It is not asked again after its end or an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_transport::{BlockingBody, ErrorKind, TransportError};
    ///
    /// let cut = TransportError::new(ErrorKind::Interrupted, "connection reset");
    /// let mut body = BlockingBody::from_chunks([Ok("hel".into()), Ok("lo".into()), Err(cut)]);
    /// assert_eq!(body.chunk()?.unwrap(), "hel");
    /// assert_eq!(body.chunk()?.unwrap(), "lo");
    /// assert_eq!(body.chunk().unwrap_err().kind(), ErrorKind::Interrupted);
    /// # Ok::<(), TransportError>(())
    /// ```
    pub fn from_chunks<I>(chunks: I) -> Self
    where
        I: IntoIterator<Item = Result<Bytes, TransportError>, IntoIter: Send + 'static>,
    {
        let source = Box::new(chunks.into_iter());
        Self(State::Source(Source::Chunks(Chunks { source, rest: Bytes::new() })))
    }

    /// Creates a body from a client's reader. `classify` converts its errors.
    pub fn with_errors<R, F>(reader: R, classify: F) -> Self
    where
        R: Read + Send + 'static,
        F: FnMut(io::Error) -> TransportError + Send + 'static,
    {
        Self::new(WithErrors { reader, classify })
    }

    /// Reads the whole body, and fails as soon as it is known to exceed `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) if the body exceeds `limit`, or the error that kept
    /// the body from being received completely.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_transport::{BlockingBody, ErrorKind};
    ///
    /// assert_eq!(BlockingBody::from("12345").collect(5)?, "12345");
    /// let error = BlockingBody::from("12345").collect(4).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::TooLarge);
    /// # Ok::<(), gateway_transport::TransportError>(())
    /// ```
    pub fn collect(mut self, limit: u64) -> Result<Bytes, TransportError> {
        let whole = match self.0 {
            State::Full(data) => data,
            State::Source(Source::Chunks(_)) => {
                let first = self.chunk()?.unwrap_or_default();
                match self.chunk()? {
                    // A body of one chunk is not copied.
                    None => first,
                    Some(second) => {
                        let start = io::Cursor::new([&*first, &*second].concat());
                        read_whole(start.chain(self), limit)?.into()
                    }
                }
            }
            State::Source(Source::Read(reader)) => read_whole(reader, limit)?.into(),
            State::Failed(error) => return Err(error),
        };
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
    /// # Examples
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
        let chunk = match &mut self.0 {
            State::Full(data) => Ok(std::mem::take(data)),
            State::Source(Source::Read(reader)) => read_chunk(reader),
            State::Source(Source::Chunks(chunks)) => chunks.next(),
            State::Failed(error) => Err(error.without_source()),
        };
        self.0.release_after(chunk.as_ref().map(Bytes::is_empty));
        chunk.map(|chunk| Some(chunk).filter(|chunk| !chunk.is_empty()))
    }
}

impl Read for BlockingBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = match &mut self.0 {
            State::Full(data) => Ok(move_bytes(data, buffer)),
            State::Source(Source::Read(reader)) => {
                read(reader, buffer).map_err(TransportError::from_io)
            }
            State::Source(Source::Chunks(chunks)) => chunks.read(buffer),
            State::Failed(error) => Err(error.without_source()),
        };
        self.0.release_after(count.as_ref().map(|count| *count == 0));
        count.map_err(TransportError::into_io)
    }
}

/// Reads to the end, or to the first byte beyond `limit`.
fn read_whole(reader: impl Read, limit: u64) -> Result<Vec<u8>, TransportError> {
    let mut whole = Vec::new();
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut whole);
    read.map(|_| whole).map_err(TransportError::from_io)
}

/// Reads once, and retries a read that a signal interrupted.
fn read(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Reads one chunk, which is empty only at the end.
fn read_chunk(reader: &mut dyn Read) -> Result<Bytes, TransportError> {
    let mut buffer = vec![0; CHUNK_SIZE];
    let length = read(reader, &mut buffer).map_err(TransportError::from_io)?;
    buffer.truncate(length);
    Ok(buffer.into())
}

/// Maximum size of a chunk from a reader, in bytes.
const CHUNK_SIZE: usize = 64 * 1024;

/// A reader with converted errors.
struct WithErrors<R, F> {
    reader: R,
    classify: F,
}

impl<R, F> Read for WithErrors<R, F>
where
    R: Read,
    F: FnMut(io::Error) -> TransportError,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read(&mut self.reader, buffer).map_err(|error| (self.classify)(error).into_io())
    }
}

conversions!(BlockingBody);

/// Moves as many bytes as fit from the front of `data` into `buffer`, and returns their number.
pub(crate) fn move_bytes(data: &mut Bytes, buffer: &mut [u8]) -> usize {
    let count = buffer.len().min(data.len());
    let (target, _) = buffer.split_at_mut(count);
    target.copy_from_slice(&data.split_to(count));
    count
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};
    use std::iter;

    use bytes::Bytes;

    use super::BlockingBody;
    use crate::{ErrorKind, Phase, TransportError};

    /// The end of a source, after its chunks.
    type End = Result<(), ErrorKind>;

    /// Returns a body of chunks and a body over a reader. Both panic when they are read after their end.
    fn bodies(chunks: &'static [&'static str], end: End) -> [BlockingBody; 2] {
        let source = || {
            let (mut left, mut end) = (chunks.iter(), Some(end));
            move || match left.next() {
                Some(chunk) => Some(Ok(Bytes::from(*chunk))),
                None => end.take().expect("read after its end").map_err(truncated).err().map(Err),
            }
        };
        let (chunks, mut read) = (source(), source());
        let reader = Reader(move || read().transpose().map_err(TransportError::into_io));
        [BlockingBody::from_chunks(iter::from_fn(chunks)), BlockingBody::new(reader)]
    }

    fn truncated(kind: ErrorKind) -> TransportError {
        TransportError::new(kind, "truncated")
            .with_phase(Phase::Body)
            .with_source("connection reset")
    }

    struct Reader<F>(F);

    impl<F: FnMut() -> io::Result<Option<Bytes>>> Read for Reader<F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let chunk = (self.0)()?.unwrap_or_default();
            (&chunk[..]).read(buffer)
        }
    }

    #[test]
    fn a_source_is_not_read_after_its_end() {
        const TWO: &[&str] = &["one ", "two"];
        for chunks in [&TWO[..0], &TWO[..1], TWO] {
            for body in bodies(chunks, Ok(())) {
                assert_eq!(body.collect(10).unwrap(), chunks.concat());
            }
            for mut body in bodies(chunks, Ok(())) {
                let mut text = String::new();
                body.read_to_string(&mut text).unwrap();
                assert_eq!(text, chunks.concat());
                assert_eq!(body.read(&mut [0]).unwrap(), 0);
                assert_eq!(body.chunk().unwrap(), None);
            }
            for mut body in bodies(chunks, Ok(())) {
                for chunk in chunks {
                    assert_eq!(body.chunk().unwrap().unwrap(), *chunk);
                }
                assert_eq!(body.chunk().unwrap(), None);
                assert_eq!(body.chunk().unwrap(), None);
                assert_eq!(body.read(&mut [0]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn a_failed_body_keeps_failing() {
        for kind in [ErrorKind::Interrupted, ErrorKind::Timeout] {
            for mut body in bodies(&["x"], Err(kind)) {
                let read = body.read_to_end(&mut Vec::new()).map_err(TransportError::from_io);
                let errors = [
                    read.unwrap_err(),
                    body.read(&mut [0]).map_err(TransportError::from_io).unwrap_err(),
                    body.chunk().unwrap_err(),
                ];
                assert_eq!(format!("{body:?}"), "BlockingBody(truncated)");
                for error in errors.into_iter().chain([body.collect(10).unwrap_err()]) {
                    let actual = (error.kind(), error.phase(), error.to_string());
                    assert_eq!(actual, (kind, Phase::Body, "truncated".to_owned()));
                }
            }
        }
    }

    #[test]
    fn an_empty_buffer_does_not_end_the_body() {
        for mut body in bodies(&["one ", "two"], Ok(())) {
            assert_eq!(body.read(&mut []).unwrap(), 0);
            assert_eq!(body.collect(10).unwrap(), "one two");
        }
    }

    #[test]
    fn a_chunk_is_read_in_parts() {
        let [mut body, _] = bodies(&["one ", "two"], Ok(()));
        let mut part = [0; 3];
        assert_eq!(body.read(&mut part).unwrap(), 3);
        assert_eq!(body.chunk().unwrap().unwrap(), " ");
        assert_eq!(body.collect(10).unwrap(), "two");
    }
}
