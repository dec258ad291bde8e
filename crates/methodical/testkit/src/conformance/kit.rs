//! The transport under test, behind one blocking interface whether it is async or blocking.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, BlockingTransport, Body, Options, Proxy, Request, SharedTransport, Transport,
    TransportError, TransportErrorKind,
};
use http::response::Parts;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::certificates::Authority;
use crate::conformance::peer::text;
use crate::outcome::{Outcome, Stop, fail, skip};

/// The settings that the kit wants for the transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// Timeout of opening a connection.
    pub connect_timeout: Duration,
    /// Longest time without a byte from the peer during a response.
    pub idle_timeout: Duration,
    /// Certificate (DER) of an authority to trust. A transport that does not trust it fails the TLS checks.
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

/// Creates the transport under test. Each check creates at least one.
pub type Factory = fn(&Setup) -> Result<Subject, TransportError>;

impl Subject {
    /// Wraps an async transport. The kit runs it on a tokio runtime.
    pub fn asynchronous(transport: impl Transport) -> Self {
        Self { transport: Either::Async(SharedTransport::new(transport)), without_tls: None }
    }

    /// Wraps a blocking transport.
    pub fn blocking(transport: impl BlockingTransport) -> Self {
        Self { transport: Either::Blocking(Arc::new(transport)), without_tls: None }
    }

    /// Declares that the transport does not support TLS, and why. The TLS checks are then skipped.
    #[must_use]
    pub fn without_tls(mut self, reason: impl Into<String>) -> Self {
        self.without_tls = Some(reason.into());
        self
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transport {
            Either::Async(transport) => write!(f, "Subject({transport:?})"),
            Either::Blocking(transport) => write!(f, "Subject({})", transport.name()),
        }
    }
}

/// The transport under test, and the means to create another one.
pub(super) struct Kit {
    factory: Factory,
    setup: Setup,
    authority: Arc<Authority>,
    subject: Subject,
    /// `None` only during the drop.
    runtime: Option<Runtime>,
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

    /// Creates another kit with changed settings.
    pub(super) fn with(&self, change: impl FnOnce(&mut Setup)) -> Outcome<Self> {
        let mut setup = self.setup.clone();
        change(&mut setup);
        Self::build(self.factory, setup, Arc::clone(&self.authority))
    }

    fn build(factory: Factory, setup: Setup, authority: Arc<Authority>) -> Outcome<Self> {
        let subject = factory(&setup)?;
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        Ok(Self { factory, setup, authority, subject, runtime: Some(runtime) })
    }

    /// Sends `request` and waits for the head of the response.
    pub(super) fn send(&self, request: Request) -> Result<Response, TransportError> {
        match &self.subject.transport {
            Either::Blocking(transport) => {
                let (head, body) = transport.send(request)?.into_parts();
                Ok(Response { head, body: ResponseBody::Blocking(body) })
            }
            Either::Async(transport) => {
                let handle = self.handle().map_err(|stop| {
                    TransportError::new(TransportErrorKind::Other, stop.to_string())
                })?;
                let (head, body) = handle.block_on(transport.send(request))?.into_parts();
                Ok(Response { head, body: ResponseBody::Async(body, handle) })
            }
        }
    }

    /// Sends `request` and waits for the complete response.
    pub(super) fn fetch(&self, request: Request) -> Outcome<Fetched> {
        let response = self.send(request)?;
        let head = response.head.clone();
        let body = response.collect(LIMIT)?;
        Ok(Fetched { head, body })
    }

    /// Sends `request`, which must fail in the head or in the body, and returns the error.
    pub(super) fn failure(&self, request: Request) -> Outcome<TransportError> {
        match self.send(request) {
            Err(error) => Ok(error),
            Ok(response) => response.failure(),
        }
    }

    /// Returns the async transport and a runtime for it. Skips the check for a blocking transport.
    pub(super) fn asynchronous(&self) -> Outcome<(&SharedTransport, Handle)> {
        match &self.subject.transport {
            Either::Async(transport) => Ok((transport, self.handle()?)),
            Either::Blocking(_) => skip("only for async transports; this one is blocking"),
        }
    }

    /// Returns the blocking transport and a runtime to call it in. Skips the check for an async transport.
    pub(super) fn blocking(&self) -> Outcome<(&Arc<dyn BlockingTransport>, Handle)> {
        match &self.subject.transport {
            Either::Blocking(transport) => Ok((transport, self.handle()?)),
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

    /// Returns the `Debug` output of the transport's handle, and its name.
    pub(super) fn debug_text(&self) -> String {
        let name = match &self.subject.transport {
            Either::Async(transport) => transport.name(),
            Either::Blocking(transport) => transport.name(),
        };
        format!("{:?} {name}", self.subject)
    }

    fn handle(&self) -> Outcome<Handle> {
        let runtime = self.runtime.as_ref();
        Ok(runtime.ok_or_else(|| Stop::Fail("the kit has ended".into()))?.handle().clone())
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A blocking call that a check abandoned must not delay the next check.
            runtime.shutdown_background();
        }
    }
}

/// A complete response.
pub(super) struct Fetched {
    pub(super) head: Parts,
    pub(super) body: Bytes,
}

impl Fetched {
    /// Returns the values of a header as text, joined by ` | `.
    pub(super) fn header(&self, name: &str) -> String {
        let values = self.head.headers.get_all(name).iter();
        values.map(|value| text(value.as_bytes())).collect::<Vec<_>>().join(" | ")
    }
}

/// A response whose body has not been read yet.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) head: Parts,
    body: ResponseBody,
}

#[derive(Debug)]
enum ResponseBody {
    Async(Body, Handle),
    Blocking(BlockingBody),
}

impl Response {
    /// Waits for the next chunk of the body.
    pub(super) fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        match &mut self.body {
            ResponseBody::Async(body, handle) => handle.block_on(body.chunk()),
            ResponseBody::Blocking(body) => body.chunk(),
        }
    }

    /// Waits for the rest of the body.
    pub(super) fn collect(self, limit: u64) -> Result<Bytes, TransportError> {
        match self.body {
            ResponseBody::Async(body, handle) => handle.block_on(body.collect(limit)),
            ResponseBody::Blocking(body) => body.collect(limit),
        }
    }

    /// Reads the body, which must fail, and returns the error.
    pub(super) fn failure(self) -> Outcome<TransportError> {
        let status = self.head.status.as_u16();
        match self.collect(LIMIT) {
            Err(error) => Ok(error),
            Ok(body) => {
                let length = body.len();
                fail(format!("no error, but status {status} and a body of {length} bytes"))
            }
        }
    }

    /// Reads up to `count` bytes, or to the end or an error, whichever comes first.
    pub(super) fn read_up_to(&mut self, count: usize) -> (Vec<u8>, Option<TransportError>) {
        let mut read = Vec::new();
        while read.len() < count {
            match self.chunk() {
                Ok(Some(chunk)) => read.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return (read, Some(error)),
            }
        }
        (read, None)
    }
}

/// Body limit in bytes: more than any check sends, except those about limits.
const LIMIT: u64 = 4 << 20;
