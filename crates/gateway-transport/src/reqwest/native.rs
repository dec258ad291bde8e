//! [`ReqwestTransport`] on tokio.
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::reqwest::Client;
use tokio::runtime;
use tokio::time::{Timeout, timeout_at};

use crate::mutex::Mutex;
use crate::reqwest::classify::classify;
use crate::reqwest::{configure, url};
use crate::runtime::current_runtime;
use crate::{
    Body, Deadline, Options, Phase, Request, Response, Transport, TransportError, mark_sensitive,
};

/// Sends requests with reqwest: HTTP/1.1, keep-alive, no redirects, no retries, no decompression.
///
/// Clones share their connections. The transport needs a tokio runtime with I/O and time enabled; without a runtime,
/// [`send`](Transport::send) returns a typed error. It may be used from several runtimes: a connection belongs to the
/// runtime that opened it, so each runtime gets separate connections.
///
/// # Examples
///
/// ```
/// use gateway_transport::reqwest::ReqwestTransport;
/// use gateway_transport::{ErrorKind, Options, Transport};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let transport = ReqwestTransport::new(&Options::default())?;
/// let request = http::Request::get("ftp://localhost/").body("".into())?;
/// let error = transport.send(request).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidRequest);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ReqwestTransport(Arc<Clients>);

impl ReqwestTransport {
    /// Creates a transport with these settings, without connecting.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Tls`](crate::ErrorKind::Tls) if a certificate is invalid, and
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if a timeout is zero.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let settings = configure::Settings::new(options)?;
        let first = Slot { runtime: None, client: settings.client()? };
        Ok(Self(Arc::new(Clients { settings, slots: Mutex::new(vec![first]) })))
    }

    /// Converts a request for reqwest and starts it.
    ///
    /// Separate from [`send`](Transport::send), to keep these locals out of its future, which is allocated for every
    /// request.
    fn start(
        &self,
        request: Request,
    ) -> Result<Exchange<impl Future<Output = Outcome> + Unpin + use<>>, TransportError> {
        // reqwest panics when it is polled outside a runtime.
        let runtime = current_runtime()?;
        let left = Deadline::remaining(&request)?;
        let head_deadline = Deadline::of(&request).and_then(Deadline::earlier_head);
        let client = self.0.client_for(runtime.id())?;

        let (head, body) = request.into_parts();
        let mut request = ::reqwest::Request::new(head.method, url::unchanged(&head.uri)?);
        *request.headers_mut() = head.headers;
        mark_sensitive(request.headers_mut());
        // With an empty body, reqwest would send `content-length: 0`, which a GET must not have.
        if !body.is_empty() {
            *request.body_mut() = Some(body.into());
        }
        // reqwest applies this timeout to the body, too.
        *request.timeout_mut() = left;
        let pending = client.execute(request);
        Ok(match head_deadline {
            None => Exchange::Plain(pending),
            Some(head) => Exchange::HeadDeadline(Box::pin(timeout_at(head.into(), pending))),
        })
    }
}

impl Transport for ReqwestTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let mut response = http::Response::from(self.start(request)?.await?)
            .map(|body| Body::with_errors_unpin(body, |error| classify(error, Phase::Body)));
        mark_sensitive(response.headers_mut());
        Ok(response)
    }

    fn name(&self) -> &'static str {
        "reqwest"
    }
}

/// A request in flight, until the response head arrives.
enum Exchange<F> {
    /// Limited only by the timeout inside reqwest.
    Plain(F),
    /// With an earlier deadline for the head. Few requests have one, and only those pay for the extra allocation.
    HeadDeadline(Pin<Box<Timeout<F>>>),
}

type Outcome = Result<::reqwest::Response, ::reqwest::Error>;

impl<F: Future<Output = Outcome> + Unpin> Future for Exchange<F> {
    type Output = Result<::reqwest::Response, TransportError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let response = match &mut *self {
            Self::Plain(pending) => ready!(Pin::new(pending).poll(context)),
            Self::HeadDeadline(pending) => match ready!(pending.as_mut().poll(context)) {
                Ok(response) => response,
                Err(_late) => return Poll::Ready(Err(TransportError::timeout(Phase::Head))),
            },
        };
        Poll::Ready(response.map_err(|error| classify(error, Phase::Head)))
    }
}

impl fmt::Debug for ReqwestTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Clients are not printed: they may hold proxy credentials.
        f.write_str("ReqwestTransport")
    }
}

/// One client for each runtime.
///
/// A pooled connection is driven by the runtime that opened it. Used from another runtime, the connection stalls until
/// the deadline when its own runtime is idle or gone.
struct Clients {
    settings: configure::Settings,
    slots: Mutex<Vec<Slot>>,
}

struct Slot {
    /// `None` until the first runtime takes the client created in `new`.
    runtime: Option<runtime::Id>,
    client: Client,
}

impl Clients {
    fn client_for(&self, runtime: runtime::Id) -> Result<Client, TransportError> {
        let mut slots = self.slots.lock();
        let usable = |slot: &&mut Slot| slot.runtime.is_none_or(|owner| owner == runtime);
        if let Some(slot) = slots.iter_mut().find(usable) {
            slot.runtime = Some(runtime);
            return Ok(slot.client.clone());
        }
        if slots.len() >= MAX_RUNTIMES {
            slots.remove(0);
        }
        let client = self.settings.client()?;
        slots.push(Slot { runtime: Some(runtime), client: client.clone() });
        Ok(client)
    }
}

/// Maximum number of runtimes with a client. Programs have one or two runtimes; tests create more, each short-lived.
const MAX_RUNTIMES: usize = 8;

#[cfg(test)]
mod tests {
    use super::ReqwestTransport;
    use crate::{Options, Request, Transport};

    #[test]
    fn the_future_of_a_request_is_small() {
        let transport = ReqwestTransport::new(&Options::default()).unwrap();
        let future = transport.send(Request::new("".into()));
        // glibc serves allocations of 1 KiB and more from an arena that threads share.
        assert!(size_of_val(&future) < 512, "{} bytes", size_of_val(&future));
    }
}
