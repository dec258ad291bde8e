//! The transport traits, a handle to any async transport, transports made from closures, and a wrapper that changes
//! each request.
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::{BlockingBody, Body, BoxFuture, MaybeSend, TransportError};

/// A request for a transport. Its body is complete and cheap to clone, so a retry policy can send it again.
pub type Request = http::Request<Bytes>;

/// The response of an async transport: the complete head, and a body that may still be arriving.
pub type Response = http::Response<Body>;

/// The response of a blocking transport: the complete head, and a body to [`Read`](std::io::Read).
pub type BlockingResponse = http::Response<BlockingBody>;

/// Sends one request and streams its response, without blocking.
///
/// Implement this for an async HTTP client, as a plain `async fn send` that keeps the [seven
/// promises](crate#seven-promises). The trait is not dyn-compatible: to store any transport, use [`SharedTransport`].
///
/// # Examples
///
/// ```
/// use gateway_transport::{Body, Request, Response, Transport, TransportError};
///
/// /// Answers every request with its path.
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
    /// Sends `request` and waits for the response head.
    ///
    /// # Errors
    ///
    /// Fails if no complete head was received. An HTTP status is never an error here.
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend;
}

/// Sends one request and streams its response, on the calling thread.
///
/// Implement this for an HTTP client without `async`. Keep the same [seven promises](crate#seven-promises) as in a
/// [`Transport`]. The trait is dyn-compatible: `Arc<dyn BlockingTransport>` and `Box<dyn BlockingTransport>` also
/// implement it.
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
    /// Sends `request` and blocks until the response head arrives.
    ///
    /// # Errors
    ///
    /// Fails if no complete head was received. An HTTP status is never an error here.
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError>;
}

impl<T: Transport> Transport for Arc<T> {
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend {
        (**self).send(request)
    }
}

macro_rules! forward {
    ($($pointer:ident)+) => {$(
        impl<T: BlockingTransport + ?Sized> BlockingTransport for $pointer<T> {
            fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
                (**self).send(request)
            }
        }
    )+};
}

forward!(Arc Box);

/// A handle to any async transport. Cloning it is cheap.
///
/// Use this if the transport's type is chosen at run time. The handle is itself a [`Transport`], so other transports
/// can wrap it. Each request costs one allocation.
///
/// # Examples
///
/// ```
/// use gateway_transport::{MemoryTransport, SharedTransport};
///
/// let shared = SharedTransport::new(MemoryTransport::default());
/// let another = shared.clone();
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
}

impl fmt::Debug for SharedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The inner transport is not printed: it may hold proxy credentials.
        f.write_str("SharedTransport")
    }
}

/// The dyn-compatible form of [`Transport`]. It exists so that the public trait can have a plain `async fn`.
trait DynTransport: Send + Sync {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

impl<T: Transport> DynTransport for T {
    fn send_boxed(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(self.send(request))
    }
}

/// Creates a transport from an async closure, for example in a test.
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

/// Creates a blocking transport from a closure, for example in a test.
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

/// A transport that changes each request before another transport sends it. Use this to sign requests, for example.
///
/// A client sends every attempt through its transport, so a retry is signed again, with a new timestamp. In all other
/// respects, this transport behaves like the inner one. The function sees the whole request, including the token and
/// other secrets, so it must not log the request. If the function adds a secret to the URL or the body, it must also
/// add a [`Redacted`](crate::Redacted) to the request's extensions.
///
/// # Errors
///
/// If the function fails, nothing is sent, and `send` returns the function's error.
///
/// # Examples
///
/// ```
/// use gateway_transport::{
///     TransportErrorKind, MapRequest, Request, Response, Transport, TransportError, transport_fn,
/// };
///
/// # fn signature(query: &str) -> String { format!("{:08x}", query.len()) }
/// /// Adds `api_sig`, a signature over all other parameters.
/// fn sign(mut request: Request) -> Result<Request, TransportError> {
///     let target = request.uri().to_string();
///     let signature = signature(request.uri().query().unwrap_or_default());
///     let signed = format!("{target}&api_sig={signature}").parse();
///     *request.uri_mut() =
///         signed.map_err(|_| TransportError::new(TransportErrorKind::InvalidRequest, "cannot sign"))?;
///     Ok(request)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let inner = transport_fn(async |request: Request| {
/// #     Ok(Response::new(request.uri().query().unwrap_or_default().to_owned().into()))
/// # });
/// let transport = MapRequest::new(inner, sign);
/// let request = http::Request::get("https://photos.example.com/?method=photos.search").body("".into())?;
/// let response = transport.send(request).await?;
/// # let sent = response.into_body().collect(100).await?;
/// # assert_eq!(sent, "method=photos.search&api_sig=00000014");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MapRequest<T, F> {
    transport: T,
    function: F,
}

impl<T, F> MapRequest<T, F> {
    /// Creates a transport that passes each request through `function` before `transport` sends it.
    pub fn new(transport: T, function: F) -> Self {
        Self { transport, function }
    }
}

impl<T, F> Transport for MapRequest<T, F>
where
    T: Transport,
    F: Fn(Request) -> Result<Request, TransportError> + Send + Sync + 'static,
{
    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + MaybeSend {
        let request = (self.function)(request);
        async { self.transport.send(request?).await }
    }
}

impl<T, F> BlockingTransport for MapRequest<T, F>
where
    T: BlockingTransport,
    F: Fn(Request) -> Result<Request, TransportError> + Send + Sync + 'static,
{
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        self.transport.send((self.function)(request)?)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::MapRequest;
    use crate::{
        BlockingTransport, MemoryTransport, Request, Transport, TransportError, TransportErrorKind,
    };

    #[tokio::test]
    async fn a_failed_function_sends_nothing() {
        let inner = MemoryTransport::new([(); 2].map(|()| Ok(http::Response::default())));
        let transport = MapRequest::new(inner.clone(), |mut request: Request| {
            if request.uri().path() == "/refused" {
                return Err(TransportError::new(TransportErrorKind::InvalidRequest, "scripted"));
            }
            *request.uri_mut() = http::Uri::from_static("/signed");
            Ok(request)
        });
        let request = |path| http::Request::get(path).body(Bytes::new()).unwrap();
        BlockingTransport::send(&transport, request("/list")).unwrap();
        Transport::send(&transport, request("/list")).await.unwrap();
        for error in [
            BlockingTransport::send(&transport, request("/refused")).unwrap_err(),
            Transport::send(&transport, request("/refused")).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), TransportErrorKind::InvalidRequest);
        }
        let sent: Vec<_> = inner.requests().iter().map(|sent| sent.uri().to_string()).collect();
        assert_eq!(sent, ["/signed", "/signed"]);
    }
}
