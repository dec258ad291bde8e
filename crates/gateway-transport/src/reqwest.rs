//! [`ReqwestTransport`]: the async adapter over reqwest, on tokio.
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll, ready};

use ::reqwest::Client;
use tokio::runtime;
use tokio::time::{Timeout, timeout_at};

use crate::timer::current_runtime;
use crate::{
    Body, Deadline, Options, Phase, Request, Response, Transport, TransportError, mark_sensitive,
};

mod classify;
mod configure;
mod proxy;
mod url;

use self::classify::classify;

/// Sends requests with reqwest: HTTP/1.1, keep-alive, no redirects, no retries, no decompression.
///
/// Clones share their connections. It needs a tokio runtime with I/O and time enabled, and says so with a typed error
/// when there is none. It may be used from several runtimes: a connection belongs to the runtime that opened it, so
/// each runtime gets connections of its own.
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
    /// Makes a transport with these settings. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Tls`](crate::ErrorKind::Tls) if an extra root certificate cannot be used.
    pub fn new(options: &Options) -> Result<Self, TransportError> {
        let settings = configure::Settings::new(options)?;
        let first = Slot { runtime: None, client: settings.client()? };
        Ok(Self(Arc::new(Clients { settings, slots: RwLock::new(vec![first]) })))
    }
}

impl ReqwestTransport {
    /// Puts a request into the terms of reqwest. Apart from [`send`](Transport::send), so that what it needs on the way
    /// is not part of the future, which is allocated for every request.
    fn begin(
        &self,
        request: Request,
    ) -> Result<Exchange<impl Future<Output = Answer> + Unpin + use<>>, TransportError> {
        // reqwest panics when it is polled outside a runtime.
        let runtime = current_runtime()?;
        let left = Deadline::remaining(&request)?;
        let early_head = Deadline::of(&request).and_then(Deadline::early_head);
        let client = self.0.of(runtime.id())?;

        let (head, body) = request.into_parts();
        let mut request = ::reqwest::Request::new(head.method, url::unchanged(&head.uri)?);
        *request.headers_mut() = head.headers;
        mark_sensitive(request.headers_mut());
        // An empty body would be announced with `content-length: 0`, which a GET must not have.
        if !body.is_empty() {
            *request.body_mut() = Some(body.into());
        }
        // reqwest applies it to the body, too.
        *request.timeout_mut() = left;
        let pending = client.execute(request);
        Ok(match early_head {
            None => Exchange::Limited(pending),
            Some(head) => Exchange::Early(Box::pin(timeout_at(head.into(), pending))),
        })
    }
}

impl Transport for ReqwestTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let mut response = http::Response::from(self.begin(request)?.await?)
            .map(|body| Body::with_errors_unpin(body, |error| classify(error, Phase::Body)));
        mark_sensitive(response.headers_mut());
        Ok(response)
    }

    fn name(&self) -> &'static str {
        "reqwest"
    }
}

/// A request on its way, until the head of its response is there.
enum Exchange<F> {
    /// With the time limit that it has within reqwest.
    Limited(F),
    /// With an earlier one for the head. Few requests have that, and theirs alone pay for it.
    Early(Pin<Box<Timeout<F>>>),
}

type Answer = Result<::reqwest::Response, ::reqwest::Error>;

impl<F: Future<Output = Answer> + Unpin> Future for Exchange<F> {
    type Output = Result<::reqwest::Response, TransportError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let response = match &mut *self {
            Self::Limited(pending) => ready!(Pin::new(pending).poll(context)),
            Self::Early(pending) => match ready!(pending.as_mut().poll(context)) {
                Ok(response) => response,
                Err(_late) => return Poll::Ready(Err(TransportError::timeout(Phase::Head))),
            },
        };
        Poll::Ready(response.map_err(|error| classify(error, Phase::Head)))
    }
}

impl fmt::Debug for ReqwestTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the clients: they may hold the credentials of a proxy.
        f.write_str("ReqwestTransport")
    }
}

/// One client for each runtime.
///
/// A pooled connection is driven by the runtime that opened it. Used from another one, it stalls until the deadline as
/// soon as its own is idle or gone.
struct Clients {
    settings: configure::Settings,
    slots: RwLock<Vec<Slot>>,
}

struct Slot {
    /// `None` until a runtime takes the client that was made in `new`.
    runtime: Option<runtime::Id>,
    client: Client,
}

impl Clients {
    fn of(&self, runtime: runtime::Id) -> Result<Client, TransportError> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.iter().find(|slot| slot.runtime == Some(runtime)) {
            return Ok(slot.client.clone());
        }
        drop(slots);

        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) =
            slots.iter_mut().find(|slot| slot.runtime.is_none_or(|taken| taken == runtime))
        {
            slot.runtime = Some(runtime);
            return Ok(slot.client.clone());
        }
        if slots.len() >= MOST_RUNTIMES {
            slots.remove(0);
        }
        let client = self.settings.client()?;
        slots.push(Slot { runtime: Some(runtime), client: client.clone() });
        Ok(client)
    }
}

/// Programs have one runtime or two. More come from tests, where each one is gone a moment later.
const MOST_RUNTIMES: usize = 8;

#[cfg(test)]
mod tests {
    use super::ReqwestTransport;
    use crate::{Options, Request, Transport};

    #[test]
    fn the_future_of_a_request_is_small() {
        let transport = ReqwestTransport::new(&Options::default()).unwrap();
        let future = transport.send(Request::new("".into()));
        // From 1 KiB on, glibc takes memory from where all threads do.
        assert!(size_of_val(&future) < 512, "{} bytes", size_of_val(&future));
    }
}
