//! The error of this crate: what failed, what the service sent, and whether a later call may succeed.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use bytes::Bytes;
use gateway_transport::{BoxError, TransportError};
use http::response::Parts;
use http::{HeaderMap, Response, StatusCode};
use methodical_model::{ErrorClass, ServiceError};

use crate::Problem;
use crate::head::{
    Meaning, Reaction, meaning, meaning_of, media_type, redirect_origin, retry_after,
};
use crate::time::date;

/// Why a call failed, or why a client could not be built.
///
/// Use [`kind`](Self::kind) to decide what to do next. `Display` prints a lowercase fragment, which never contains the
/// token, a query value or a record. [`body`](Self::body) and [`problem`](Self::problem) return what the service sent.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, ErrorKind, blocking};
/// use http::Response;
///
/// let response = Response::builder().status(401).body("no such token".into()).unwrap();
///
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(response)]))
///     .build()?;
/// let error = client.send(&RawQuery::new("photos/list")).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unauthorized);
/// assert_eq!(error.to_string(), "the service rejected the access token (status 401)");
/// assert_eq!(error.body().unwrap(), "no such token");
/// # Ok::<(), methodical_client::Error>(())
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    text: Cow<'static, str>,
    attempts: u32,
    head: Option<Parts>,
    body: Option<Bytes>,
    progress: Option<Progress>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// How much of a list or a body was received before the error.
#[derive(Clone, Copy, Debug)]
enum Progress {
    Records(u64),
    Bytes(u64),
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the status of the response, if its head was received.
    ///
    /// The status is 200 if a successful response was truncated, timed out or was too large, or if its body could not
    /// be decoded.
    pub fn status(&self) -> Option<StatusCode> {
        self.0.head.as_ref().map(|head| head.status)
    }

    /// Returns the headers of the response, if its head was received.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.head.as_ref().map(|head| &head.headers)
    }

    /// Returns the first 64 KiB of the response body, which may contain personal data.
    ///
    /// Returns `None` if no response was received, or if a successful response was incomplete, too large or read as a
    /// stream. The body of an error response may be incomplete.
    pub fn body(&self) -> Option<&Bytes> {
        self.0.body.as_ref()
    }

    /// Returns the problem details (RFC 9457) in the response body. Returns `None` if the media type does not declare
    /// them, or if the body is missing or not a JSON object.
    pub fn problem(&self) -> Option<Problem> {
        media_type(self.headers()?)
            .is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/problem+json"))
            .then(|| Problem::read(self.body()?))?
    }

    /// Returns how long the service asks clients to wait before the next call (`Retry-After`; RFC 9110, section
    /// 10.2.3).
    ///
    /// A number of seconds is returned unchanged. A date is converted to the time left until then, or zero if it has
    /// passed. Returns `None` if the header is absent or invalid.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers()?, date())
    }

    /// Returns how many records of a list were decoded before the error, over all pages. Returns `None` if the call did
    /// not read a list as a stream or in pages, or if its first request failed.
    pub fn delivered(&self) -> Option<u64> {
        match self.0.progress? {
            Progress::Records(count) => Some(count),
            Progress::Bytes(_) => None,
        }
    }

    /// Returns the failure that the service reported in a body with status 200: its own code and message.
    ///
    /// `Display` shows at most the code, and only if it cannot be personal data. Returns `None` for any other error.
    ///
    /// ```
    /// use methodical_client::Error;
    ///
    /// fn is_unknown_album(error: &Error) -> bool {
    ///     error.service().is_some_and(|reported| reported.code() == Some("unknown_album"))
    /// }
    /// # let _ = is_unknown_album;
    /// ```
    pub fn service(&self) -> Option<&ServiceError> {
        let source = self.0.source.as_deref()?;
        source.downcast_ref::<methodical_model::DecodeError>()?.service()
    }

    /// Returns how many attempts were made: 0 if the error occurred before the first one or outside a call.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns whether the same call may succeed later.
    ///
    /// Use this to decide whether to try again later. It is true for the failures that the client itself retries: a
    /// failed connection, a timeout, an interrupted response, one of the statuses 408, 429, 500, 502, 503 and 504, or a
    /// body that reports the class [`RateLimit`](methodical_model::ErrorClass::RateLimit) or
    /// [`Unavailable`](methodical_model::ErrorClass::Unavailable). It is also true if the token source failed because
    /// its own transport could not connect, timed out or was interrupted.
    pub fn is_transient(&self) -> bool {
        if let Some(reported) = self.service() {
            return meaning_of(reported.class()).reaction == Reaction::Retry;
        }
        match (self.status().and_then(meaning), self.0.kind) {
            (Some(meaning), _) => meaning.reaction == Reaction::Retry,
            (None, ErrorKind::Token) => iter::successors(self.source(), |&error| error.source())
                .filter_map(|error| error.downcast_ref())
                .any(TransportError::is_transient),
            (None, kind) => {
                matches!(kind, ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Interrupted)
            }
        }
    }

    /// Creates an error without a response.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            text: text.into(),
            attempts: 0,
            head: None,
            body: None,
            progress: None,
            source: None,
        }))
    }

    /// Creates the error for an invalid setting of the client.
    pub(crate) fn config(text: &'static str) -> Self {
        Self::new(ErrorKind::Config, text)
    }

    /// Creates the error for a successful response whose body exceeds the client's limit, in bytes.
    pub(crate) fn body_too_large(limit: u64) -> Self {
        let text = format!(
            "the response body exceeds the body limit of {limit} bytes; raise it with `ClientBuilder::body_limit`"
        );
        Self::new(ErrorKind::TooLarge, text)
    }

    /// Fails if the status is not 200. For a redirect, the message names the target server.
    pub(crate) fn check_status(status: StatusCode, headers: &HeaderMap) -> Result<(), Self> {
        let Some(meaning) = meaning(status) else { return Ok(()) };
        let to = match meaning.kind {
            ErrorKind::Redirected => redirect_origin(headers),
            _ => None,
        };
        let to = to.map(|origin| format!(" to {origin}")).unwrap_or_default();
        let text = format!("{}{to} (status {})", meaning.text, status.as_u16());
        Err(Self::new(meaning.kind, text))
    }

    /// Adds the response and the number of attempts.
    pub(crate) fn with_response(self, response: Response<Bytes>, attempts: u32) -> Self {
        let (head, body) = response.into_parts();
        self.with_body(body).with_head(head).after_attempts(attempts)
    }

    /// Adds the first [`ERROR_BODY_LIMIT`] bytes of a response body.
    pub(crate) fn with_body(mut self, body: Bytes) -> Self {
        self.0.body = Some(match body.get(..ERROR_BODY_LIMIT) {
            // A slice would keep the whole body in memory.
            Some(beginning) if beginning.len() < body.len() => Bytes::copy_from_slice(beginning),
            _ => body,
        });
        self
    }

    /// Adds the response head.
    pub(crate) fn with_head(mut self, head: Parts) -> Self {
        self.0.head = Some(head);
        self
    }

    pub(crate) fn with_text(mut self, text: String) -> Self {
        self.0.text = text.into();
        self
    }

    pub(crate) fn after_attempts(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Adds how many records were decoded before the error.
    pub(crate) fn after_records(mut self, delivered: u64) -> Self {
        self.0.progress = Some(Progress::Records(delivered));
        self
    }

    /// Adds how many bytes were received before the error.
    pub(crate) fn after_bytes(mut self, received: u64) -> Self {
        self.0.progress = Some(Progress::Bytes(received));
        self
    }

    pub(crate) fn because(self, source: impl Into<BoxError>) -> Self {
        self.because_shared(Arc::from(source.into()))
    }

    /// Adds a cause that other errors share.
    pub(crate) fn because_shared(mut self, source: Arc<dyn StdError + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        use gateway_transport::TransportErrorKind as Kind;

        let (kind, text) = match error.kind() {
            Kind::InvalidRequest => {
                (ErrorKind::Config, "the transport refused the request; check its URL and headers")
            }
            Kind::Resolve | Kind::Connect => (ErrorKind::Connect, "cannot reach the service"),
            Kind::Tls => (ErrorKind::Tls, "cannot establish a secure connection to the service"),
            Kind::Timeout => (
                ErrorKind::Timeout,
                "no complete response within a timeout of the transport; set a longer one in its `Options`",
            ),
            Kind::Interrupted => (ErrorKind::Interrupted, "the response is incomplete"),
            Kind::Protocol => (ErrorKind::Protocol, "cannot read the response"),
            Kind::TooLarge => {
                (ErrorKind::TooLarge, "the response exceeds a size limit of the transport")
            }
            _ => (ErrorKind::Transport, "the transport failed"),
        };
        Self::new(kind, text).because(error)
    }
}

impl From<methodical_model::DecodeError> for Error {
    fn from(error: methodical_model::DecodeError) -> Self {
        use methodical_model::DecodeErrorKind as Kind;

        let (kind, text) = match error.kind() {
            Kind::Parameter => (ErrorKind::Query, "cannot send the query"),
            Kind::NotSuccess => {
                let class = error.service().map(ServiceError::class).unwrap_or_default();
                let Meaning { kind, text, .. } = meaning_of(class);
                (kind, text)
            }
            Kind::TooLarge => (
                ErrorKind::TooLarge,
                "a value next to the list exceeds the record limit; raise it with `Records::record_limit`",
            ),
            _ => (ErrorKind::Decode, "the response does not match the contract"),
        };
        let code = error.service().and_then(shown_code);
        let text: Cow<'_, str> = match code {
            Some(code) => format!("{text} (code {code})").into(),
            None => text.into(),
        };
        Self::new(kind, text).because(error)
    }
}

/// Returns the code of a failure that the service reported, if the code may be shown. Any code may contain personal
/// data, unless it is a number or the contract declares it.
fn shown_code(reported: &ServiceError) -> Option<&str> {
    let is_declared = reported.class() != ErrorClass::Other;
    let is_number =
        |code: &&str| code.len() <= 10 && code.bytes().all(|byte| byte.is_ascii_digit());
    reported.code().filter(|code| !code.is_empty() && (is_declared || is_number(code)))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The next step is the last part of the message.
        let (what, next) =
            self.0.text.split_at(self.0.text.find("; ").unwrap_or(self.0.text.len()));
        f.write_str(what)?;
        let progress = self.0.progress.map(|progress| match progress {
            Progress::Records(count) => (count, "record"),
            Progress::Bytes(count) => (count, "byte"),
        });
        if let Some((count, unit)) = progress {
            write!(f, " after {count} {unit}{}", if count == 1 { "" } else { "s" })?;
        }
        f.write_str(next)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers and body are omitted: both may contain personal data.
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("text", &self.0.text)
            .field("attempts", &self.0.attempts)
            .field("status", &self.status())
            .field("progress", &self.0.progress)
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

/// Maximum size of the body that is kept with an error, in bytes.
pub(crate) const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// The kind of a failure, so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting, such as the base URL or the token, is missing or invalid. Nothing was sent.
    Config,
    /// The token source returned no token; the error's `source()` says why.
    Token,
    /// A query value cannot be sent. Nothing was sent.
    Query,
    /// The client could not connect to the service. A later call may succeed.
    Connect,
    /// The TLS handshake or session with the service failed, or a TLS setting is invalid. Check the service's
    /// certificate.
    Tls,
    /// A timeout expired. A later call may succeed.
    Timeout,
    /// The connection ended before the response was complete. A later call may succeed.
    Interrupted,
    /// The response is not valid HTTP, or not in the encoding that it declares; the error's `source()` says which.
    Protocol,
    /// The transport failed for another reason; the error's `source()` gives the details.
    Transport,
    /// Status 301, 302, 303, 307 or 308. The client never follows a redirect. The base URL may be wrong; the message
    /// names the server that the redirect leads to.
    Redirected,
    /// Status 401, or an error of class [`Auth`](methodical_model::ErrorClass::Auth) in the body: the service rejected
    /// the token.
    Unauthorized,
    /// Status 403: the token does not allow this call.
    Forbidden,
    /// Status 404: the base URL may be wrong.
    NotFound,
    /// Status 429, or an error of class [`RateLimit`](methodical_model::ErrorClass::RateLimit) in the body: the service
    /// received too many calls. [`Error::retry_after`](crate::Error::retry_after) returns the requested wait, if any.
    RateLimited,
    /// A status from 500 to 599, or an error of class [`Unavailable`](methodical_model::ErrorClass::Unavailable) in the
    /// body: the service failed. A later call may succeed if [`Error::is_transient`](crate::Error::is_transient)
    /// returns true.
    Server,
    /// Any other status except 200.
    Status,
    /// A successful response that is not JSON, such as a login page.
    ContentType,
    /// A successful response with a content coding that was not requested.
    ContentCoding,
    /// The response or one of its records exceeds a size limit.
    TooLarge,
    /// A successful response that does not match the contract; the error's `source()` says where.
    Decode,
    /// A response with status 200 whose body reports a failure of any other class.
    /// [`Error::service`](crate::Error::service) returns the code and the message of the failure.
    NotSuccess,
    /// A page of a list violates the contract, or the list exceeds the maximum number of pages. The records received
    /// before the error have already been returned.
    Paging,
}

impl ErrorKind {
    /// Returns the name in snake case, for logs and metrics. Names never change.
    ///
    /// Later versions may add names, but never `other` or `unknown`: a dashboard or a parser can use those for names it
    /// does not know.
    ///
    /// ```
    /// assert_eq!(methodical_client::ErrorKind::RateLimited.as_str(), "rate_limited");
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
            Self::Paging => "paging",
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use gateway_transport::{TransportError, TransportErrorKind as Failure};
    use http::Response;
    use methodical_model::Operation as _;

    use super::{ERROR_BODY_LIMIT, Error, ErrorKind};
    use crate::tests::SearchPhotos;

    #[test]
    fn each_failure_of_a_transport_has_a_kind() {
        for (failure, kind) in [
            (Failure::InvalidRequest, ErrorKind::Config),
            (Failure::Resolve, ErrorKind::Connect),
            (Failure::Connect, ErrorKind::Connect),
            (Failure::Tls, ErrorKind::Tls),
            (Failure::Timeout, ErrorKind::Timeout),
            (Failure::Interrupted, ErrorKind::Interrupted),
            (Failure::Protocol, ErrorKind::Protocol),
            (Failure::TooLarge, ErrorKind::TooLarge),
            (Failure::Other, ErrorKind::Transport),
        ] {
            assert_eq!(Error::from(TransportError::new(failure, "scripted")).kind(), kind);
        }
    }

    #[test]
    fn the_code_of_a_failure_is_shown_if_it_is_a_number_or_declared() {
        let text = |code: &str| {
            let body = format!(r#"{{"stat":"fail","code":{code},"message":"CANARY"}}"#);
            Error::from(SearchPhotos::decode(body.as_bytes()).unwrap_err()).to_string()
        };
        assert_eq!(text("7"), "the service reported a failure (code 7)");
        assert_eq!(text("\"29\""), "the service reported too many calls (code 29)");
        assert_eq!(text("\"CANARY\""), "the service reported a failure");
    }

    #[test]
    fn a_long_body_is_shortened_and_a_short_one_is_shared() {
        for length in [ERROR_BODY_LIMIT, ERROR_BODY_LIMIT + 1] {
            let body = Bytes::from(vec![b'x'; length]);
            let error = Error::new(ErrorKind::Decode, "scripted");
            let error = error.with_response(Response::new(body.clone()), 1);
            let kept = error.body().unwrap();
            assert_eq!(kept.len(), ERROR_BODY_LIMIT);
            let is_shared = kept.as_ptr() == body.as_ptr();
            assert_eq!(is_shared, length == ERROR_BODY_LIMIT, "{length}");
        }
    }
}
