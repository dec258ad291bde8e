//! The two traits a transport implements, and the types that go in and out.
use std::sync::Arc;

use bytes::Bytes;

use crate::{BlockingBody, Body, MaybeSend, TransportError};

/// What a transport sends. The body is whole and cheap to clone, so that a policy may send it again.
pub type Request = http::Request<Bytes>;

/// What an async transport gives back: the complete head, and a body that is still being received.
pub type Response = http::Response<Body>;

/// What a blocking transport gives back: the complete head, and a body to [`Read`](std::io::Read).
pub type BlockingResponse = http::Response<BlockingBody>;

/// Carries one request and its response, without blocking.
///
/// Implementors write a plain `async fn send`; the promises are listed in the [crate documentation](crate).
/// The trait is not dyn-compatible: callers who want to hold any transport hold a
/// [`SharedTransport`](crate::SharedTransport).
///
/// # Examples
///
/// ```
/// use gateway_transport::{Body, Request, Response, Transport, TransportError};
///
/// /// Answers every request with the path it asked for.
/// struct Echo;
///
/// impl Transport for Echo {
///     async fn send(&self, request: Request) -> Result<Response, TransportError> {
///         Ok(Response::new(Body::from(request.uri().path().to_owned())))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = Echo.send(http::Request::get("/here").body("".into())?).await?;
/// assert_eq!(response.into_body().collect(1024).await?, "/here");
/// # Ok(())
/// # }
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Sends `request` and waits for the head of the response.
    ///
    /// # Errors
    ///
    /// Whatever kept a complete head from arriving. An HTTP status is never an error here.
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend;

    /// Names this transport in diagnostics. The default is the name of its type.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// Carries one request and its response on the calling thread.
///
/// The contract is that of [`Transport`], without a runtime. The trait is dyn-compatible: `Arc<dyn BlockingTransport>`
/// and `Box<dyn BlockingTransport>` are transports themselves.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use gateway_transport::{BlockingResponse, BlockingTransport, Request, TransportError};
///
/// struct Echo;
///
/// impl BlockingTransport for Echo {
///     fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
///         Ok(BlockingResponse::new(request.into_body().into()))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let any: Arc<dyn BlockingTransport> = Arc::new(Echo);
/// let response = any.send(http::Request::post("/").body("sent".into())?)?;
/// assert_eq!(response.into_body().collect(1024)?, "sent");
/// # Ok(())
/// # }
/// ```
pub trait BlockingTransport: Send + Sync + 'static {
    /// Sends `request` and blocks until the head of the response is there.
    ///
    /// # Errors
    ///
    /// Whatever kept a complete head from arriving. An HTTP status is never an error here.
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError>;

    /// Names this transport in diagnostics. The default is the name of its type.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

impl<T: Transport> Transport for Arc<T> {
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend {
        (**self).send(request)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<T: BlockingTransport + ?Sized> BlockingTransport for Arc<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        (**self).send(request)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<T: BlockingTransport + ?Sized> BlockingTransport for Box<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        (**self).send(request)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}
