//! Closures as transports.
use crate::{
    BlockingResponse, BlockingTransport, MaybeSend, Request, Response, Transport, TransportError,
};

/// Creates a transport from an async closure.
///
/// # Examples
///
/// ```
/// use gateway_transport::{Response, Transport, transport_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = transport_fn(async |request| {
///     Ok(Response::new(format!("{}", request.method()).into()))
/// });
/// let response = transport.send(http::Request::get("/").body("".into())?).await?;
/// assert_eq!(response.into_body().collect(8).await?, "GET");
/// # Ok(())
/// # }
/// ```
pub fn transport_fn<F, Fut>(function: F) -> impl Transport
where
    F: Fn(Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, TransportError>> + MaybeSend + 'static,
{
    Function(function)
}

/// Creates a blocking transport from a closure.
///
/// # Examples
///
/// ```
/// use gateway_transport::{BlockingResponse, BlockingTransport, blocking_transport_fn};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = blocking_transport_fn(|_| Ok(BlockingResponse::new("{}".into())));
/// let response = transport.send(http::Request::get("/").body("".into())?)?;
/// assert_eq!(response.into_body().collect(8)?, "{}");
/// # Ok(())
/// # }
/// ```
pub fn blocking_transport_fn<F>(function: F) -> impl BlockingTransport
where
    F: Fn(Request) -> Result<BlockingResponse, TransportError> + Send + Sync + 'static,
{
    Function(function)
}

struct Function<F>(F);

impl<F, Fut> Transport for Function<F>
where
    F: Fn(Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, TransportError>> + MaybeSend + 'static,
{
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend {
        (self.0)(request)
    }
}

impl<F> BlockingTransport for Function<F>
where
    F: Fn(Request) -> Result<BlockingResponse, TransportError> + Send + Sync + 'static,
{
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        (self.0)(request)
    }
}
