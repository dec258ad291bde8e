//! The response body of the blocking side.
use std::fmt;
use std::io::{self, Read};

use bytes::Bytes;

use crate::TransportError;

/// A response body to [`Read`], or to take in [pieces](Self::chunk), which may still be on its way. Dropping it ends the
/// exchange.
///
/// What `read` returns as an error holds a [`TransportError`]; [`TransportError::from_io`] takes it out again.
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
pub struct BlockingBody(Inner);

enum Inner {
    /// A body that is already here costs no allocation.
    Full(Bytes),
    Read(Box<dyn Read + Send>),
    Pieces(Pieces),
    /// What was one of these two until it failed.
    Failed(TransportError),
}

/// A body that comes in pieces, and what is left of the last one for those who read.
struct Pieces {
    next: Box<dyn FnMut() -> Result<Option<Bytes>, TransportError> + Send>,
    piece: Bytes,
}

impl Pieces {
    /// Returns the next piece, which is empty at the end only.
    fn next(&mut self) -> Result<Bytes, TransportError> {
        if !self.piece.is_empty() {
            return Ok(std::mem::take(&mut self.piece));
        }
        loop {
            match (self.next)()? {
                Some(piece) if piece.is_empty() => {}
                next => return Ok(next.unwrap_or_default()),
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, TransportError> {
        let mut piece = self.next()?;
        let count = move_bytes(&mut piece, buffer);
        self.piece = piece;
        Ok(count)
    }
}

impl BlockingBody {
    /// Makes a body of no bytes.
    pub const fn empty() -> Self {
        Self(Inner::Full(Bytes::new()))
    }

    /// Makes a body of a reader. It should fail with [`TransportError::into_io`] where it knows more than an
    /// [`io::ErrorKind`] can say.
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self(Inner::Read(Box::new(reader)))
    }

    /// Makes a body of pieces, which are handed out without a copy. `None` is the end.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// use gateway_transport::BlockingBody;
    ///
    /// let mut pieces = ["hel", "lo"].into_iter();
    /// let mut body = BlockingBody::from_chunks(move || Ok(pieces.next().map(Into::into)));
    /// let mut text = String::new();
    /// body.read_to_string(&mut text)?;
    /// assert_eq!(text, "hello");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn from_chunks(
        next: impl FnMut() -> Result<Option<Bytes>, TransportError> + Send + 'static,
    ) -> Self {
        Self(Inner::Pieces(Pieces { next: Box::new(next), piece: Bytes::new() }))
    }

    /// Makes a body of a reader of some client, whose errors `classify` gives our type.
    pub fn with_errors<R, F>(reader: R, classify: F) -> Self
    where
        R: Read + Send + 'static,
        F: FnMut(io::Error) -> TransportError + Send + 'static,
    {
        Self::new(WithErrors { reader, classify })
    }

    /// Reads the whole body, and refuses it as soon as it is known to be larger than `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), or whatever kept the body from being complete.
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
            Inner::Full(data) => data,
            Inner::Pieces(_) => {
                let first = self.chunk()?.unwrap_or_default();
                match self.chunk()? {
                    // A body of one piece is not copied.
                    None => first,
                    Some(second) => {
                        let begun = io::Cursor::new([&*first, &*second].concat());
                        read_whole(begun.chain(self), limit)?.into()
                    }
                }
            }
            Inner::Read(reader) => read_whole(reader, limit)?.into(),
            Inner::Failed(error) => return Err(error),
        };
        if whole.len() as u64 > limit {
            return Err(TransportError::body_too_large(limit));
        }
        Ok(whole)
    }

    /// Waits for the next piece, which is never empty; `None` is the end.
    ///
    /// What some clients hand out in pieces is not copied.
    ///
    /// # Errors
    ///
    /// Whatever kept the body from being complete. Who asks again is told the same again, without its source: a body
    /// that was cut never looks like one that has ended.
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
        let piece = match &mut self.0 {
            Inner::Full(data) => Ok(std::mem::take(data)),
            Inner::Read(reader) => read_piece(reader),
            Inner::Pieces(pieces) => pieces.next(),
            Inner::Failed(error) => Err(error.again()),
        };
        self.settle(piece.as_ref().map(Bytes::len));
        piece.map(|piece| Some(piece).filter(|piece| !piece.is_empty()))
    }

    /// Lets go of what the body comes from when no more than this came of it. It is not asked again: many a source
    /// panics after its end, or calls a failure its end.
    fn settle(&mut self, came: Result<usize, &TransportError>) {
        match came {
            Ok(0) => *self = Self::empty(),
            Ok(_) => {}
            Err(error) => self.0 = Inner::Failed(error.again()),
        }
    }
}

impl Read for BlockingBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = match &mut self.0 {
            Inner::Full(data) => Ok(move_bytes(data, buffer)),
            Inner::Read(reader) => read(reader, buffer).map_err(TransportError::from_io),
            Inner::Pieces(pieces) => pieces.read(buffer),
            Inner::Failed(error) => Err(error.again()),
        };
        self.settle(count.as_ref().copied());
        count.map_err(TransportError::into_io)
    }
}

/// Reads to the end, or to the first byte beyond `limit`.
fn read_whole(reader: impl Read, limit: u64) -> Result<Vec<u8>, TransportError> {
    let mut whole = Vec::new();
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut whole);
    read.map(|_| whole).map_err(TransportError::from_io)
}

/// Reads once. A signal that came in is no failure.
fn read(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Reads one piece, which is empty at the end only.
fn read_piece(reader: &mut dyn Read) -> Result<Bytes, TransportError> {
    let mut buffer = vec![0; PIECE];
    let length = read(reader, &mut buffer).map_err(TransportError::from_io)?;
    buffer.truncate(length);
    Ok(buffer.into())
}

/// How much of a reader is one piece, in bytes.
const PIECE: usize = 64 * 1024;

/// A reader whose errors are given another type.
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

impl fmt::Debug for BlockingBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Full(data) => write!(f, "BlockingBody({} bytes)", data.len()),
            Inner::Read(_) | Inner::Pieces(_) => f.write_str("BlockingBody(stream)"),
            Inner::Failed(error) => write!(f, "BlockingBody({error})"),
        }
    }
}

impl Default for BlockingBody {
    fn default() -> Self {
        Self::empty()
    }
}

impl From<Bytes> for BlockingBody {
    fn from(data: Bytes) -> Self {
        Self(Inner::Full(data))
    }
}

impl From<Vec<u8>> for BlockingBody {
    fn from(data: Vec<u8>) -> Self {
        Bytes::from(data).into()
    }
}

impl From<String> for BlockingBody {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for BlockingBody {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

/// Moves as many bytes as fit from the front of `data` into `buffer`, and returns how many.
pub(crate) fn move_bytes(data: &mut Bytes, buffer: &mut [u8]) -> usize {
    let count = buffer.len().min(data.len());
    let (target, _) = buffer.split_at_mut(count);
    target.copy_from_slice(&data.split_to(count));
    count
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use bytes::Bytes;

    use super::BlockingBody;
    use crate::{ErrorKind, Phase, TransportError};

    /// What comes behind the pieces of a source.
    type End = Result<(), ErrorKind>;

    /// Bodies of both kinds, with these pieces and this end, which must not be asked for twice.
    fn bodies(pieces: &'static [&'static str], end: End) -> [BlockingBody; 2] {
        let source = || {
            let (mut left, mut end) = (pieces.iter(), Some(end));
            move || match left.next() {
                Some(piece) => Ok(Some(Bytes::from(*piece))),
                None => end.take().expect("asked again").map(|()| None).map_err(cut),
            }
        };
        let (pieces, mut read) = (source(), source());
        let reader = Reader(move || read().map_err(TransportError::into_io));
        [BlockingBody::from_chunks(pieces), BlockingBody::new(reader)]
    }

    fn cut(kind: ErrorKind) -> TransportError {
        TransportError::new(kind, "cut").with_phase(Phase::Body).with_source("the socket says so")
    }

    struct Reader<F>(F);

    impl<F: FnMut() -> io::Result<Option<Bytes>>> Read for Reader<F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let piece = (self.0)()?.unwrap_or_default();
            (&piece[..]).read(buffer)
        }
    }

    #[test]
    fn a_source_is_not_asked_after_its_end() {
        const TWO: &[&str] = &["one ", "two"];
        for pieces in [&TWO[..0], &TWO[..1], TWO] {
            for body in bodies(pieces, Ok(())) {
                assert_eq!(body.collect(10).unwrap(), pieces.concat());
            }
            for mut body in bodies(pieces, Ok(())) {
                let mut text = String::new();
                body.read_to_string(&mut text).unwrap();
                assert_eq!(text, pieces.concat());
                assert_eq!(body.read(&mut [0]).unwrap(), 0);
                assert_eq!(body.chunk().unwrap(), None);
            }
            for mut body in bodies(pieces, Ok(())) {
                for piece in pieces {
                    assert_eq!(body.chunk().unwrap().unwrap(), *piece);
                }
                assert_eq!(body.chunk().unwrap(), None);
                assert_eq!(body.chunk().unwrap(), None);
                assert_eq!(body.read(&mut [0]).unwrap(), 0);
            }
        }
    }

    #[test]
    fn a_failure_stays_one() {
        for kind in [ErrorKind::Interrupted, ErrorKind::Timeout] {
            for mut body in bodies(&["x"], Err(kind)) {
                let read = body.read_to_end(&mut Vec::new()).map_err(TransportError::from_io);
                let errors = [
                    read.unwrap_err(),
                    body.read(&mut [0]).map_err(TransportError::from_io).unwrap_err(),
                    body.chunk().unwrap_err(),
                    body.collect(10).unwrap_err(),
                ];
                for error in errors {
                    let told = (error.kind(), error.phase(), error.to_string());
                    assert_eq!(told, (kind, Phase::Body, "cut".to_owned()));
                }
            }
        }
    }

    #[test]
    fn to_ask_for_nothing_is_no_end() {
        for mut body in bodies(&["one ", "two"], Ok(())) {
            assert_eq!(body.read(&mut []).unwrap(), 0);
            assert_eq!(body.collect(10).unwrap(), "one two");
        }
    }

    #[test]
    fn a_piece_is_read_in_parts() {
        let [mut body, _] = bodies(&["one ", "two"], Ok(()));
        let mut part = [0; 3];
        assert_eq!(body.read(&mut part).unwrap(), 3);
        assert_eq!(body.chunk().unwrap().unwrap(), " ");
        assert_eq!(body.collect(10).unwrap(), "two");
    }
}
