//! The transport under test, async or blocking, behind one blocking interface.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Options, Proxy, Request, SharedTransport,
    Transport, TransportError,
};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::certificates::Authority;
use crate::conformance::peer::{equal, text};
use crate::outcome::{Outcome, fail, skip};

/// The settings with which the factory must create the transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// Timeout for opening a connection.
    pub connect_timeout: Duration,
    /// How long the peer may be silent during a response.
    pub idle_timeout: Duration,
    /// Certificate (DER) of an authority that the transport must trust to pass the TLS checks.
    pub root: Vec<u8>,
}

impl Setup {
    /// Returns these settings as options for the adapters of `gateway_transport`.
    pub fn options(&self) -> Options {
        Options::default()
            .connect_timeout(self.connect_timeout)
            .idle_timeout(self.idle_timeout)
            .proxy(Proxy::Never)
            .extra_root(self.root.clone())
    }
}

/// A transport under test, async or blocking.
pub struct Subject {
    transport: Either,
    without_tls: Option<String>,
}

enum Either {
    Async(SharedTransport),
    Blocking(Arc<dyn BlockingTransport>),
}

/// Creates the transport under test. Each check calls this function at least once.
pub type Factory = fn(&Setup) -> Result<Subject, TransportError>;

impl Subject {
    /// Wraps an async transport. The kit runs the transport on a tokio runtime.
    pub fn asynchronous(transport: impl Transport) -> Self {
        Self { transport: Either::Async(SharedTransport::new(transport)), without_tls: None }
    }

    /// Wraps a blocking transport.
    pub fn blocking(transport: impl BlockingTransport) -> Self {
        Self { transport: Either::Blocking(Arc::new(transport)), without_tls: None }
    }

    /// Declares that the transport does not support TLS, with the reason. The TLS checks are then skipped.
    #[must_use]
    pub fn without_tls(mut self, reason: impl Into<String>) -> Self {
        self.without_tls = Some(reason.into());
        self
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subject")
    }
}

/// The transport under test, and the means to create another one.
pub(super) struct Kit {
    factory: Factory,
    setup: Setup,
    authority: Arc<Authority>,
    subject: Subject,
    runtime: Handle,
    _running: Background,
}

/// A runtime that is dropped without waiting, so that a blocking call abandoned by one check does not delay the next.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Kit {
    /// Creates a transport with settings that do not interfere with any check.
    pub(super) fn new(factory: Factory) -> Outcome<Self> {
        let authority = Arc::new(Authority::new()?);
        let setup = Setup {
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(8),
            root: authority.certificate(),
        };
        Self::build(factory, setup, authority)
    }

    pub(super) fn with(&self, change: impl FnOnce(&mut Setup)) -> Outcome<Self> {
        let mut setup = self.setup.clone();
        change(&mut setup);
        Self::build(self.factory, setup, Arc::clone(&self.authority))
    }

    fn build(factory: Factory, setup: Setup, authority: Arc<Authority>) -> Outcome<Self> {
        let subject = factory(&setup)?;
        let running = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let (runtime, running) = (running.handle().clone(), Background(Some(running)));
        Ok(Self { factory, setup, authority, subject, runtime, _running: running })
    }

    /// Sends `request` and waits for the head of the response.
    pub(super) fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        match &self.subject.transport {
            Either::Blocking(transport) => transport.send(request),
            Either::Async(transport) => {
                let runtime = self.runtime.clone();
                let response = runtime.block_on(transport.send(request))?;
                Ok(response.map(|mut body| {
                    let next = move || runtime.block_on(body.chunk()).transpose();
                    BlockingBody::from_chunks(iter::from_fn(next))
                }))
            }
        }
    }

    /// Sends `request` and waits for the complete response.
    pub(super) fn fetch(&self, request: Request) -> Outcome<http::Response<Bytes>> {
        let (head, body) = self.send(request)?.into_parts();
        Ok(http::Response::from_parts(head, body.collect(LIMIT)?))
    }

    /// Sends `request` and expects this response body.
    pub(super) fn gets(&self, request: Request, body: impl AsRef<[u8]>) -> Outcome {
        equal("the body", text(self.fetch(request)?.body()), text(body))
    }

    /// Sends `request`, which must fail in the head or in the body, and returns the error.
    pub(super) fn failure(&self, request: Request) -> Outcome<TransportError> {
        self.send(request).map_or_else(Ok, failure)
    }

    /// Returns the async transport and a runtime for it. Skips the check for a blocking transport.
    pub(super) fn asynchronous(&self) -> Outcome<(&SharedTransport, &Handle)> {
        match &self.subject.transport {
            Either::Async(transport) => Ok((transport, &self.runtime)),
            Either::Blocking(_) => skip("only for async transports; this one is blocking"),
        }
    }

    /// Returns the blocking transport and a runtime to call it in. Skips the check for an async transport.
    pub(super) fn blocking(&self) -> Outcome<(&Arc<dyn BlockingTransport>, &Handle)> {
        match &self.subject.transport {
            Either::Blocking(transport) => Ok((transport, &self.runtime)),
            Either::Async(_) => skip("only for blocking transports; this one is async"),
        }
    }

    /// Returns the authority that the transport trusts. Skips the check for a transport without TLS.
    pub(super) fn authority(&self) -> Outcome<&Authority> {
        match &self.subject.without_tls {
            None => Ok(&self.authority),
            Some(reason) => skip(reason.as_str()),
        }
    }
}

/// Returns the values of a header as text, joined by ` | `.
pub(super) fn header<B>(response: &http::Response<B>, name: &str) -> String {
    let values = response.headers().get_all(name).iter();
    values.map(|value| text(value.as_bytes())).collect::<Vec<_>>().join(" | ")
}

/// Reads the body of a response, which must fail, and returns the error.
pub(super) fn failure(response: BlockingResponse) -> Outcome<TransportError> {
    let status = response.status().as_u16();
    match response.into_body().collect(LIMIT) {
        Err(error) => Ok(error),
        Ok(body) => {
            let length = body.len();
            fail(format!("no error, but status {status} and a body of {length} bytes"))
        }
    }
}

/// Reads up to `count` bytes, or to the end or an error, whichever comes first.
pub(super) fn read_up_to(
    response: &mut BlockingResponse,
    count: usize,
) -> (Vec<u8>, Option<TransportError>) {
    let mut read = Vec::new();
    while read.len() < count {
        match response.body_mut().chunk() {
            Ok(Some(chunk)) => read.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return (read, Some(error)),
        }
    }
    (read, None)
}

/// Body limit in bytes. No check sends more, except the checks of limits.
const LIMIT: u64 = 4 << 20;
