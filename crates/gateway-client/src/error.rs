//! The one error of this crate: what happened, what came back, and whether to try again.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use bytes::Bytes;
use gateway_transport::{BoxError, TransportError};
use http::{HeaderMap, StatusCode};

use crate::Problem;
use crate::answer::{Answer, media_type, redirect_origin};
use crate::retry::is_transient_status;

/// Why a call gave no result.
///
/// One pointer wide. The text is a lowercase fragment for a person; it never has the token, a query value or a record
/// in it. What the service sent along is behind [`body`](Self::body) and [`problem`](Self::problem).
///
/// # Examples
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, ErrorKind, blocking};
/// use http::Response;
///
/// let answer = Response::builder().status(401).body("no such token".into()).unwrap();
///
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(answer)]))
///     .build()?;
/// let error = client.get_credits().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unauthorized);
/// assert_eq!(error.to_string(), "the service did not accept the access token (status 401)");
/// assert_eq!(error.body().unwrap(), "no such token");
/// # Ok::<(), gateway_client::Error>(())
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    text: Cow<'static, str>,
    attempts: u32,
    answer: Option<Answer>,
    came_before: Option<CameBefore>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// How far a stream came before it failed.
#[derive(Clone, Copy, Debug)]
enum CameBefore {
    Records(u64),
    Bytes(u64),
}

/// What kind of failure it was, so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client cannot work as it is set up: base URL, token or transport. Nothing was sent.
    Config,
    /// The token source has no token; the source has the reason.
    Token,
    /// The query holds a value that cannot be sent. Nothing was sent.
    Query,
    /// No connection to the service. Later, it may work.
    Connect,
    /// No trusted TLS session with the service: look at its certificate.
    Tls,
    /// A time limit passed. Later, it may work.
    Timeout,
    /// The connection ended before the answer was complete. Later, it may work.
    Interrupted,
    /// What came back is not HTTP, or not the encoding it claims to be; the source says which.
    Protocol,
    /// The transport failed in a way of its own; the source has the details.
    Transport,
    /// Status 301, 302, 303, 307 or 308: a redirect, which is never followed. The base URL may be wrong; the text says
    /// which server it leads to.
    Redirected,
    /// Status 401: the service did not accept the token.
    Unauthorized,
    /// Status 403: the token may not do this.
    Forbidden,
    /// Status 404: the base URL may be wrong.
    NotFound,
    /// Status 429: too many calls. [`Error::retry_after`] says when to come back, if the service did.
    RateLimited,
    /// A status from 500 to 599: the service failed. Later, it may work, unless it says that it cannot do this at all.
    Server,
    /// Any other status but 200.
    Status,
    /// A successful answer that is not JSON, such as a login page.
    ContentType,
    /// A successful answer with a content coding nobody asked for.
    ContentCoding,
    /// The answer is larger than the limit in force.
    TooLarge,
    /// A successful answer that is not what the service text says; the source says where.
    Decode,
    /// An answer with status 200 whose success marker says that the call failed.
    NotSuccess,
}

impl ErrorKind {
    /// Returns a name in snake case, for logs and metrics. It stays as it is.
    ///
    /// ```
    /// assert_eq!(gateway_client::ErrorKind::RateLimited.as_str(), "rate_limited");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Token => "token",
            Self::Query => "query",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Protocol => "protocol",
            Self::Transport => "transport",
            Self::Redirected => "redirected",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Status => "status",
            Self::ContentType => "content_type",
            Self::ContentCoding => "content_coding",
            Self::TooLarge => "too_large",
            Self::Decode => "decode",
            Self::NotSuccess => "not_success",
        }
    }
}

impl Error {
    /// Returns what kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the status of the answer, if one came.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.answer.as_ref().map(Answer::status)
    }

    /// Returns the headers of the answer, if one came.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.answer.as_ref().map(Answer::headers)
    }

    /// Returns the body of the answer, if one came: its first 64 KiB. It may hold personal data.
    pub fn body(&self) -> Option<&Bytes> {
        self.0.answer.as_ref().map(Answer::body)
    }

    /// Returns the problem details (RFC 9457) of the answer, if it has the media type of such a document.
    pub fn problem(&self) -> Option<Problem> {
        let answer = self.0.answer.as_ref()?;
        media_type(answer.headers())
            .is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/problem+json"))
            .then(|| Problem::read(answer.body()))?
    }

    /// Returns how long the service asked to wait before the next call, as [`Answer::retry_after`] does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.answer.as_ref()?.retry_after()
    }

    /// Returns how many records of a stream came before the error; `None` if the call is no stream that had begun.
    pub fn delivered(&self) -> Option<u64> {
        match self.0.came_before? {
            CameBefore::Records(count) => Some(count),
            CameBefore::Bytes(_) => None,
        }
    }

    /// Returns how many bytes of a [`StreamedAnswer`](crate::StreamedAnswer) came before the error; `None` if the call is
    /// something else.
    pub fn received(&self) -> Option<u64> {
        match self.0.came_before? {
            CameBefore::Records(_) => None,
            CameBefore::Bytes(count) => Some(count),
        }
    }

    /// Returns how often the request was handed to the transport; 0 if the call failed before, or if nothing was called.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns true if the same call may work later: no connection, a time limit, an interrupted answer, or one of the
    /// statuses 408, 429, 500, 502, 503 and 504. It is what the client itself sends a request again for. A token that is
    /// missing because the transport of its source failed in such a way may be there later, too.
    pub fn is_transient(&self) -> bool {
        match self.status() {
            Some(status) => is_transient_status(status),
            None if self.0.kind == ErrorKind::Token => {
                iter::successors(self.source(), |&error| error.source())
                    .filter_map(|error| error.downcast_ref())
                    .any(TransportError::is_transient)
            }
            None => matches!(
                self.0.kind,
                ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Interrupted
            ),
        }
    }

    /// Makes an error without an answer.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            text: text.into(),
            attempts: 0,
            answer: None,
            came_before: None,
            source: None,
        }))
    }

    /// Makes an error about the client's own settings.
    pub(crate) fn config(text: &'static str) -> Self {
        Self::new(ErrorKind::Config, text)
    }

    /// Makes the error of an answer whose status is not 200.
    pub(crate) fn of_head(status: StatusCode, headers: &HeaderMap) -> Self {
        let (kind, text) = match status.as_u16() {
            301 | 302 | 303 | 307 | 308 => return Self::of_redirect(status, headers),
            401 => (ErrorKind::Unauthorized, "the service did not accept the access token"),
            403 => (ErrorKind::Forbidden, "the access token does not allow this call"),
            404 => (ErrorKind::NotFound, "there is no such service at the base URL"),
            429 => (ErrorKind::RateLimited, "the service asks for fewer calls"),
            400..=499 => (ErrorKind::Status, "the service refused the call"),
            500..=599 => (ErrorKind::Server, "the service failed"),
            _ => (ErrorKind::Status, "the service gave no result"),
        };
        Self::new(kind, format!("{text} (status {})", status.as_u16()))
    }

    fn of_redirect(status: StatusCode, headers: &HeaderMap) -> Self {
        let to = redirect_origin(headers).map(|origin| format!(" to {origin}")).unwrap_or_default();
        let text = format!("the service answered with a redirect{to} (status {})", status.as_u16());
        Self::new(ErrorKind::Redirected, text)
    }

    /// Keeps what came back.
    pub(crate) fn with_answer(mut self, answer: Answer) -> Self {
        self.0.attempts = answer.attempts();
        self.0.answer = Some(answer.shortened());
        self
    }

    /// Keeps how often the request was sent.
    pub(crate) fn after_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Keeps how many records came before the error.
    pub(crate) fn after_records(mut self, delivered: u64) -> Self {
        self.0.came_before = Some(CameBefore::Records(delivered));
        self
    }

    /// Keeps how many bytes came before the error.
    pub(crate) fn after_bytes(mut self, received: u64) -> Self {
        self.0.came_before = Some(CameBefore::Bytes(received));
        self
    }

    /// Adds the failure underneath.
    pub(crate) fn because(self, source: impl Into<BoxError>) -> Self {
        self.because_shared(Arc::from(source.into()))
    }

    /// Adds a failure that is underneath other errors, too.
    pub(crate) fn because_shared(mut self, source: Arc<dyn StdError + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        use gateway_transport::ErrorKind as Kind;

        let (kind, text) = match error.kind() {
            Kind::InvalidRequest => (ErrorKind::Config, "the transport cannot send this request"),
            Kind::Resolve => (ErrorKind::Connect, "the host name of the service does not resolve"),
            Kind::Connect => (ErrorKind::Connect, "no connection to the service"),
            Kind::Tls => (ErrorKind::Tls, "no trusted TLS session with the service"),
            Kind::Timeout => (ErrorKind::Timeout, "the service did not answer in time"),
            Kind::Interrupted => (ErrorKind::Interrupted, "the answer was cut short"),
            Kind::Protocol => (ErrorKind::Protocol, "what came back is malformed"),
            Kind::TooLarge => (ErrorKind::TooLarge, "the answer is larger than the limit"),
            _ => (ErrorKind::Transport, "the transport failed"),
        };
        Self::new(kind, text).because(error)
    }
}

impl From<gateway_model::Error> for Error {
    fn from(error: gateway_model::Error) -> Self {
        use gateway_model::ErrorKind as Kind;

        let (kind, text) = match error.kind() {
            Kind::Parameter => (ErrorKind::Query, "the query cannot be sent"),
            Kind::NotSuccess => (ErrorKind::NotSuccess, "the service says that the call failed"),
            Kind::TooLarge => (ErrorKind::TooLarge, "a record is larger than the limit"),
            _ => (ErrorKind::Decode, "the answer is not what the service text says"),
        };
        Self::new(kind, text).because(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)?;
        match self.0.came_before {
            Some(CameBefore::Records(1)) => f.write_str(" after 1 record"),
            Some(CameBefore::Records(count)) => write!(f, " after {count} records"),
            Some(CameBefore::Bytes(1)) => f.write_str(" after 1 byte"),
            Some(CameBefore::Bytes(count)) => write!(f, " after {count} bytes"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither headers nor body: both may be personal.
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("text", &self.0.text)
            .field("attempts", &self.0.attempts)
            .field("status", &self.status())
            .field("came_before", &self.0.came_before)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| -> &(dyn StdError + 'static) { source })
    }
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>(), "an error is one pointer wide");
