//! What is checked, and how it is set up.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gateway_transport::{
    BlockingTransport, Options, Proxy, SharedTransport, Transport, TransportError,
};

/// How the kit wants the transport to be set up.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// The longest silence of the peer within a response.
    pub idle_timeout: Duration,
    /// The certificate (DER) of an authority to trust. Without it, the checks of TLS cannot pass.
    pub root: Vec<u8>,
}

impl Setup {
    /// Returns the same as options for the adapters of `gateway_transport`.
    pub fn options(&self) -> Options {
        Options::default()
            .connect_timeout(self.connect_timeout)
            .idle_timeout(self.idle_timeout)
            .proxy(Proxy::Never)
            .extra_root(self.root.clone())
    }
}

/// A transport that is checked, async or blocking.
pub struct Subject {
    pub(super) transport: Either,
    pub(super) without_tls: Option<String>,
}

pub(super) enum Either {
    Async(SharedTransport),
    Blocking(Arc<dyn BlockingTransport>),
}

/// Makes the transport that is checked. Each check has one of its own, and some make several.
pub type Factory = fn(&Setup) -> Result<Subject, TransportError>;

impl Subject {
    /// Takes an async transport. The kit gives it a tokio runtime.
    pub fn asynchronous(transport: impl Transport) -> Self {
        Self::new(Either::Async(SharedTransport::new(transport)))
    }

    /// Takes a blocking transport.
    pub fn blocking(transport: impl BlockingTransport) -> Self {
        Self::new(Either::Blocking(Arc::new(transport)))
    }

    /// Says that the transport has no TLS, and why. The checks of TLS then do not apply.
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
