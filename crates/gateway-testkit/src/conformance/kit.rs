//! What a check works with: the transport behind one blocking face, whatever its mode.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{
    BlockingBody, BlockingTransport, Body, Request, SharedTransport, Transport, TransportError,
};
use http::HeaderValue;
use http::response::Parts;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::certificates::Authority;
use crate::conformance::outcome::describe;
use crate::conformance::subject::{Either, Factory, Setup, Subject};
use crate::conformance::{Outcome, Stop};

/// The transport that is checked, and what it takes to make another one.
pub struct Kit {
    factory: Factory,
    setup: Setup,
    authority: Arc<Authority>,
    subject: Subject,
    /// `None` only while it is being dropped.
    runtime: Option<Runtime>,
}

impl Kit {
    /// Makes a transport with settings that get in the way of no check.
    ///
    /// # Errors
    ///
    /// When the factory fails, or the operating system has no thread.
    pub fn new(factory: Factory) -> Outcome<Self> {
        let authority = Arc::new(Authority::new()?);
        let setup = Setup {
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(8),
            root: authority.certificate(),
        };
        Self::build(factory, setup, authority)
    }

    /// Makes another kit, with other settings.
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

    /// Sends `request` and waits for the head.
    pub(super) fn send(&self, request: Request) -> Result<Answer, TransportError> {
        match &self.subject.transport {
            Either::Blocking(transport) => {
                let (head, body) = transport.send(request)?.into_parts();
                Ok(Answer { head, body: AnswerBody::Blocking(body) })
            }
            Either::Async(transport) => {
                let handle = self.handle().map_err(|stop| {
                    TransportError::new(gateway_transport::ErrorKind::Other, stop.to_string())
                })?;
                let (head, body) = handle.block_on(transport.send(request))?.into_parts();
                Ok(Answer { head, body: AnswerBody::Async(body, handle) })
            }
        }
    }

    /// Sends `request` and waits for everything.
    pub(super) fn fetch(&self, request: Request) -> Outcome<Fetched> {
        let answer = self.send(request)?;
        let head = answer.head.clone();
        let body = answer.collect(LIMIT)?;
        Ok(Fetched { head, body })
    }

    /// Sends `request` and returns the error that it must end with, in the head or in the body.
    pub(super) fn failure(&self, request: Request) -> Outcome<TransportError> {
        let answer = match self.send(request) {
            Err(error) => return Ok(error),
            Ok(answer) => answer,
        };
        let status = answer.head.status.as_u16();
        match answer.collect(LIMIT) {
            Err(error) => Ok(error),
            Ok(body) => {
                let length = body.len();
                let text = format!("no error, but status {status} with a body of {length} bytes");
                Err(Stop::failed(text))
            }
        }
    }

    /// The async transport, if it is one, and the runtime to use it with.
    pub(super) fn asynchronous(&self) -> Outcome<(&SharedTransport, Handle)> {
        match &self.subject.transport {
            Either::Async(transport) => Ok((transport, self.handle()?)),
            Either::Blocking(_) => {
                Err(Stop::NotApplicable("it is blocking: nothing is awaited".into()))
            }
        }
    }

    /// The blocking transport, if it is one, and a runtime to get in its way.
    pub(super) fn blocking(&self) -> Outcome<(&Arc<dyn BlockingTransport>, Handle)> {
        match &self.subject.transport {
            Either::Blocking(transport) => Ok((transport, self.handle()?)),
            Either::Async(_) => {
                Err(Stop::NotApplicable("it is async: no call of it blocks".into()))
            }
        }
    }

    /// The authority that the transport trusts, if it has TLS.
    pub(super) fn authority(&self) -> Outcome<&Authority> {
        match &self.subject.without_tls {
            None => Ok(&self.authority),
            Some(reason) => Err(Stop::NotApplicable(reason.clone())),
        }
    }

    /// What `Debug` prints of the transport's handle, and its name.
    pub(super) fn shown(&self) -> String {
        let name = match &self.subject.transport {
            Either::Async(transport) => transport.name(),
            Either::Blocking(transport) => transport.name(),
        };
        format!("{:?} {name}", self.subject)
    }

    fn handle(&self) -> Outcome<Handle> {
        let runtime = self.runtime.as_ref();
        Ok(runtime.ok_or_else(|| Stop::failed("the kit has ended"))?.handle().clone())
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A blocking call that a check left behind must not hold up the next check.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Kit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kit").field(&self.subject).finish()
    }
}

/// An answer that has come in completely.
pub(super) struct Fetched {
    pub(super) head: Parts,
    pub(super) body: Bytes,
}

impl Fetched {
    /// The values of a header, as bytes.
    pub(super) fn header(&self, name: &str) -> Vec<&[u8]> {
        self.head.headers.get_all(name).iter().map(HeaderValue::as_bytes).collect()
    }
}

/// An answer whose body is still to be read.
#[derive(Debug)]
pub struct Answer {
    pub(super) head: Parts,
    body: AnswerBody,
}

#[derive(Debug)]
enum AnswerBody {
    Async(Body, Handle),
    Blocking(BlockingBody),
}

impl Answer {
    /// Waits for the next piece of the body.
    pub(super) fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        match &mut self.body {
            AnswerBody::Async(body, handle) => handle.block_on(body.chunk()),
            AnswerBody::Blocking(body) => {
                let mut buffer = vec![0; 64 * 1024];
                let count = body.read(&mut buffer).map_err(TransportError::from_io)?;
                buffer.truncate(count);
                Ok((count > 0).then(|| buffer.into()))
            }
        }
    }

    /// Waits for the rest of the body.
    pub(super) fn collect(self, limit: u64) -> Result<Bytes, TransportError> {
        match self.body {
            AnswerBody::Async(body, handle) => handle.block_on(body.collect(limit)),
            AnswerBody::Blocking(body) => body.collect(limit),
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

/// Everything that an error tells, in all the ways it can be printed.
pub(super) fn everything_told_by(error: &TransportError) -> String {
    format!("{} {error:?} {error:#?}", describe(error))
}

/// More than any check sends, other than those about limits.
const LIMIT: u64 = 4 << 20;
