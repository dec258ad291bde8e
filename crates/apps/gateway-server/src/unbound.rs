//! A server without an address, for simulations.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use methodical_serve::{Listen, Phase};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::front::Front;
use crate::server::Assembled;

/// A server without an address: it serves the connections that it is given. Unstable: it may change or disappear in any
/// release.
pub struct UnboundServer {
    listen: Arc<Listen<Front>>,
    _phase: watch::Sender<Phase>,
}

impl UnboundServer {
    pub(crate) fn new(parts: Assembled) -> Self {
        Self { listen: parts.listen, _phase: parts.phase }
    }

    /// Serves a connection without TLS until it ends.
    pub fn serve<T>(&self, connection: T, peer: IpAddr) -> impl Future<Output = ()> + Send + use<T>
    where
        T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Arc::clone(&self.listen).serve(connection, peer)
    }
}

impl fmt::Debug for UnboundServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnboundServer")
    }
}
