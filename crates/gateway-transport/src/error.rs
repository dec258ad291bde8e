//! The error type of every transport.
use std::borrow::Cow;
use std::error::Error as StdError;
use std::{fmt, io};

/// A boxed error of any type, such as the source of a [`TransportError`].
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// The kind of a [`TransportError`], so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The transport cannot send the request unchanged, for example because it would rewrite the target, or because the
    /// scheme is not HTTP. Nothing was sent. A retry would fail again.
    InvalidRequest,
    /// The host name could not be resolved. Nothing was sent. A later retry may succeed.
    Resolve,
    /// No connection could be established. Nothing was sent. A later retry may succeed.
    Connect,
    /// No trusted TLS session could be established: the certificate is not trusted, the protocol version is not
    /// supported, or the peer does not speak TLS. This is also the kind of a session that failed after the handshake,
    /// and of invalid TLS settings. A retry would fail again.
    Tls,
    /// A timeout or deadline expired, in the phase given by [`TransportError::phase`]. A retry of a safe request may
    /// work.
    Timeout,
    /// The connection was lost before the response was complete. A retry of a safe request may succeed.
    Interrupted,
    /// The response is not valid HTTP (RFC 9112), or not in its declared encoding. A retry is unlikely to help.
    Protocol,
    /// The response exceeds a size limit. A retry would fail again.
    TooLarge,
    /// Any other failure; the [source](StdError::source) gives the details.
    Other,
}

impl TransportErrorKind {
    /// Returns the name in snake case, for logs and metrics. Names never change.
    ///
    /// Later versions may add names, so a dashboard or a parser should count an unknown name as `other`.
    ///
    /// ```
    /// assert_eq!(gateway_transport::TransportErrorKind::InvalidRequest.as_str(), "invalid_request");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::Resolve => "resolve",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Protocol => "protocol",
            Self::TooLarge => "too_large",
            Self::Other => "other",
        }
    }
}

/// The phase in which an exchange failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The name lookup, the connection, and the TLS handshake.
    Connect,
    /// Sending the request and waiting for the response head. Includes the phase `Connect` if the client does not
    /// distinguish the two.
    Head,
    /// Receiving the body.
    Body,
    /// The whole exchange: its deadline expired, and the client does not report in which phase.
    Total,
    /// The client does not report the phase.
    Unknown,
}

/// Whether any part of the request may have reached the peer.
#[expect(clippy::exhaustive_enums, reason = "the two variants cover every case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sent {
    /// No byte has reached the peer. Any request may be retried, even one that changes something.
    No,
    /// The request may have reached the peer. Only a safe request (RFC 9110, section 9.2.1) may be retried.
    Maybe,
}

/// Why a transport returned no complete response.
///
/// Use [`kind`](Self::kind) to decide what to do next. The message is a lowercase fragment, such as "connection
/// refused". Neither the message nor the sources that our adapters keep contain data from the request or the response.
///
/// # Examples
///
/// ```
/// use gateway_transport::{TransportErrorKind, Phase, Sent, TransportError};
///
/// let error = TransportError::new(TransportErrorKind::Connect, "connection refused");
/// assert_eq!(error.to_string(), "connection refused");
/// assert_eq!(error.sent(), Sent::No);
/// assert!(error.is_transient());
///
/// let error = TransportError::timeout(Phase::Body);
/// assert_eq!(error.to_string(), "timed out while receiving the body");
/// assert_eq!(error.sent(), Sent::Maybe);
/// ```
pub struct TransportError(Box<Inner>);

struct Inner {
    kind: TransportErrorKind,
    phase: Phase,
    sent: Sent,
    text: Cow<'static, str>,
    source: Option<BoxError>,
}

impl TransportError {
    /// Creates an error of this kind with the message `text`.
    ///
    /// The message must be a lowercase fragment, without a full stop and without data. The phase and [`Sent`] are
    /// derived from the kind where possible; [`with_phase`](Self::with_phase) and [`with_sent`](Self::with_sent)
    /// override them.
    #[cold]
    pub fn new(kind: TransportErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        let (phase, sent) = match kind {
            TransportErrorKind::Resolve | TransportErrorKind::Connect | TransportErrorKind::Tls => {
                (Phase::Connect, Sent::No)
            }
            TransportErrorKind::InvalidRequest => (Phase::Unknown, Sent::No),
            _ => (Phase::Unknown, Sent::Maybe),
        };
        Self(Box::new(Inner { kind, phase, sent, text: text.into(), source: None }))
    }

    /// Creates an error of this kind with its usual message.
    #[cold]
    pub(crate) fn of_kind(kind: TransportErrorKind) -> Self {
        let text = match kind {
            TransportErrorKind::InvalidRequest => {
                "the client refused the request before sending it"
            }
            TransportErrorKind::Resolve => "cannot resolve the host name",
            TransportErrorKind::Connect => "cannot connect",
            TransportErrorKind::Tls => "TLS handshake failed",
            TransportErrorKind::Timeout => "the peer did not answer in time",
            TransportErrorKind::Interrupted => "the connection was lost",
            TransportErrorKind::Protocol => "the response is malformed HTTP",
            TransportErrorKind::TooLarge => "the response head is too large",
            TransportErrorKind::Other => "the exchange failed",
        };
        Self::new(kind, text)
    }

    /// Creates the error for a TLS session that failed after the handshake, when the request may have been sent.
    #[cfg(all(
        any(feature = "reqwest", all(feature = "ureq", feature = "__tls")),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    #[cold]
    pub(crate) fn broken_tls(phase: Phase) -> Self {
        Self::new(TransportErrorKind::Tls, "TLS session failed")
            .with_phase(phase)
            .with_sent(Sent::Maybe)
    }

    /// Creates a [`TransportErrorKind::Timeout`] error for `phase`.
    #[cold]
    pub fn timeout(phase: Phase) -> Self {
        let text = match phase {
            Phase::Connect => "timed out while connecting",
            Phase::Head => "timed out while waiting for the response",
            Phase::Body => "timed out while receiving the body",
            Phase::Total | Phase::Unknown => "timed out",
        };
        let sent = if phase == Phase::Connect { Sent::No } else { Sent::Maybe };
        Self::new(TransportErrorKind::Timeout, text).with_phase(phase).with_sent(sent)
    }

    /// Creates a [`TransportErrorKind::TooLarge`] error for a body of more than `limit` bytes.
    #[cold]
    pub fn body_too_large(limit: u64) -> Self {
        Self::new(
            TransportErrorKind::TooLarge,
            format!("the body exceeds the limit of {limit} bytes"),
        )
        .with_phase(Phase::Body)
    }

    /// Converts an `io::Error` according to its kind. If the error wraps a `TransportError` (see
    /// [`into_io`](Self::into_io)), returns the wrapped error unchanged.
    #[cold]
    pub fn from_io(error: io::Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(ours) => return ours,
            Err(foreign) => foreign,
        };
        Self::of_kind(io_error_kind(error.kind())).with_source(error)
    }

    /// Wraps this error in an `io::Error`, for a [`Read`](io::Read) implementation. [`from_io`](Self::from_io) unwraps
    /// it.
    pub fn into_io(self) -> io::Error {
        io::Error::other(self)
    }

    /// Sets the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Sets the phase in which the exchange failed.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.0.phase = phase;
        self
    }

    /// Sets whether the request may have reached the peer.
    #[must_use]
    pub fn with_sent(mut self, sent: Sent) -> Self {
        self.0.sent = sent;
        self
    }

    /// Returns a copy without the source, which cannot be cloned.
    #[cold]
    pub(crate) fn without_source(&self) -> Self {
        let Inner { kind, phase, sent, ref text, source: _ } = *self.0;
        Self(Box::new(Inner { kind, phase, sent, text: text.clone(), source: None }))
    }

    /// Returns the kind of the failure.
    pub fn kind(&self) -> TransportErrorKind {
        self.0.kind
    }

    /// Returns the phase in which the exchange failed.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// Returns whether the request may have reached the peer.
    pub fn sent(&self) -> Sent {
        self.0.sent
    }

    /// Returns whether a retry of the same *safe* request (GET, HEAD) may succeed. For other requests, also check
    /// [`sent`](Self::sent).
    ///
    /// ```
    /// use gateway_transport::{TransportErrorKind, TransportError};
    ///
    /// assert!(TransportError::new(TransportErrorKind::Interrupted, "connection reset").is_transient());
    /// assert!(!TransportError::new(TransportErrorKind::Tls, "certificate expired").is_transient());
    /// ```
    pub fn is_transient(&self) -> bool {
        matches!(
            self.0.kind,
            TransportErrorKind::Resolve
                | TransportErrorKind::Connect
                | TransportErrorKind::Timeout
                | TransportErrorKind::Interrupted
        )
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportError")
            .field("kind", &self.0.kind)
            .field("phase", &self.0.phase)
            .field("sent", &self.0.sent)
            .field("text", &self.0.text)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.0.source.as_ref()?)
    }
}

/// Finds the first error of type `T` among `error` and its sources.
///
/// `io::Error::source()` returns the source *of the wrapped error*, so a plain walk skips the wrapped error itself: a
/// TLS failure inside an `io::Error` would look like a failed connection. This function also checks the wrapped error.
#[cfg(any(
    feature = "tower-service",
    all(feature = "reqwest", not(all(target_family = "wasm", target_os = "unknown"))),
    all(
        feature = "ureq",
        feature = "__tls",
        not(all(target_family = "wasm", target_os = "unknown"))
    )
))]
pub(crate) fn find<'a, T: StdError + 'static>(
    error: &'a (dyn StdError + 'static),
) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref)
            && let Some(found) = find::<T>(inner)
        {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// Returns the kind of transport error that an `io::ErrorKind` means.
pub(crate) fn io_error_kind(kind: io::ErrorKind) -> TransportErrorKind {
    use io::ErrorKind as Io;
    match kind {
        Io::TimedOut | Io::WouldBlock => TransportErrorKind::Timeout,
        Io::ConnectionRefused
        | Io::HostUnreachable
        | Io::NetworkUnreachable
        | Io::NetworkDown
        | Io::AddrNotAvailable => TransportErrorKind::Connect,
        Io::ConnectionReset
        | Io::ConnectionAborted
        | Io::BrokenPipe
        | Io::UnexpectedEof
        | Io::NotConnected => TransportErrorKind::Interrupted,
        Io::InvalidData | Io::InvalidInput => TransportErrorKind::Protocol,
        _ => TransportErrorKind::Other,
    }
}
