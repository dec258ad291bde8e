//! Records exchanges to a cassette and replays them, so that tests can use a real service's responses without the
//! service.
//!
//! A cassette is text with one JSON object per line, so that changes can be reviewed. It contains no credentials:
//! request headers are not recorded, and parameters that carry secrets (`access_token`, `client_secret`, …) are
//! redacted in the query and in form bodies. Only the few response headers that a client acts on are recorded. All
//! other data in requests and responses **is** recorded: use a test account.
//!
//! The same exchanges always produce the same bytes: a cassette contains no timestamps or durations, and nothing in it
//! depends on hash order.
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
use std::fmt;
use std::io::Write;

use bytes::Bytes;
use http::header::LOCATION;
use http::response::Parts;
use serde::{Deserialize, Serialize};

use crate::memory::answers;
use crate::platform::Mutex;
use crate::{
    BlockingResponse, BlockingTransport, Deadline, Redacted, Request, Response, Sent, Transport,
    TransportError, TransportErrorKind,
};

/// An async and blocking transport that sends through another transport and writes each exchange to a cassette.
///
/// Each response is received completely before it is returned. A body that exceeds 16 MiB or is not UTF-8 is an error.
/// Failed exchanges are not written. Use this to record a cassette with a test account; the [module
/// documentation](crate::cassette) describes what is recorded.
pub struct Recorder<T, W> {
    inner: T,
    writer: Mutex<W>,
}

impl<T, W: Write> Recorder<T, W> {
    /// Wraps `inner` and writes each exchange to `writer` as one line, flushed immediately.
    pub fn new(inner: T, writer: W) -> Self {
        Self { inner, writer: Mutex::new(writer) }
    }

    /// Ends the recording and returns the writer.
    pub fn into_writer(self) -> W {
        self.writer.into_inner()
    }

    fn write(&self, asked: Asked, head: &Parts, body: &Bytes) -> Result<(), TransportError> {
        let not_written =
            || TransportError::new(TransportErrorKind::Other, "cannot write to the cassette");
        let body = std::str::from_utf8(body).map_err(|error| not_written().with_source(error))?;
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
        let asked = Asked::new(&request);
        let (head, body) = self.inner.send(request).await?.into_parts();
        let body = body.collect(LIMIT).await?;
        self.write(asked, &head, &body)?;
        Ok(Response::from_parts(head, body.into()))
    }
}

impl<T: BlockingTransport, W: Write + Send + 'static> BlockingTransport for Recorder<T, W> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let asked = Asked::new(&request);
        let (head, body) = self.inner.send(request)?.into_parts();
        let body = body.collect(LIMIT)?;
        self.write(asked, &head, &body)?;
        Ok(BlockingResponse::from_parts(head, body.into()))
    }
}

impl<T: fmt::Debug, W> fmt::Debug for Recorder<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recorder").field(&self.inner).finish()
    }
}

/// Maximum size of a recorded body, in bytes.
const LIMIT: u64 = 16 << 20;

/// An async and blocking transport that answers from a cassette. Use this in tests.
///
/// A request gets the response in the first unused line with the same method, target and body; the host is ignored.
/// Each line is used once. A request without a matching line is an error, and the error's source names the request.
/// [`remaining`](Self::remaining) returns the number of unused lines.
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
/// assert_eq!(error.source().unwrap().to_string(), "requested: GET /list?status=Old");
/// # Ok(())
/// # }
/// ```
pub struct Replayer(Mutex<VecDeque<Line>>);

impl Replayer {
    /// Parses a cassette. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::Other`] with the number of the first line that is not a recorded exchange.
    pub fn new(cassette: &str) -> Result<Self, TransportError> {
        let mut lines = VecDeque::new();
        for (index, text) in cassette.lines().enumerate().filter(|(_, text)| !text.is_empty()) {
            let line = serde_json::from_str(text).map_err(|error| {
                let text = format!("cassette line {} is not a recorded exchange", index + 1);
                TransportError::new(TransportErrorKind::Other, text).with_source(error)
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
        let asked = Asked::new(request);
        let mut lines = self.0.lock();
        let position = lines.iter().position(|line| line.answers(&asked));
        if let Some(line) = position.and_then(|position| lines.remove(position)) {
            return line.into_response();
        }
        // This crate's only error that quotes the request, because the author of the test needs to see it.
        let body = asked.body.map(|body| format!(" {body}")).unwrap_or_default();
        let requested = format!("requested: {} {}{body}", asked.method, asked.target);
        let text = "the cassette has no unused response to this request";
        Err(TransportError::new(TransportErrorKind::Other, text)
            .with_sent(Sent::No)
            .with_source(requested))
    }
}

answers!(Replayer);

impl fmt::Debug for Replayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replayer({} lines)", self.remaining())
    }
}

/// One recorded exchange.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    method: String,
    target: String,
    /// The body of the request, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    status: u16,
    headers: Vec<(String, String)>,
    #[serde(default)]
    body: String,
}

impl Line {
    fn new(asked: Asked, head: &Parts, body: &str) -> Self {
        let Asked { method, target, body: request, has_secrets } = asked;
        let headers = head.headers.iter().filter(|(name, _)| {
            KEPT_HEADERS.contains(&name.as_str()) && !(has_secrets && *name == LOCATION)
        });
        Self {
            method,
            target,
            request,
            status: head.status.as_u16(),
            headers: headers
                .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())))
                .collect(),
            body: body.to_owned(),
        }
    }

    /// Returns whether this is the response to a request. A line without a request body matches any body.
    fn answers(&self, asked: &Asked) -> bool {
        self.method == asked.method
            && self.target == asked.target
            && (self.request.is_none() || self.request == asked.body)
    }

    fn into_response(self) -> Result<http::Response<Bytes>, TransportError> {
        let mut response = http::Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(self.body.into()).map_err(|error| {
            let text = "invalid cassette line: `status` or `headers` are invalid";
            TransportError::new(TransportErrorKind::Other, text).with_source(error)
        })
    }
}

/// The parts of a request that identify it, without the scheme, the host and the secrets.
struct Asked {
    method: String,
    target: String,
    body: Option<String>,
    /// Whether the request's URL may contain secrets that a `location` header could repeat.
    has_secrets: bool,
}

impl Asked {
    fn new(request: &Request) -> Self {
        let uri = Redacted::target(request);
        let target = match uri.query() {
            Some(query) => format!("{}?{}", uri.path(), without_secrets(query)),
            None => uri.path().to_owned(),
        };
        let body = std::str::from_utf8(Redacted::body(request)).ok();
        let body = body.filter(|body| !body.is_empty()).map(without_secrets);
        let has_secrets = Redacted::is_needed(request);
        Self { method: request.method().to_string(), target, body, has_secrets }
    }
}

/// Returns a query or a form with its secrets redacted.
fn without_secrets(pairs: &str) -> String {
    let is_secret = |name: &str| SECRETS.iter().any(|secret| name.eq_ignore_ascii_case(secret));
    let pairs = pairs.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}=-"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The recorded response headers: those that a client acts on. `date` would change with every recording, and
/// `set-cookie` is a credential.
const KEPT_HEADERS: [&str; 8] = [
    "allow",
    "content-encoding",
    "content-type",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    "www-authenticate",
];

/// Parameters that carry credentials (RFC 6750, section 2.3; RFC 6749, section 2.3.1; RFC 7521, section 4; RFC 7636,
/// section 4.5; common practice).
const SECRETS: [&str; 11] = [
    "access_token",
    "api_key",
    "apikey",
    "assertion",
    "client_assertion",
    "client_secret",
    "code_verifier",
    "password",
    "refresh_token",
    "signature",
    "token",
];
