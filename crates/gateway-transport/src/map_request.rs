//! A hook before each request.
use crate::{
    BlockingResponse, BlockingTransport, MaybeSend, Request, Response, Transport, TransportError,
};

/// A transport that changes each request before another transport sends it, such as for a signature over its parameters.
///
/// A client sends each attempt of a call through its transport, so a retry is signed again, with a new time. The other
/// promises of a transport are those of the inner one. The function sees the whole request, with its token and secrets: it
/// must not log it. If the function adds a secret to the URL or the body, it must also add a [`Redacted`](crate::Redacted).
///
/// # Errors
///
/// If the function fails, nothing is sent, and its error is that of the call.
///
/// # Examples
///
/// ```
/// use gateway_transport::{
///     ErrorKind, MapRequest, Request, Response, Transport, TransportError, transport_fn,
/// };
///
/// # fn signature(query: &str) -> String { format!("{:08x}", query.len()) }
/// /// Adds `api_sig`, a signature over all other parameters.
/// fn sign(mut request: Request) -> Result<Request, TransportError> {
///     let target = request.uri().to_string();
///     let signature = signature(request.uri().query().unwrap_or_default());
///     let signed = format!("{target}&api_sig={signature}").parse();
///     *request.uri_mut() =
///         signed.map_err(|_| TransportError::new(ErrorKind::InvalidRequest, "cannot sign"))?;
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
    /// Creates a transport that passes each request through a function to another transport.
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

    fn name(&self) -> &str {
        self.transport.name()
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

    fn name(&self) -> &str {
        self.transport.name()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::MapRequest;
    use crate::{
        BlockingTransport, ErrorKind, MemoryTransport, Request, Transport, TransportError,
    };

    #[tokio::test]
    async fn a_failed_function_sends_nothing() {
        let inner =
            MemoryTransport::new([Ok(http::Response::default()), Ok(http::Response::default())]);
        let transport = MapRequest::new(inner.clone(), |mut request: Request| {
            if request.uri().path() == "/refused" {
                return Err(TransportError::new(ErrorKind::InvalidRequest, "scripted"));
            }
            *request.uri_mut() = http::Uri::from_static("/signed");
            Ok(request)
        });
        let request = |path| http::Request::get(path).body(Bytes::new()).unwrap();
        BlockingTransport::send(&transport, request("/list")).unwrap();
        Transport::send(&transport, request("/list")).await.unwrap();
        let blocking = BlockingTransport::send(&transport, request("/refused")).unwrap_err();
        let asynchronous = Transport::send(&transport, request("/refused")).await.unwrap_err();
        assert_eq!([blocking, asynchronous].map(|e| e.kind()), [ErrorKind::InvalidRequest; 2]);
        let sent: Vec<_> = inner.requests().iter().map(|sent| sent.uri().to_string()).collect();
        assert_eq!(sent, ["/signed", "/signed"]);
    }
}
