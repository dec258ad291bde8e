//! The steps that adapters over async clients share: time limits, checks of the target, classes of errors.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::time::{Duration, Instant};

use gateway_transport::{Body, Deadline, Phase, Request, Sent, TransportError, TransportErrorKind};
use http::Uri;
use tokio::runtime::Handle;
use tokio::time::{sleep_until, timeout_at};

/// The time limits of one exchange, for a client that has none.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    deadline: Option<Deadline>,
    idle_timeout: Duration,
}

impl Limits {
    /// Reads the deadline of `request`.
    ///
    /// # Errors
    /// Fails if the deadline has passed, or outside a tokio runtime.
    pub fn of(request: &Request, idle_timeout: Duration) -> Result<Self, TransportError> {
        Deadline::remaining(request)?;
        Handle::try_current().map_err(|_missing| refused("the transport needs a tokio runtime"))?;
        Ok(Self { deadline: Deadline::of(request), idle_timeout })
    }

    /// Waits for the head of a response.
    ///
    /// # Errors
    /// Fails if the head does not arrive by the deadline or within the idle timeout.
    pub async fn head<T>(self, exchange: impl Future<Output = T>) -> Result<T, TransportError> {
        let idle = Deadline::after(self.idle_timeout).instant();
        let limit = self.deadline.map_or(idle, |deadline| deadline.head().min(idle));
        let head = timeout_at(limit.into(), exchange).await;
        head.map_err(|_late| TransportError::timeout(Phase::Head))
    }

    /// Applies the limits to a body.
    pub fn body(self, body: Body) -> Body {
        body.with_limits(self.deadline, self.idle_timeout, |at: Instant| sleep_until(at.into()))
    }
}

/// Refuses a target that is not absolute, that has credentials, or whose port is invalid.
///
/// # Errors
/// Fails if the target is refused, or if its scheme is not in `schemes`.
pub fn check_target(uri: &Uri, schemes: &[&str]) -> Result<(), TransportError> {
    if !uri.scheme_str().is_some_and(|scheme| schemes.contains(&scheme)) {
        return Err(refused("the client does not support the scheme"));
    }
    let authority = uri.authority().ok_or_else(|| refused("the target has no host"))?;
    let has_port = authority.as_str() != authority.host();
    if authority.as_str().contains('@') || (has_port && authority.port_u16().is_none()) {
        return Err(refused("the authority has credentials or an invalid port"));
    }
    Ok(())
}

/// Converts a target for clients that parse it as a URL.
///
/// # Errors
/// Fails if the target is not supported, or if the URL differs from it.
pub fn unchanged_url(uri: &Uri) -> Result<reqwest::Url, TransportError> {
    check_target(uri, &["http", "https"])?;
    let url = reqwest::Url::parse(&uri.to_string()).map_err(|_invalid| refused("not a URL"))?;
    let path = if uri.path().is_empty() { "/" } else { uri.path() };
    if url.path() == path && url.query() == uri.query() {
        Ok(url)
    } else {
        Err(refused("the client would rewrite the target"))
    }
}

/// Converts the error of a client over hyper. Its text is not copied, because it may quote the address.
pub fn classify(
    error: &(dyn Error + 'static),
    is_connect: bool,
    is_timeout: bool,
    phase: Phase,
) -> TransportError {
    let phase = if is_connect { Phase::Connect } else { phase };
    let sources = || successors(Some(error), |&error| error.source());
    let io = sources().find_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind);
    if is_timeout || io == Some(io::ErrorKind::TimedOut) {
        return TransportError::timeout(phase);
    }
    let is_tls = sources().any(is_tls);
    let (kind, text) = if sources().any(|error| error.to_string() == "dns error") {
        (TransportErrorKind::Resolve, "cannot resolve the host name")
    } else if is_tls {
        (TransportErrorKind::Tls, "the TLS session failed")
    } else if is_connect {
        (TransportErrorKind::Connect, "cannot connect")
    } else if sources().any(|error| error.to_string() == "message head is too large") {
        (TransportErrorKind::TooLarge, "the response head is too large")
    } else if sources().any(|error| error.downcast_ref().is_some_and(hyper::Error::is_parse))
        || matches!(io, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
    {
        (TransportErrorKind::Protocol, "the response is malformed HTTP")
    } else {
        (TransportErrorKind::Interrupted, "the connection was lost")
    };
    let error = TransportError::new(kind, text).with_phase(phase);
    if is_connect { error.with_sent(Sent::No) } else { error.with_sent(Sent::Maybe) }
}

/// An `io::Error` may contain the error of rustls, or another `io::Error` that does. `source` skips both.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_tls(inner))
}

/// Returns the error of a request that cannot be sent unchanged.
pub fn refused(text: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::InvalidRequest, text)
}
