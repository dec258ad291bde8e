//! A handle that holds any async transport.
use std::fmt;
use std::sync::Arc;

use crate::{BoxFuture, MaybeSend, Request, Response, Transport, TransportError};

/// Any async transport behind a handle that is cheap to clone.
///
/// It is a [`Transport`] itself, so a layer can wrap it like any other. The price is one allocation for each request.
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
    /// Takes over `transport`.
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
        self.0.name_of_inner()
    }
}

impl fmt::Debug for SharedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the name: a transport may hold credentials of a proxy.
        write!(f, "SharedTransport({})", self.0.name_of_inner())
    }
}

/// The dyn-compatible twin of [`Transport`]; private, so that the public trait can stay a plain `async fn`.
trait DynTransport: Send + Sync {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
    fn name_of_inner(&self) -> &str;
}

impl<T: Transport> DynTransport for T {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(self.send(request))
    }

    fn name_of_inner(&self) -> &str {
        self.name()
    }
}
