//! Records exchanges to a cassette and replays them, to test against a real service's responses without the service.
//!
//! A cassette is text with one JSON object on each line, so that changes can be reviewed. It never contains credentials:
//! request headers and request bodies are not recorded, only a few response headers are (those that a client acts on),
//! and the values of query parameters that carry secrets (`access_token`, `client_secret`, …) are replaced. The body of
//! each response **is** recorded: record against an account with made-up data.
//!
//! The same exchanges always produce the same bytes: a cassette contains no time, no duration and no hash order.
//!
//! # Examples
//!
//! ```
//! use gateway_transport::cassette::{Recorder, Replayer};
//! use gateway_transport::{BlockingTransport, MemoryTransport};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let request = http::Request::get("http://host/list?b=2&a=1").body("".into())?;
//!
//! let service = MemoryTransport::new([Ok(http::Response::new("[]".into()))]);
//! let recorder = Recorder::new(service, Vec::new());
//! BlockingTransport::send(&recorder, request.clone())?;
//! let cassette = String::from_utf8(recorder.into_writer())?;
//! assert_eq!(cassette, r#"{"method":"GET","target":"/list?b=2&a=1","status":200,"headers":[],"body":"[]"}
//! "#);
//!
//! let replayer = Replayer::new(&cassette)?;
//! let response = BlockingTransport::send(&replayer, request)?;
//! assert_eq!(response.into_body().collect(10)?, "[]");
//! assert_eq!(replayer.remaining(), 0);
//! # Ok(())
//! # }
//! ```
use std::collections::VecDeque;
use std::error::Error as StdError;
use std::fmt;
use std::io::Write;

use bytes::Bytes;
use http::response::Parts;

use crate::mutex::Mutex;
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Deadline, ErrorKind, Request,
    Response, Sent, Transport, TransportError,
};

mod line;

use self::line::{Asked, Line};

/// A transport that sends through another one and writes each exchange to a cassette. Async and blocking.
///
/// Each response is received completely before it is returned. Failed exchanges are not written. The
/// [module documentation](crate::cassette) says what is recorded and has an example.
pub struct Recorder<T, W> {
    inner: T,
    writer: Mutex<W>,
    limit: u64,
}

impl<T, W: Write> Recorder<T, W> {
    /// Wraps `inner` and writes each exchange to `writer` as one line, flushed immediately.
    pub fn new(inner: T, writer: W) -> Self {
        Self { inner, writer: Mutex::new(writer), limit: DEFAULT_LIMIT }
    }

    /// Sets the maximum size of a recorded body, in bytes; a larger body is an error. Default: 16 MiB.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Ends the recording and returns the writer.
    pub fn into_writer(self) -> W {
        self.writer.into_inner()
    }

    fn write(&self, asked: Asked, head: &Parts, body: &Bytes) -> Result<(), TransportError> {
        let not_written = || TransportError::new(ErrorKind::Other, "cannot write to the cassette");
        let mut line = serde_json::to_vec(&Line::new(asked, head, body))
            .map_err(|error| not_written().with_source(error))?;
        line.push(b'\n');
        let mut writer = self.writer.lock();
        let written = writer.write_all(&line).and_then(|()| writer.flush());
        written.map_err(|error| not_written().with_source(error))
    }
}

impl<T: Transport, W: Write + Send + 'static> Transport for Recorder<T, W> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let asked = Asked::of(&request);
        let (head, body) = self.inner.send(request).await?.into_parts();
        let body = body.collect(self.limit).await?;
        self.write(asked, &head, &body)?;
        Ok(Response::from_parts(head, body.into()))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

impl<T: BlockingTransport, W: Write + Send + 'static> BlockingTransport for Recorder<T, W> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let asked = Asked::of(&request);
        let (head, body) = self.inner.send(request)?.into_parts();
        let body = body.collect(self.limit)?;
        self.write(asked, &head, &body)?;
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

/// Default of the maximum body size, in bytes.
const DEFAULT_LIMIT: u64 = 16 << 20;

/// A transport that answers from a cassette. Async and blocking.
///
/// Each line answers once. A request gets the first unused line with its method, target and body; the host does not matter. A
/// request without a matching line is an error, whose source shows where the request differs from the closest unused
/// line. [`remaining`](Self::remaining) returns the number of unused lines.
///
/// # Examples
///
/// ```
/// use std::error::Error;
///
/// use gateway_transport::BlockingTransport;
/// use gateway_transport::cassette::Replayer;
///
/// # fn main() -> Result<(), Box<dyn Error>> {
/// let cassette = r#"{"method":"GET","target":"/list?status=New","status":200,"headers":[],"body":"[]"}"#;
/// let replayer = Replayer::new(cassette)?;
///
/// let request = http::Request::get("http://host/list?status=Old").body("".into())?;
/// let error = BlockingTransport::send(&replayer, request).unwrap_err();
/// assert_eq!(error.to_string(), "the cassette has no unused response to this request");
/// assert_eq!(
///     error.source().unwrap().to_string(),
///     "\n  requested: GET /list?status=Old\n   recorded: GET /list?status=New\n                              ^"
/// );
/// # Ok(())
/// # }
/// ```
pub struct Replayer(Mutex<VecDeque<Line>>);

impl Replayer {
    /// Parses a cassette. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Other`] with the number of the first line that is not a recorded exchange.
    pub fn new(cassette: &str) -> Result<Self, TransportError> {
        let mut lines = VecDeque::new();
        for (index, text) in cassette.lines().enumerate().filter(|(_, text)| !text.is_empty()) {
            let line = serde_json::from_str(text).map_err(|error| {
                let text = format!("cassette line {} is not a recorded exchange", index + 1);
                TransportError::new(ErrorKind::Other, text).with_source(error)
            })?;
            lines.push_back(line);
        }
        Ok(Self(Mutex::new(lines)))
    }

    /// Returns the number of unused lines.
    pub fn remaining(&self) -> usize {
        self.0.lock().len()
    }

    fn answer(&self, request: &Request) -> Result<http::Response<Bytes>, TransportError> {
        Deadline::remaining(request)?;
        let asked = Asked::of(request);
        let mut lines = self.0.lock();
        let position = lines.iter().position(|line| line.answers(&asked));
        if let Some(line) = position.and_then(|position| lines.remove(position)) {
            return line.into_response();
        }
        let mismatch = Mismatch::new(asked.to_string(), &lines);
        let text = "the cassette has no unused response to this request";
        Err(TransportError::new(ErrorKind::Other, text).with_sent(Sent::No).with_source(mismatch))
    }
}

impl Transport for Replayer {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Ok(self.answer(&request)?.map(Body::from))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl BlockingTransport for Replayer {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        Ok(self.answer(&request)?.map(BlockingBody::from))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl fmt::Debug for Replayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replayer({} lines)", self.remaining())
    }
}

/// A request and the unused line that is most like it.
///
/// This is the only error of the crate that quotes the request. A cassette belongs to a test, whose author needs to see
/// the difference.
struct Mismatch {
    requested: String,
    /// The unused line with the longest common prefix.
    nearest: Option<String>,
}

impl Mismatch {
    fn new(requested: String, lines: &VecDeque<Line>) -> Self {
        let lines = lines.iter().map(ToString::to_string);
        // `max_by_key` returns the last of several maxima; `rev` makes that the earliest line, which is expected next.
        let nearest = lines.rev().max_by_key(|line| common_prefix(line, &requested));
        Self { requested, nearest }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n  requested: {}", self.requested)?;
        let Some(nearest) = &self.nearest else {
            return f.write_str("\n  every recorded line has been used");
        };
        let mark = common_prefix(nearest, &self.requested) + 1;
        write!(f, "\n   recorded: {nearest}\n             {:>mark$}", '^')
    }
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `unwrap` prints `Debug`; keep the lines readable there, too.
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Mismatch {}

/// Returns the length of the common prefix, in characters.
fn common_prefix(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

const NAME: &str = "cassette";
