//! Listening: an accept loop of our own, with limits and deadlines that the ready-made ones lack.

pub(crate) mod guard;
pub(crate) mod head;
pub(crate) mod tls;
pub(crate) mod verdicts;

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{Request, Response};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use self::guard::{Guard, Patience};
use self::head::{HeadLimits, Refusal};
use self::verdicts::{Answering, Verdicts};
use crate::front::Front;

/// How far the server is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Takes connections and requests.
    Serving,
    /// Takes no new connection, and closes each after the answer it is at.
    Draining,
    /// Cuts what is left.
    Cutting,
}

/// Everything connections share.
#[derive(Debug)]
pub(crate) struct Listen {
    pub(crate) front: Arc<Front>,
    pub(crate) head_limits: HeadLimits,
    pub(crate) patience: Patience,
    pub(crate) connections: Arc<Semaphore>,
    /// So many at once, which are one too many, are told so.
    pub(crate) refusals: Arc<Semaphore>,
    pub(crate) tls: Option<Arc<tls::Acceptor>>,
    pub(crate) phase: watch::Receiver<Phase>,
}

impl Listen {
    /// Accepts until the server drains.
    pub(crate) async fn run(self: Arc<Self>, listener: TcpListener) {
        let mut phase = self.phase.clone();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = phase.wait_for(|phase| *phase > Phase::Serving) => return,
            };
            match accepted {
                Ok((socket, _address)) => self.spawn(socket),
                // Out of file descriptors, most likely: the waiting client stays in the queue, and a loop without a
                // pause would only burn the processor.
                Err(_error) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn spawn(self: &Arc<Self>, socket: TcpStream) {
        // An answer goes out when it is written; failing to say so costs some delay only.
        drop(socket.set_nodelay(true));
        let (permit, refusal) = match Arc::clone(&self.connections).try_acquire_owned() {
            Ok(permit) => (permit, None),
            Err(_none_left) => {
                self.front.metrics.connection_refused();
                // To tell somebody takes a descriptor, too: beyond some the connection is closed without a word.
                let Ok(permit) = Arc::clone(&self.refusals).try_acquire_owned() else { return };
                (permit, Some(Refusal::Overloaded))
            }
        };
        let listen = Arc::clone(self);
        tokio::spawn(async move {
            let metrics = Arc::clone(&listen.front.metrics);
            metrics.connections.fetch_add(1, Ordering::Relaxed);
            // A connection that says nothing costs a few hundred bytes: everything else is made when it does.
            if listen.is_spoken_to(&socket, refusal.is_some()).await {
                // Two statements: in one, room for the unboxed future would be part of every task.
                let conversation = Box::pin(listen.converse(socket, refusal));
                conversation.await;
            }
            metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(permit);
        });
    }

    /// Waits for the first byte, but not for ever and not while the server drains.
    async fn is_spoken_to(&self, socket: &TcpStream, refused: bool) -> bool {
        // Peeked at and not awaited with `readable`, which also completes when there is nothing.
        let mut first = [0];
        let mut phase = self.phase.clone();
        let draining = phase.wait_for(|phase| *phase > Phase::Serving);
        tokio::select! {
            spoken = tokio::time::timeout(self.patience.idle, socket.peek(&mut first)), if !refused => {
                spoken.is_ok_and(|length| length.is_ok_and(|length| length > 0))
            }
            _ = draining, if !refused => false,
            else => true,
        }
    }

    async fn converse(&self, socket: TcpStream, refusal: Option<Refusal>) {
        match &self.tls {
            None => self.serve(socket, refusal).await,
            Some(tls) => {
                let encrypted = Box::pin(async {
                    // A handshake is part of what may take only so long.
                    if let Some(stream) = tls.accept(socket, self.patience.head).await {
                        self.serve(stream, refusal).await;
                    }
                });
                encrypted.await;
            }
        }
    }

    async fn serve<S>(&self, socket: S, refusal: Option<Refusal>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let verdicts = Arc::new(Verdicts::default());
        let mut guard = Guard::new(socket, self.head_limits, self.patience, Arc::clone(&verdicts));
        if let Some(refusal) = refusal {
            guard = guard.refuse(refusal);
        }
        let count = AtomicU64::new(0);
        let mut phase = self.phase.clone();
        loop {
            let spoken_to = tokio::select! {
                // First: what has arrived is answered, even if the server is on its way out.
                biased;
                spoken_to = poll_fn(|context| guard.poll_spoken_to(context)) => spoken_to,
                _ = phase.wait_for(|phase| *phase > Phase::Serving), if refusal.is_none() => false,
            };
            if !spoken_to {
                return;
            }
            // In a box, and in two statements: a connection that is silent has no room for the library.
            let requests = Box::pin(self.requests(guard, &verdicts, &count));
            let Some(silent) = requests.await else { return };
            guard = silent;
        }
    }

    /// Answers requests until the client is silent, and returns the connection if another may come.
    async fn requests<S>(
        &self,
        guard: Guard<S>,
        verdicts: &Arc<Verdicts>,
        count: &AtomicU64,
    ) -> Option<Guard<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let service = service_fn(|request: Request<hyper::body::Incoming>| {
            let refusal = verdicts.of(count.fetch_add(1, Ordering::Relaxed));
            let answering = Answering::begin(verdicts);
            let (head, _body) = request.into_parts();
            // In a box: the library keeps room for it in every connection, answering or not.
            Box::pin(async move {
                let answer = self.front.answer(&head, refusal).await;
                Ok::<Response<_>, Infallible>(answer.map(|body| body.until_sent(answering)))
            })
        });
        let mut connection = http1::Builder::new()
            .half_close(true)
            .max_buf_size(WRITE_BUFFER)
            .serve_connection(TokioIo::new(guard), service);
        let mut phase = self.phase.clone();
        phase.mark_changed();
        loop {
            tokio::select! {
                ended = poll_fn(|context| connection.poll_without_shutdown(context)) => {
                    // How a connection ended is in the records of its requests.
                    ended.ok()?;
                    break;
                }
                reached = phase.changed() => {
                    let phase = *phase.borrow_and_update();
                    if reached.is_err() || phase == Phase::Cutting {
                        return None;
                    }
                    if phase == Phase::Draining {
                        Pin::new(&mut connection).graceful_shutdown();
                    }
                }
            }
        }
        let mut guard = connection.into_parts().io.into_inner();
        if guard.is_parked() {
            return Some(guard);
        }
        drop(poll_fn(|context| Pin::new(&mut guard).poll_shutdown(context)).await);
        None
    }
}

/// The library stops asking for more of an answer while it holds so many unsent bytes. It is also more than the
/// largest head, which arrives whole.
const WRITE_BUFFER: usize = 32 * 1024;

/// So many clients at once are told that there are too many of them.
pub(crate) const REFUSALS: usize = 32;

/// After an accept that failed.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
