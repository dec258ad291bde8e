//! Transports as tower services, and services as transports.
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use http_body::Body as HttpBody;
use tower_service::Service;

use crate::error::find;
use crate::platform::{Mutex, sleep_until, timeout_at};
use crate::{
    Body, BoxError, BoxFuture, Deadline, Phase, Request, Response, Transport, TransportError,
    TransportErrorKind,
};

/// A [`Transport`] as a tower [`Service`]. Use this to wrap a transport in layers of tower and tower-http.
///
/// The service is always ready. Clones share the transport.
///
/// # Examples
///
/// ```
/// use gateway_transport::MemoryTransport;
/// use gateway_transport::tower::{ServiceTransport, TransportService};
///
/// let service = TransportService::new(MemoryTransport::default());
/// // … layers …
/// let transport = ServiceTransport::<_>::new(service);
/// ```
pub struct TransportService<T>(Arc<T>);

impl<T: Transport> TransportService<T> {
    /// Wraps `transport`.
    pub fn new(transport: T) -> Self {
        Self(Arc::new(transport))
    }
}

impl<T: Transport> Service<Request> for TransportService<T> {
    type Response = Response;
    type Error = TransportError;
    type Future = BoxFuture<'static, Result<Response, TransportError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let transport = Arc::clone(&self.0);
        Box::pin(async move { transport.send(request).await })
    }
}

impl<T> Clone for TransportService<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for TransportService<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TransportService")
    }
}

/// A tower [`Service`] as a [`Transport`]. Use this for a stack of layers, or for an `axum::Router` without a socket.
///
/// `B` is the service's request body type, [`Bytes`] by default. The service must be `Clone`, need not be `Sync`, and
/// is polled ready before each call. This type enforces the [`Deadline`] for the head and the body, because a tower
/// service knows nothing about deadlines. A request with a deadline must be sent from within a tokio runtime.
pub struct ServiceTransport<S, B = Bytes> {
    service: Mutex<S>,
    body: PhantomData<fn(B)>,
}

impl<S, B> ServiceTransport<S, B> {
    /// Wraps `service`.
    pub fn new(service: S) -> Self {
        Self { service: Mutex::new(service), body: PhantomData }
    }
}

impl<S, B, ResBody> Transport for ServiceTransport<S, B>
where
    S: Service<http::Request<B>, Response = http::Response<ResBody>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: From<Bytes> + Send + 'static,
    ResBody: HttpBody<Data = Bytes> + Send + 'static,
    ResBody::Error: Into<BoxError>,
{
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Deadline::remaining(&request)?;
        let deadline = Deadline::of(&request);
        let mut service = self.service.lock().clone();
        let exchange = async move {
            // A clone does not inherit readiness: call the clone that was polled ready.
            poll_fn(|cx| service.poll_ready(cx)).await.map_err(|e| classify(e, Phase::Unknown))?;
            service.call(request.map(B::from)).await.map_err(|e| classify(e, Phase::Head))
        };
        let response = match deadline {
            None => exchange.await,
            Some(deadline) => {
                #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
                crate::platform::current_runtime()?;
                let outcome = timeout_at(deadline.head(), exchange).await;
                outcome.unwrap_or_else(|| Err(TransportError::timeout(Phase::Head)))
            }
        };
        Ok(response?.map(|body| {
            let body = Body::with_errors(body, |error| classify(error, Phase::Body));
            // An empty body needs no timer.
            if deadline.is_none() || body.is_end_stream() {
                return body;
            }
            body.with_limits(deadline, Duration::MAX, sleep_until)
        }))
    }
}

impl<S, B> fmt::Debug for ServiceTransport<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceTransport")
    }
}

/// Returns a layer's `TransportError` unchanged and classifies any other error by its cause.
#[cold]
fn classify(error: impl Into<BoxError>, phase: Phase) -> TransportError {
    let error = match error.into().downcast::<TransportError>() {
        Ok(ours) => return *ours,
        Err(error) => error,
    };
    if let Some(ours) = find::<TransportError>(&*error) {
        // A layer that shares an error (such as tower's buffer) wraps it, so our error cannot be moved out.
        return TransportError::new(ours.kind(), ours.to_string())
            .with_phase(ours.phase())
            .with_sent(ours.sent())
            .with_source(error);
    }
    if let Some(kind) = find::<io::Error>(&*error).map(io::Error::kind) {
        return TransportError::from_io(kind.into()).with_phase(phase).with_source(error);
    }
    // The text of `tower::timeout::error::Elapsed`. Naming the type would need a dependency on tower.
    if error.to_string() == "request timed out" {
        return TransportError::timeout(phase).with_source(error);
    }
    TransportError::new(TransportErrorKind::Other, "the tower service failed")
        .with_phase(phase)
        .with_source(error)
}
