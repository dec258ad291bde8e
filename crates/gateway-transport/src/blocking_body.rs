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
}

/// A body that comes in pieces, and what is left of the last one for those who read.
struct Pieces {
    next: Box<dyn FnMut() -> Result<Option<Bytes>, TransportError> + Send>,
    piece: Bytes,
}

impl Pieces {
    /// Returns the next piece, which is never empty.
    fn next(&mut self) -> Result<Option<Bytes>, TransportError> {
        loop {
            match (self.next)()? {
                Some(piece) if piece.is_empty() => {}
                next => return Ok(next),
            }
        }
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
    /// Whatever kept the body from being complete. After an error there is nothing more to read.
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
            Inner::Full(data) => std::mem::take(data),
            Inner::Pieces(pieces) if pieces.piece.is_empty() => return pieces.next(),
            Inner::Pieces(pieces) => std::mem::take(&mut pieces.piece),
            Inner::Read(reader) => {
                let mut buffer = vec![0; PIECE];
                let length = read(reader, &mut buffer).map_err(TransportError::from_io)?;
                buffer.truncate(length);
                buffer.into()
            }
        };
        Ok(Some(piece).filter(|piece| !piece.is_empty()))
    }
}

impl Read for BlockingBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Full(data) => Ok(move_bytes(data, buffer)),
            Inner::Read(reader) => reader.read(buffer),
            Inner::Pieces(pieces) => {
                if pieces.piece.is_empty() && !buffer.is_empty() {
                    let next = pieces.next().map_err(TransportError::into_io)?;
                    pieces.piece = next.unwrap_or_default();
                }
                Ok(move_bytes(&mut pieces.piece, buffer))
            }
        }
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
