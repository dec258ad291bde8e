//! [`OnThread`]: async transports for blocking callers.
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::task::Poll;
use std::{fmt, io, iter, thread};

use bytes::Bytes;
use http_body::Body as _;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Request, Transport, TransportError,
    TransportErrorKind,
};

/// Turns an async transport, which may use tokio, into a [`BlockingTransport`]. Use this in code without `async`.
///
/// A dedicated thread with a tokio runtime runs the exchange until the response head arrives, while the calling thread
/// sleeps. The thread that reads the body also drives the exchange, so at most one chunk is held in memory.
///
/// The transport may also be called from within another runtime; the call then blocks a thread of that runtime. A panic
/// in the inner transport resumes in the caller.
///
/// Clones share the thread, which ends when the last clone and the last body are dropped.
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
    /// Wraps `inner` and starts the thread.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::Other`] if the operating system cannot start a thread or provide a socket poller.
    pub fn new(inner: T) -> Result<Self, TransportError> {
        let builder = thread::Builder::new().name("gateway-transport".into());
        let runtime = RuntimeThread::start(builder).map_err(|error| {
            TransportError::new(TransportErrorKind::Other, "cannot start the transport's thread")
                .with_source(error)
        })?;
        Ok(Self { inner: Arc::new(inner), runtime: Arc::new(runtime) })
    }
}

impl<T: Transport> BlockingTransport for OnThread<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let inner = Arc::clone(&self.inner);
        let exchange = self.runtime.handle.spawn(async move {
            let mut response = inner.send(request).await?;
            let first = first_chunk(response.body_mut()).await;
            Ok((response, first))
        });
        let (response, first) = match self.runtime.drive(exchange) {
            Ok(result) => result?,
            // Panic as if the exchange had run on the calling thread.
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(error) => {
                let text = "the transport's thread has stopped";
                return Err(TransportError::new(TransportErrorKind::Other, text).with_source(error));
            }
        };
        Ok(response.map(|body| match first {
            // A short body is already complete.
            Some(Ok(Some(whole))) if body.is_end_stream() => whole.into(),
            first => {
                let runtime = Arc::clone(&self.runtime);
                let mut body = DrivenBody { body, first, runtime };
                BlockingBody::from_chunks(iter::from_fn(move || body.chunk().transpose()))
            }
        }))
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

/// A thread whose runtime serves sockets and timers until this handle is dropped.
struct RuntimeThread {
    handle: Handle,
    /// Dropping the sender stops the thread. The thread is never joined, because the drop may happen on a runtime's
    /// thread.
    _stop: oneshot::Sender<()>,
}

impl RuntimeThread {
    fn start(builder: thread::Builder) -> io::Result<Self> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (report, started) = sync_channel(1);
        builder.spawn(move || {
            // Created on this thread: if the thread cannot be spawned, the caller would drop the runtime, and dropping
            // a runtime inside another one panics.
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(report.send(Err(error))),
            };
            drop(report.send(Ok(runtime.handle().clone())));
            drop(runtime.block_on(stopped));
            // A name lookup may still be running on a thread of the blocking pool; do not wait for it.
            runtime.shutdown_background();
        })?;
        let handle = started.recv().map_err(io::Error::other)??;
        Ok(Self { handle, _stop: stop })
    }

    /// Runs `future` to completion on the calling thread, with the sockets and timers of this runtime.
    ///
    /// `Handle::block_on` does the same, but panics inside another runtime.
    fn drive<F: Future>(&self, future: F) -> F::Output {
        let _context = self.handle.enter();
        pollster::block_on(future)
    }
}

type Chunk = Result<Option<Bytes>, TransportError>;

/// Returns the first chunk of `body` if it has already arrived, as in a short response. The calling thread then need
/// not sleep a second time.
async fn first_chunk(body: &mut Body) -> Option<Chunk> {
    let mut first = poll_once(body).await;
    if first.is_none() {
        // The body is now being polled. If it arrived with the head, it is ready once the connection's task has run.
        tokio::task::yield_now().await;
        first = poll_once(body).await;
    }
    if matches!(first, Some(Ok(Some(_)))) && body.is_end_stream() {
        // Dropping a client's body may need the client's runtime, so drop it here.
        *body = Body::empty();
    }
    first
}

/// Returns the next chunk of `body`, or `None` if it is not ready.
async fn poll_once(body: &mut Body) -> Option<Chunk> {
    let mut chunk = std::pin::pin!(body.chunk());
    poll_fn(|context| match chunk.as_mut().poll(context) {
        Poll::Ready(chunk) => Poll::Ready(Some(chunk)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// A body that is polled on the thread that reads it.
struct DrivenBody {
    body: Body,
    first: Option<Chunk>,
    runtime: Arc<RuntimeThread>,
}

impl DrivenBody {
    fn chunk(&mut self) -> Chunk {
        match self.first.take() {
            Some(first) => first,
            None => self.runtime.drive(self.body.chunk()),
        }
    }
}

impl Drop for DrivenBody {
    fn drop(&mut self) {
        // Dropping a client's body closes or pools its connection, which may need the client's runtime.
        let _context = self.runtime.handle.enter();
        self.body = Body::empty();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http_body::{Body as HttpBody, Frame};
    use tokio::runtime::Handle;

    use super::{OnThread, RuntimeThread};
    use crate::{BlockingTransport as _, Body, Request, Response, TransportError, transport_fn};

    /// A body with this many chunks, which must be dropped inside a runtime.
    struct Chunks(usize);

    impl HttpBody for Chunks {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            let left = self.0.checked_sub(1);
            self.0 = left.unwrap_or(0);
            Poll::Ready(left.map(|_| Ok(Frame::data("chunk ".into()))))
        }

        fn is_end_stream(&self) -> bool {
            self.0 == 0
        }
    }

    impl Drop for Chunks {
        fn drop(&mut self) {
            Handle::current();
        }
    }

    #[test]
    fn a_body_is_dropped_inside_its_runtime() {
        for chunks in 0..4 {
            let transport =
                transport_fn(move |_| async move { Ok(Response::new(Body::new(Chunks(chunks)))) });
            let transport = OnThread::new(transport).unwrap();
            let send = || transport.send(Request::default()).unwrap().into_body();
            drop(send());
            assert_eq!(send().collect(100).unwrap(), "chunk ".repeat(chunks));
        }
    }

    #[test]
    fn a_panic_in_the_exchange_reaches_the_caller() {
        let transport = transport_fn(|request: Request| async move {
            assert!(!request.body().is_empty(), "planted panic");
            Ok(Response::new(request.into_body().into()))
        });
        let transport = OnThread::new(transport).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| transport.send(Request::default())));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"planted panic"));
        // The thread keeps working.
        let response = transport.send(Request::new("x".into())).unwrap();
        assert_eq!(response.into_body().collect(1).unwrap(), "x");
    }

    #[test]
    fn a_failed_thread_start_is_an_error_even_inside_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // More stack than any machine can address.
        let builder = || std::thread::Builder::new().stack_size(usize::MAX / 8);
        RuntimeThread::start(builder()).map(drop).unwrap_err();
        runtime.block_on(async { RuntimeThread::start(builder()).map(drop).unwrap_err() });
    }
}
