//! An async transport for code without `async`.
use std::fmt;
use std::future::Future;
use std::io::{self, Read};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use bytes::Bytes;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::blocking_body::move_bytes;
use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, ErrorKind, Request, Transport,
    TransportError,
};

/// Makes a [`BlockingTransport`] of any async transport that needs tokio.
///
/// A thread of its own runs the sockets and the clocks; the exchange itself runs on the calling thread, which sleeps
/// until there is something to do. So nothing is buffered between the two, and a call inside another runtime blocks
/// that runtime's thread, but never panics.
///
/// Clones share the thread. It ends when the last clone and the last body are dropped.
///
/// # Examples
///
/// ```
/// use gateway_transport::bridge::OnThread;
/// use gateway_transport::{BlockingTransport, MemoryTransport};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let inner = MemoryTransport::new([Ok(http::Response::new("[]".into()))]);
/// let transport = OnThread::new(inner)?;
/// let response = transport.send(http::Request::get("/").body("".into())?)?;
/// assert_eq!(response.into_body().collect(10)?, "[]");
/// # Ok(())
/// # }
/// ```
pub struct OnThread<T> {
    inner: Arc<T>,
    runtime: Arc<RuntimeThread>,
}

impl<T: Transport> OnThread<T> {
    /// Takes over `inner` and starts the thread.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Other`] if the operating system has no thread or no socket poll for us.
    pub fn new(inner: T) -> Result<Self, TransportError> {
        let runtime = RuntimeThread::start().map_err(|error| {
            TransportError::new(ErrorKind::Other, "no thread for the transport").with_source(error)
        })?;
        Ok(Self { inner: Arc::new(inner), runtime: Arc::new(runtime) })
    }
}

impl<T: Transport> BlockingTransport for OnThread<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let response = self.runtime.drive(self.inner.send(request))?;
        Ok(response.map(|body| {
            let runtime = Arc::clone(&self.runtime);
            BlockingBody::new(DrivenBody { body, chunk: Bytes::new(), runtime })
        }))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

impl<T> Clone for OnThread<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), runtime: Arc::clone(&self.runtime) }
    }
}

impl<T: fmt::Debug> fmt::Debug for OnThread<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnThread").field(&self.inner).finish()
    }
}

/// A thread with a runtime that serves sockets and clocks until it is dropped.
struct RuntimeThread {
    handle: Handle,
    /// Dropping it is the signal to stop. The thread is never joined: the drop may happen on a runtime's thread.
    _stop: oneshot::Sender<()>,
}

impl RuntimeThread {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new().name("gateway-transport".into()).spawn(move || {
            // `Err` is the signal; nothing is ever sent.
            let _: Result<(), _> = runtime.block_on(stopped);
            // A name lookup may still be running on a thread of the pool; nobody waits for it any more.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, _stop: stop })
    }

    /// Runs `future` to its end on the calling thread, with the sockets and clocks of this runtime.
    ///
    /// `Handle::block_on` does the same, but panics inside another runtime.
    fn drive<F: Future>(&self, future: F) -> F::Output {
        let _context = self.handle.enter();
        let waker = Arc::new(Unpark(thread::current())).into();
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                Poll::Pending => thread::park(),
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// A body that is polled by whoever reads it.
struct DrivenBody {
    body: Body,
    chunk: Bytes,
    runtime: Arc<RuntimeThread>,
}

impl Read for DrivenBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.is_empty() && !buffer.is_empty() {
            let next = self.runtime.drive(self.body.chunk()).map_err(TransportError::into_io)?;
            self.chunk = next.unwrap_or_default();
        }
        Ok(move_bytes(&mut self.chunk, buffer))
    }
}

impl Drop for DrivenBody {
    fn drop(&mut self) {
        // What a client does when its body goes away (close, or return a connection) may need its runtime.
        let _context = self.runtime.handle.enter();
        self.body = Body::empty();
    }
}
