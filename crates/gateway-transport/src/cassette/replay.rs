//! Answering from a cassette.
use std::collections::VecDeque;
use std::error::Error as StdError;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::cassette::line::{Line, target};
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Deadline, ErrorKind, Request,
    Response, Sent, Transport, TransportError,
};

/// Answers from a cassette. Async and blocking.
///
/// Each line answers once: the first unused one with the method and the target of the request. The host does not
/// matter. A request that no line answers is an error, whose source shows how it differs from the line that comes
/// closest, and [`remaining`](Self::remaining) tells how many lines nobody asked for.
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
/// assert_eq!(error.to_string(), "the cassette has no answer to this request");
/// assert_eq!(
///     error.source().unwrap().to_string(),
///     "\n  asked for: GET /list?status=Old\n   recorded: GET /list?status=New\n                              ^"
/// );
/// # Ok(())
/// # }
/// ```
pub struct Replayer(Mutex<VecDeque<Line>>);

impl Replayer {
    /// Reads a cassette. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Other`] with the number of the first line that is not an exchange.
    pub fn new(cassette: &str) -> Result<Self, TransportError> {
        let mut lines = VecDeque::new();
        for (index, text) in cassette.lines().enumerate().filter(|(_, text)| !text.is_empty()) {
            let line = serde_json::from_str(text).map_err(|error| {
                let text = format!("line {} of the cassette is not an exchange", index + 1);
                TransportError::new(ErrorKind::Other, text).with_source(error)
            })?;
            lines.push_back(line);
        }
        Ok(Self(Mutex::new(lines)))
    }

    /// Returns how many lines have not been asked for.
    pub fn remaining(&self) -> usize {
        self.lines().len()
    }

    fn answer(&self, request: &Request) -> Result<http::Response<Bytes>, TransportError> {
        Deadline::remaining(request)?;
        let (method, target) = (request.method().as_str(), target(request.uri()));
        let mut lines = self.lines();
        let position = lines.iter().position(|line| line.method == method && line.target == target);
        if let Some(line) = position.and_then(|position| lines.remove(position)) {
            return line.into_response();
        }
        let asked = format!("{method} {target}");
        let difference = Difference::new(asked, &lines);
        let text = "the cassette has no answer to this request";
        Err(TransportError::new(ErrorKind::Other, text).with_sent(Sent::No).with_source(difference))
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

/// How a request differs from what was recorded.
///
/// Unlike every other error of this crate it quotes the request. A cassette belongs to a test, and there the
/// difference is what one needs.
struct Difference {
    asked: String,
    /// The unused line that agrees with the request for longest.
    nearest: Option<String>,
}

impl Difference {
    fn new(asked: String, lines: &VecDeque<Line>) -> Self {
        let lines = lines.iter().map(|line| format!("{} {}", line.method, line.target));
        // `rev`, because the last of several maxima wins, and the earliest line is the one that was expected next.
        let nearest = lines.rev().max_by_key(|line| agreement(line, &asked));
        Self { asked, nearest }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n  asked for: {}", self.asked)?;
        let Some(nearest) = &self.nearest else { return f.write_str("\n  nothing is left") };
        let mark = agreement(nearest, &self.asked) + 1;
        write!(f, "\n   recorded: {nearest}\n             {:>mark$}", '^')
    }
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `unwrap` prints this, and the lines are worth reading there, too.
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Difference {}

/// How many characters both texts begin with.
fn agreement(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

const NAME: &str = "cassette";
