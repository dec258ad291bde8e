//! An async transport for code without `async`.
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::{fmt, io};

use bytes::Bytes;
use http_body::Body as _;
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, BoxFuture, ErrorKind, Request,
    Transport, TransportError,
};

/// Makes a [`BlockingTransport`] of any async transport that needs tokio.
///
/// A thread of its own runs the exchange until the head of the response is there; the calling thread sleeps so long. The
/// body is pulled by whoever reads it, so no more of it than one piece is ever held. A call inside another runtime
/// blocks that runtime's thread, but never panics.
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
        let builder = thread::Builder::new().name("gateway-transport".into());
        let runtime = RuntimeThread::start(builder).map_err(|error| {
            TransportError::new(ErrorKind::Other, "no thread for the transport").with_source(error)
        })?;
        Ok(Self { inner: Arc::new(inner), runtime: Arc::new(runtime) })
    }
}

impl<T: Transport> BlockingTransport for OnThread<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let inner = Arc::clone(&self.inner);
        let (response, begun) = self.runtime.run(async move {
            let mut response = inner.send(request).await?;
            let begun = beginning(response.body_mut()).await;
            Ok((response, begun))
        })?;
        Ok(response.map(|body| match begun {
            // A short answer is complete.
            Some(Ok(Some(whole))) if body.is_end_stream() => whole.into(),
            begun => {
                let runtime = Arc::clone(&self.runtime);
                let mut body = DrivenBody { body, begun, runtime };
                BlockingBody::from_chunks(move || body.chunk())
            }
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
    exchanges: UnboundedSender<BoxFuture<'static, ()>>,
}

impl RuntimeThread {
    fn start(builder: thread::Builder) -> io::Result<Self> {
        let (exchanges, mut begun) = unbounded_channel::<BoxFuture<'static, ()>>();
        let (report, started) = sync_channel(1);
        builder.spawn(move || {
            // Made here, and not handed in: without a thread, it would be dropped by the caller, and a runtime that is
            // dropped inside another one panics.
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(report.send(Err(error))),
            };
            drop(report.send(Ok(runtime.handle().clone())));
            runtime.block_on(async {
                // Started from here, and not through the handle, which would wake the thread for each of them.
                while let Some(exchange) = begun.recv().await {
                    tokio::spawn(exchange);
                }
            });
            // A name lookup may still be running on a thread of the pool; nobody waits for it any more.
            runtime.shutdown_background();
        })?;
        let handle = started.recv().map_err(io::Error::other)??;
        Ok(Self { handle, exchanges })
    }

    /// Runs `exchange` to its end on this thread, while the calling thread sleeps.
    fn run<T: Send + 'static>(
        &self,
        exchange: impl Future<Output = Result<T, TransportError>> + Send + 'static,
    ) -> Result<T, TransportError> {
        let (sender, result) = oneshot::channel();
        let exchange = Box::pin(async {
            // The calling thread waits for it whatever happens.
            let _unheard = sender.send(caught(exchange).await);
        });
        // If the thread is gone, so is the sender of the result.
        let _stopped = self.exchanges.send(exchange);
        match self.drive(result) {
            Ok(Ok(result)) => result,
            // As if the exchange had run here.
            Ok(Err(panic)) => resume_unwind(panic),
            Err(stopped) => {
                let text = "the thread of the transport has stopped";
                Err(TransportError::new(ErrorKind::Other, text).with_source(stopped))
            }
        }
    }

    /// Runs `future` to its end on the calling thread, with the sockets and clocks of this runtime.
    ///
    /// `Handle::block_on` does the same, but panics inside another runtime.
    fn drive<F: Future>(&self, future: F) -> F::Output {
        let _context = self.handle.enter();
        let wake = Arc::new(Unpark { thread: thread::current(), is_due: AtomicBool::new(false) });
        let waker = Arc::clone(&wake).into();
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                Poll::Pending => wake.wait(),
            }
        }
    }
}

/// Runs a future to its end, or to the panic that ends it.
async fn caught<F: Future>(future: F) -> thread::Result<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Wakes a thread that waits in [`wait`](Self::wait).
struct Unpark {
    thread: Thread,
    /// The token of the thread cannot stand for it: a future may park for a reason of its own, and take it.
    is_due: AtomicBool,
}

impl Unpark {
    /// Waits for a wake since the last one. Only for the thread itself.
    fn wait(&self) {
        while !self.is_due.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_due.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Returns the first piece of a body if it is there already, as it is after a short answer: that saves the calling
/// thread from being put to sleep once more.
async fn beginning(body: &mut Body) -> Option<Begun> {
    let mut first = now(body).await;
    if first.is_none() {
        // The body has been asked for. If it came with the head, it is here as soon as the connection has had its turn.
        tokio::task::yield_now().await;
        first = now(body).await;
    }
    if matches!(first, Some(Ok(Some(_)))) && body.is_end_stream() {
        // What the client does when its body goes away may need its runtime, which is here.
        *body = Body::empty();
    }
    first
}

/// Returns the next piece of a body if it is there.
async fn now(body: &mut Body) -> Option<Begun> {
    let mut chunk = pin!(body.chunk());
    poll_fn(|context| match chunk.as_mut().poll(context) {
        Poll::Ready(first) => Poll::Ready(Some(first)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// What came of a body before anybody read it.
type Begun = Result<Option<Bytes>, TransportError>;

/// A body that is polled by whoever reads it.
struct DrivenBody {
    body: Body,
    begun: Option<Begun>,
    runtime: Arc<RuntimeThread>,
}

impl DrivenBody {
    fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        match self.begun.take() {
            Some(begun) => begun,
            None => self.runtime.drive(self.body.chunk()),
        }
    }
}

impl Drop for DrivenBody {
    fn drop(&mut self) {
        // What a client does when its body goes away (close, or return a connection) may need its runtime.
        let _context = self.runtime.handle.enter();
        self.body = Body::empty();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::pin::Pin;
    use std::sync::mpsc::sync_channel;
    use std::task::{Context, Poll};
    use std::thread;
    use std::time::Duration;

    use bytes::Bytes;
    use http_body::{Body as HttpBody, Frame};
    use tokio::runtime::Handle;

    use super::{OnThread, RuntimeThread};
    use crate::{BlockingTransport as _, Body, Request, Response, TransportError, transport_fn};

    /// A body of so many pieces, which needs its runtime when it goes away.
    struct Pieces(usize);

    impl HttpBody for Pieces {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            let left = self.0.checked_sub(1);
            self.0 = left.unwrap_or(0);
            Poll::Ready(left.map(|_| Ok(Frame::data("piece ".into()))))
        }

        fn is_end_stream(&self) -> bool {
            self.0 == 0
        }
    }

    impl Drop for Pieces {
        fn drop(&mut self) {
            Handle::current();
        }
    }

    #[test]
    fn a_body_goes_away_within_its_runtime() {
        for pieces in 0..4 {
            let transport =
                transport_fn(move |_| async move { Ok(Response::new(Body::new(Pieces(pieces)))) });
            let transport = OnThread::new(transport).unwrap();
            let send = || transport.send(Request::default()).unwrap().into_body();
            drop(send());
            assert_eq!(send().collect(100).unwrap(), "piece ".repeat(pieces));
        }
    }

    /// As a lock does that is not free at the time.
    #[test]
    fn a_future_may_park_for_a_reason_of_its_own() {
        let (report, ended) = sync_channel(1);
        thread::spawn(move || {
            let thread = RuntimeThread::start(thread::Builder::new()).unwrap();
            let mut was_asked = false;
            let output = thread.drive(poll_fn(|context| {
                if was_asked {
                    return Poll::Ready("driven");
                }
                was_asked = true;
                context.waker().wake_by_ref();
                // Returns at once, and takes along what would have ended the next one.
                thread::park();
                Poll::Pending
            }));
            report.send(output).unwrap();
        });
        assert_eq!(ended.recv_timeout(PATIENCE), Ok("driven"));
    }

    #[test]
    fn without_a_thread_there_is_an_error_inside_a_runtime_too() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // More than any machine can address.
        let builder = || thread::Builder::new().stack_size(usize::MAX / 8);
        RuntimeThread::start(builder()).map(drop).unwrap_err();
        runtime.block_on(async { RuntimeThread::start(builder()).map(drop).unwrap_err() });
    }

    #[test]
    fn a_panic_inside_is_a_panic_of_the_caller() {
        let transport = transport_fn(|request: Request| async move {
            assert!(!request.body().is_empty(), "out of luck");
            Ok(Response::new(request.into_body().into()))
        });
        let transport = OnThread::new(transport).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| transport.send(Request::default())));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"out of luck"));
        // The thread goes on.
        let response = transport.send(Request::new("x".into())).unwrap();
        assert_eq!(response.into_body().collect(1).unwrap(), "x");
    }

    const PATIENCE: Duration = Duration::from_secs(20);
}
