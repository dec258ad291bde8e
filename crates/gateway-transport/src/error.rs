//! The one error of every transport.
use std::borrow::Cow;
use std::error::Error as StdError;
use std::{fmt, io};

/// Any error, as a source.
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// What failed, so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The transport cannot send this request unchanged: its target would be rewritten, its scheme is not HTTP.
    /// Nothing was sent. Sending it again fails again.
    InvalidRequest,
    /// The host name did not resolve. Nothing was sent; sending it later may work.
    Resolve,
    /// No connection was made. Nothing was sent; sending it later may work.
    Connect,
    /// A connection, but no trusted TLS session: certificate, protocol version, or the peer does not speak TLS.
    /// Sending it again fails again.
    Tls,
    /// A time limit passed; [`TransportError::phase`] says during what. Sending a safe request again may work.
    Timeout,
    /// The peer went away before the response was complete. Sending a safe request again may work.
    Interrupted,
    /// What was received is not HTTP (RFC 9112), or not the encoding it claims to be. Sending it again is unlikely to
    /// help.
    Protocol,
    /// The response is larger than the limit in force. Sending it again fails again.
    TooLarge,
    /// Anything else; the [source](StdError::source) has the details.
    Other,
}

impl ErrorKind {
    /// Returns a name in snake case, for logs and metrics. It stays as it is.
    ///
    /// ```
    /// assert_eq!(gateway_transport::ErrorKind::InvalidRequest.as_str(), "invalid_request");
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

/// What the exchange was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Looking up the name, connecting, the TLS handshake.
    Connect,
    /// Sending the request and waiting for the head of the response. Where a client cannot tell, connecting as well.
    Head,
    /// Receiving the body.
    Body,
    /// The time for the whole exchange ran out, and the client does not say during what.
    Total,
    /// The client does not say.
    Unknown,
}

/// Whether a byte of the request may have reached the peer.
#[expect(clippy::exhaustive_enums, reason = "there is no third answer")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sent {
    /// None has. Even a request that changes something is safe to send again.
    No,
    /// Perhaps. Only a safe request (RFC 9110, section 9.2.1) may be sent again.
    Maybe,
}

/// Why there is no complete response.
///
/// One pointer wide. The text is a fragment that fits after "failed: "; it has no data of the request or the response
/// in it, and neither have the sources our adapters keep.
///
/// # Examples
///
/// ```
/// use gateway_transport::{ErrorKind, Phase, Sent, TransportError};
///
/// let error = TransportError::new(ErrorKind::Connect, "connection refused");
/// assert_eq!(error.to_string(), "connection refused");
/// assert_eq!(error.sent(), Sent::No);
/// assert!(error.is_transient());
///
/// let error = TransportError::timeout(Phase::Body);
/// assert_eq!(error.to_string(), "time limit passed while receiving the body");
/// assert_eq!(error.sent(), Sent::Maybe);
/// ```
pub struct TransportError(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    phase: Phase,
    sent: Sent,
    text: Cow<'static, str>,
    source: Option<BoxError>,
}

impl TransportError {
    /// Makes an error of this kind.
    ///
    /// `text` is a lowercase fragment without a full stop and without data. Phase and [`Sent`] follow from the kind
    /// where they can; [`with_phase`](Self::with_phase) and [`with_sent`](Self::with_sent) say more.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        let (phase, sent) = match kind {
            ErrorKind::Resolve | ErrorKind::Connect | ErrorKind::Tls => (Phase::Connect, Sent::No),
            ErrorKind::InvalidRequest => (Phase::Unknown, Sent::No),
            _ => (Phase::Unknown, Sent::Maybe),
        };
        Self(Box::new(Inner { kind, phase, sent, text: text.into(), source: None }))
    }

    /// Makes an [`ErrorKind::Timeout`] that passed during `phase`.
    #[cold]
    pub fn timeout(phase: Phase) -> Self {
        let text = match phase {
            Phase::Connect => "time limit passed while connecting",
            Phase::Head => "time limit passed while waiting for the response",
            Phase::Body => "time limit passed while receiving the body",
            Phase::Total | Phase::Unknown => "time limit passed",
        };
        let sent = if phase == Phase::Connect { Sent::No } else { Sent::Maybe };
        Self::new(ErrorKind::Timeout, text).with_phase(phase).with_sent(sent)
    }

    /// Makes an [`ErrorKind::TooLarge`] for a body of more than `limit` bytes.
    #[cold]
    pub fn body_too_large(limit: u64) -> Self {
        Self::new(ErrorKind::TooLarge, format!("the body is larger than {limit} bytes"))
            .with_phase(Phase::Body)
    }

    /// Classifies an `io::Error`. A `TransportError` inside (see [`into_io`](Self::into_io)) comes back out whole.
    #[cold]
    pub fn from_io(error: io::Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(ours) => return ours,
            Err(foreign) => foreign,
        };
        match io_error_kind(error.kind()) {
            ErrorKind::Timeout => Self::timeout(Phase::Unknown),
            kind => Self::new(kind, io_error_text(kind)),
        }
        .with_source(error)
    }

    /// Wraps this error for a [`Read`](io::Read) implementation.
    pub fn into_io(self) -> io::Error {
        io::Error::other(self)
    }

    /// Adds what it was caused by.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Says during what it happened.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase) -> Self {
        self.0.phase = phase;
        self
    }

    /// Says whether the request may have reached the peer.
    #[must_use]
    pub fn with_sent(mut self, sent: Sent) -> Self {
        self.0.sent = sent;
        self
    }

    /// Says the same once more, to somebody who asks again. The source stays with the first.
    #[cold]
    pub(crate) fn again(&self) -> Self {
        let Inner { kind, phase, sent, ref text, source: _ } = *self.0;
        Self(Box::new(Inner { kind, phase, sent, text: text.clone(), source: None }))
    }

    /// Returns what failed.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns during what it failed.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// Returns whether the request may have reached the peer.
    pub fn sent(&self) -> Sent {
        self.0.sent
    }

    /// Returns whether sending the same *safe* request (GET, HEAD) again may work.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_transport::{ErrorKind, TransportError};
    ///
    /// assert!(TransportError::new(ErrorKind::Interrupted, "connection reset").is_transient());
    /// assert!(!TransportError::new(ErrorKind::Tls, "certificate expired").is_transient());
    /// ```
    pub fn is_transient(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::Resolve | ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Interrupted
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
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

/// Finds the first error of type `T` among `error` and its sources.
///
/// `io::Error::source()` gives the source *of the error inside*, so a plain walk never meets the error inside itself:
/// a TLS failure below an `io::Error` would look like a failed connection. This one looks inside, too.
#[cfg(any(feature = "reqwest", feature = "tower", all(feature = "ureq", feature = "__tls")))]
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

/// What an `io::ErrorKind` means for an exchange.
pub(crate) fn io_error_kind(kind: io::ErrorKind) -> ErrorKind {
    use io::ErrorKind as Io;
    match kind {
        Io::TimedOut | Io::WouldBlock => ErrorKind::Timeout,
        Io::ConnectionRefused
        | Io::HostUnreachable
        | Io::NetworkUnreachable
        | Io::NetworkDown
        | Io::AddrNotAvailable => ErrorKind::Connect,
        Io::ConnectionReset
        | Io::ConnectionAborted
        | Io::BrokenPipe
        | Io::UnexpectedEof
        | Io::NotConnected => ErrorKind::Interrupted,
        Io::InvalidData | Io::InvalidInput => ErrorKind::Protocol,
        _ => ErrorKind::Other,
    }
}

fn io_error_text(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Connect => "no connection was made",
        ErrorKind::Interrupted => "the connection broke",
        ErrorKind::Protocol => "the response is malformed",
        _ => "input or output failed",
    }
}
