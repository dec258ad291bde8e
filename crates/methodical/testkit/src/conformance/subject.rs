//! The transport under test, and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gateway_transport::{
    BlockingTransport, Options, Proxy, SharedTransport, Transport, TransportError,
};

/// The settings that the kit wants for the transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// Timeout of opening a connection.
    pub connect_timeout: Duration,
    /// Longest time without a byte from the peer during a response.
    pub idle_timeout: Duration,
    /// Certificate (DER) of an authority to trust. A transport that does not trust it fails the TLS checks.
    pub root: Vec<u8>,
}

impl Setup {
    /// Returns these settings as options for the adapters of `gateway_transport`.
    pub fn options(&self) -> Options {
        Options::default()
            .connect_timeout(self.connect_timeout)
            .idle_timeout(self.idle_timeout)
            .proxy(Proxy::Never)
            .extra_root(self.root.clone())
    }
}

/// A transport under test, async or blocking.
pub struct Subject {
    pub(super) transport: Either,
    pub(super) without_tls: Option<String>,
}

pub(super) enum Either {
    Async(SharedTransport),
    Blocking(Arc<dyn BlockingTransport>),
}

/// Creates the transport under test. Each check creates at least one.
pub type Factory = fn(&Setup) -> Result<Subject, TransportError>;

impl Subject {
    /// Wraps an async transport. The kit runs it on a tokio runtime.
    pub fn asynchronous(transport: impl Transport) -> Self {
        Self::new(Either::Async(SharedTransport::new(transport)))
    }

    /// Wraps a blocking transport.
    pub fn blocking(transport: impl BlockingTransport) -> Self {
        Self::new(Either::Blocking(Arc::new(transport)))
    }

    /// Declares that the transport does not support TLS, and why. The TLS checks are then skipped.
    #[must_use]
    pub fn without_tls(mut self, reason: impl Into<String>) -> Self {
        self.without_tls = Some(reason.into());
        self
    }

    fn new(transport: Either) -> Self {
        Self { transport, without_tls: None }
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transport {
            Either::Async(transport) => write!(f, "Subject({transport:?})"),
            Either::Blocking(transport) => write!(f, "Subject({})", transport.name()),
        }
    }
}
