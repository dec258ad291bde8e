//! Answers requests from a cassette.
use std::collections::VecDeque;
use std::error::Error as StdError;
use std::fmt;

use bytes::Bytes;

use crate::cassette::line::{Asked, Line};
use crate::mutex::Mutex;
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Deadline, ErrorKind, Request,
    Response, Sent, Transport, TransportError,
};

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
