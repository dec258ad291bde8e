//! A handle to any async transport.
use std::fmt;
use std::sync::Arc;

use crate::{BoxFuture, MaybeSend, Request, Response, Transport, TransportError};

/// A handle to any async transport, cheap to clone.
///
/// It is a [`Transport`] itself, so a layer can wrap it like any other. Each request costs one allocation.
///
/// # Examples
///
/// ```
/// use gateway_transport::{MemoryTransport, SharedTransport};
///
/// let shared = SharedTransport::new(MemoryTransport::default());
/// assert_eq!(format!("{shared:?}"), "SharedTransport(memory)");
/// ```
#[derive(Clone)]
pub struct SharedTransport(Arc<dyn DynTransport>);

impl SharedTransport {
    /// Wraps `transport`.
    pub fn new(transport: impl Transport) -> Self {
        Self(Arc::new(transport))
    }
}

impl Transport for SharedTransport {
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend {
        self.0.send_boxed(request)
    }

    fn name(&self) -> &str {
        self.0.inner_name()
    }
}

impl fmt::Debug for SharedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the name: a transport may hold proxy credentials.
        write!(f, "SharedTransport({})", self.0.inner_name())
    }
}

/// The dyn-compatible form of [`Transport`]. It exists so that the public trait can have a plain `async fn`.
trait DynTransport: Send + Sync {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
    fn inner_name(&self) -> &str;
}

impl<T: Transport> DynTransport for T {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(self.send(request))
    }

    fn inner_name(&self) -> &str {
        self.name()
    }
}
