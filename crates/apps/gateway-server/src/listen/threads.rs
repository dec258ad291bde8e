//! Threads that serve connections.

use std::convert::Infallible;
use std::num::NonZero;
use std::{io, thread};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc;

/// One thread for each processor. A connection stays on one thread.
///
/// Threads that share their tasks wake each other all the time: on two of them, a small response took 14.3 µs of CPU time
/// instead of 11.4 µs.
#[derive(Debug)]
pub(crate) struct ServingThreads(Vec<ServingThread>);

/// A thread, which ends after its last connection and this value are dropped.
#[derive(Debug)]
struct ServingThread {
    tasks: Handle,
    /// Each connection has a clone.
    running: mpsc::Sender<Infallible>,
}

impl ServingThreads {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// Fails if the system has no resources for them.
    pub(crate) fn start() -> io::Result<Self> {
        Self::start_number(number())
    }

    fn start_number(number: usize) -> io::Result<Self> {
        (0..number).map(|_| ServingThread::start()).collect::<io::Result<_>>().map(Self)
    }

    /// Moves a socket to the thread with the fewest connections, and serves it there.
    ///
    /// # Errors
    ///
    /// Fails if the system has no resources to move the socket, which is then closed.
    pub(crate) fn serve<S, F>(&self, socket: TcpStream, serve: S) -> io::Result<()>
    where
        S: FnOnce(TcpStream) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let socket = socket.into_std()?;
        let Some(thread) = self.0.iter().min_by_key(|thread| thread.running.strong_count()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let running = thread.running.clone();
        thread.tasks.spawn(async move {
            if let Ok(socket) = TcpStream::from_std(socket) {
                serve(socket).await;
            }
            drop(running);
        });
        Ok(())
    }
}

impl ServingThread {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let tasks = runtime.handle().clone();
        let (running, mut ended) = mpsc::channel(1);
        thread::Builder::new().name("connections".into()).spawn(move || {
            runtime.block_on(ended.recv());
            // Does not wait for a job that an unreachable database blocks.
            runtime.shutdown_background();
        })?;
        Ok(Self { tasks, running })
    }
}

/// Returns how many file descriptors the threads need besides those of the connections.
pub(crate) fn descriptors() -> usize {
    number() * PER_THREAD
}

fn number() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// File descriptors of a runtime: two for its queue of events, one to wake it, one for signals.
const PER_THREAD: usize = 4;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;
    use tokio::sync::{Notify, mpsc};

    use super::*;

    #[tokio::test]
    async fn connections_are_spread_over_threads_which_end_after_them() {
        let threads = ServingThreads::start_number(3).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (started, mut starts) = mpsc::unbounded_channel();
        let end = Arc::new(Notify::new());
        let mut clients = Vec::new();
        for _ in 0..6 {
            clients.push(TcpStream::connect(listener.local_addr().unwrap()).await.unwrap());
            let (socket, _) = listener.accept().await.unwrap();
            let (started, end) = (started.clone(), Arc::clone(&end));
            let serve = async move |socket: TcpStream| {
                socket.writable().await.unwrap();
                let ended = end.notified();
                started.send(thread::current().id()).unwrap();
                ended.await;
            };
            threads.serve(socket, serve).unwrap();
        }
        drop(started);
        let mut used = Vec::new();
        for _ in 0..6 {
            used.push(starts.recv().await.unwrap());
        }
        for thread in &used {
            assert_eq!(used.iter().filter(|other| *other == thread).count(), 2);
        }

        let running: Vec<_> = threads.0.iter().map(|thread| thread.running.downgrade()).collect();
        drop(threads);
        assert!(running.iter().all(|running| running.strong_count() == 2));
        end.notify_waiters();
        // Each task drops the channel when it ends.
        assert_eq!(starts.recv().await, None);
    }
}
