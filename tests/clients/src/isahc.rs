//! A transport over `isahc`, which wraps libcurl.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use futures_util::AsyncReadExt;
use futures_util::stream::try_unfold;
use gateway_transport::bytes::Bytes;
use gateway_transport::{
    Body, Phase, Request, Response, Sent, Transport, TransportError, TransportErrorKind,
};
use http::{HeaderName, HeaderValue, StatusCode};
use isahc::config::{Configurable, ExpectContinue, RedirectPolicy, VersionNegotiation};
use isahc::error::ErrorKind as Theirs;
use isahc::{AsyncBody, HttpClient};

use crate::adapt::{Limits, check_target, refused};

/// Sends requests with isahc over plain TCP.
#[derive(Debug)]
pub struct IsahcTransport {
    client: HttpClient,
    idle_timeout: Duration,
}

impl IsahcTransport {
    /// Creates a client with these time limits.
    ///
    /// # Errors
    /// Fails if libcurl cannot be initialized.
    pub fn new(connect_timeout: Duration, idle_timeout: Duration) -> Result<Self, TransportError> {
        let client = HttpClient::builder()
            .connect_timeout(connect_timeout)
            .redirect_policy(RedirectPolicy::None)
            .automatic_decompression(false)
            .expect_continue(ExpectContinue::disabled())
            .version_negotiation(VersionNegotiation::http11())
            .proxy(None)
            .build()
            .map_err(|error| classify(&error, Phase::Unknown))?;
        Ok(Self { client, idle_timeout })
    }
}

impl Transport for IsahcTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limits = Limits::of(&request, self.idle_timeout)?;
        let sent = limits.head(self.client.send_async(convert(request)?)).await?;
        let (head, body) = sent.map_err(|error| classify(&error, Phase::Head))?.into_parts();
        let mut response = Response::new(limits.body(chunks(body)));
        *response.status_mut() =
            StatusCode::from_u16(head.status.as_u16()).map_err(|_invalid| malformed())?;
        for (name, value) in &head.headers {
            let name = HeaderName::from_bytes(name.as_ref()).map_err(|_invalid| malformed())?;
            let value =
                HeaderValue::from_bytes(value.as_bytes()).map_err(|_invalid| malformed())?;
            response.headers_mut().append(name, value);
        }
        Ok(response)
    }
}

/// Converts the request to the types of http 0.2.
fn convert(request: Request) -> Result<isahc::Request<AsyncBody>, TransportError> {
    let (head, body) = request.into_parts();
    check_target(&head.uri, &["http"])?;
    // libcurl removes dot segments, and the client does not expose the option that keeps them.
    let path = head.uri.path().to_ascii_lowercase().replace("%2e", ".");
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(refused("the client would rewrite the target"));
    }
    let mut builder =
        isahc::Request::builder().method(head.method.as_str()).uri(head.uri.to_string());
    for (name, value) in &head.headers {
        // The client panics on other values.
        value.to_str().map_err(|_invalid| refused("the client sends only ASCII headers"))?;
        builder = builder.header(name.as_str(), value.as_bytes());
    }
    let body = if body.is_empty() { AsyncBody::empty() } else { body.to_vec().into() };
    builder.body(body).map_err(|_invalid| refused("the client does not support the request"))
}

/// Reads a body in chunks.
fn chunks(body: AsyncBody) -> Body {
    Body::from_chunks(try_unfold(body, async |mut body| {
        let mut buffer = [0; 16 * 1024];
        let length = body.read(&mut buffer).await.map_err(body_error)?;
        Ok((length > 0).then(|| (Bytes::copy_from_slice(&buffer[..length]), body)))
    }))
}

fn body_error(error: io::Error) -> TransportError {
    match error.get_ref().and_then(|error| error.downcast_ref::<isahc::Error>()) {
        Some(error) => classify(error, Phase::Body),
        None => TransportError::from_io(error).with_phase(Phase::Body).with_sent(Sent::Maybe),
    }
}

fn classify(error: &isahc::Error, phase: Phase) -> TransportError {
    let curl = error.source().and_then(|source| source.downcast_ref::<curl::Error>());
    let (kind, text) = match error.kind() {
        Theirs::ConnectionFailed => (TransportErrorKind::Connect, "cannot connect"),
        Theirs::NameResolution => (TransportErrorKind::Resolve, "cannot resolve the host name"),
        Theirs::InvalidRequest => {
            (TransportErrorKind::InvalidRequest, "the client refused the request")
        }
        // The client does not report the phase.
        Theirs::Timeout => return TransportError::timeout(phase),
        _ if curl.is_some_and(|curl| curl.code() == TOO_LARGE) => {
            (TransportErrorKind::TooLarge, "the response is too large")
        }
        _ if curl.is_some_and(curl::Error::is_got_nothing) => {
            (TransportErrorKind::Interrupted, "the connection was lost")
        }
        Theirs::ProtocolViolation => {
            (TransportErrorKind::Protocol, "the response is malformed HTTP")
        }
        Theirs::Io => (TransportErrorKind::Interrupted, "the connection was lost"),
        _ => (TransportErrorKind::Other, "the client failed"),
    };
    let error = TransportError::new(kind, text);
    match kind {
        TransportErrorKind::Connect
        | TransportErrorKind::Resolve
        | TransportErrorKind::InvalidRequest => error,
        _ => error.with_phase(phase).with_sent(Sent::Maybe),
    }
}

/// `CURLE_TOO_LARGE`
const TOO_LARGE: u32 = 100;

fn malformed() -> TransportError {
    TransportError::new(TransportErrorKind::Protocol, "the response is malformed")
        .with_phase(Phase::Head)
}
