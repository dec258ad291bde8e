//! A thread that runs a tokio runtime for blocking callers.
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, EnterGuard, Handle};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::{BoxFuture, ErrorKind, TransportError};

/// A thread whose runtime serves sockets and timers until this handle is dropped.
pub(super) struct RuntimeThread {
    handle: Handle,
    /// Dropping the sender stops the thread. The thread is never joined: the drop may happen on a runtime's thread.
    exchanges: UnboundedSender<BoxFuture<'static, ()>>,
}

impl RuntimeThread {
    pub(super) fn start(builder: thread::Builder) -> io::Result<Self> {
        let (exchanges, mut incoming) = unbounded_channel::<BoxFuture<'static, ()>>();
        let (report, started) = sync_channel(1);
        builder.spawn(move || {
            // Created on this thread: if the thread cannot be spawned, the caller would drop the runtime, and dropping
            // a runtime inside another one panics.
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(report.send(Err(error))),
            };
            drop(report.send(Ok(runtime.handle().clone())));
            runtime.block_on(async {
                // Spawned from here: `Handle::spawn` would wake the thread once more for each exchange.
                while let Some(exchange) = incoming.recv().await {
                    tokio::spawn(exchange);
                }
            });
            // A name lookup may still run on a thread of the blocking pool; do not wait for it.
            runtime.shutdown_background();
        })?;
        let handle = started.recv().map_err(io::Error::other)??;
        Ok(Self { handle, exchanges })
    }

    /// Runs `exchange` to completion on this thread while the calling thread sleeps.
    pub(super) fn run<T: Send + 'static>(
        &self,
        exchange: impl Future<Output = Result<T, TransportError>> + Send + 'static,
    ) -> Result<T, TransportError> {
        let (sender, result) = oneshot::channel();
        let exchange = Box::pin(async {
            // The calling thread always waits for the result.
            let _unheard = sender.send(catch_panic(exchange).await);
        });
        // If the thread has stopped, the sender of the result is dropped, and `result` fails.
        let _stopped = self.exchanges.send(exchange);
        match self.drive(result) {
            Ok(Ok(result)) => result,
            // As if the exchange had run on the calling thread.
            Ok(Err(panic)) => resume_unwind(panic),
            Err(stopped) => {
                let text = "the transport's thread has stopped";
                Err(TransportError::new(ErrorKind::Other, text).with_source(stopped))
            }
        }
    }

    /// Runs `future` to completion on the calling thread, with the sockets and timers of this runtime.
    ///
    /// `Handle::block_on` does the same, but panics inside another runtime.
    pub(super) fn drive<F: Future>(&self, future: F) -> F::Output {
        let _context = self.enter();
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

    /// Enters the context of this runtime.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }
}

/// Runs `future` to completion and catches a panic in it.
async fn catch_panic<F: Future>(future: F) -> thread::Result<F::Output> {
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
    /// The thread's park token is not enough: the future may park the thread itself and consume the token.
    is_due: AtomicBool,
}

impl Unpark {
    /// Waits until woken; returns immediately if woken since the last wait. Must be called on the thread itself.
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::mpsc::sync_channel;
    use std::task::Poll;
    use std::thread;
    use std::time::Duration;

    use super::RuntimeThread;

    /// A future parks its thread when, for example, it waits for a contended lock.
    #[test]
    fn a_future_that_parks_the_thread_is_still_woken() {
        let (report, ended) = sync_channel(1);
        thread::spawn(move || {
            let thread = RuntimeThread::start(thread::Builder::new()).unwrap();
            let mut was_polled = false;
            let output = thread.drive(poll_fn(|context| {
                if was_polled {
                    return Poll::Ready("driven");
                }
                was_polled = true;
                context.waker().wake_by_ref();
                // Returns immediately and consumes the token that would have ended the next `park`.
                thread::park();
                Poll::Pending
            }));
            report.send(output).unwrap();
        });
        assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok("driven"));
    }

    #[test]
    fn a_failed_thread_start_is_an_error_even_inside_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // More stack than any machine can address.
        let builder = || thread::Builder::new().stack_size(usize::MAX / 8);
        RuntimeThread::start(builder()).map(drop).unwrap_err();
        runtime.block_on(async { RuntimeThread::start(builder()).map(drop).unwrap_err() });
    }
}
