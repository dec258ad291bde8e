//! A transport over a client that must stay on one thread, such as actix's or compio's.

use std::pin::Pin;
use std::rc::Rc;
use std::{io, thread};

use futures_util::stream::{Stream, StreamExt as _, try_unfold};
use gateway_transport::bytes::Bytes;
use gateway_transport::{
    Body, Deadline, Request, Response, Transport, TransportError, TransportErrorKind,
};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local};

/// A client whose futures and bodies are not `Send`. It keeps all other promises of a transport.
pub(crate) trait LocalClient: 'static {
    async fn send(&self, request: Request) -> Result<http::Response<LocalBody>, TransportError>;
}

pub(crate) type LocalBody = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>>>>;

/// Sends requests with a client that stays on a separate thread.
pub(crate) struct LocalTransport(mpsc::UnboundedSender<Call>);

struct Call {
    request: Request,
    answer: oneshot::Sender<Result<Response, TransportError>>,
}

impl LocalTransport {
    /// Starts the thread, and creates the client there. The thread ends after the transport and its last body.
    pub(crate) fn start<C: LocalClient>(
        create: impl FnOnce() -> C + Send + 'static,
    ) -> io::Result<Self> {
        let (calls, mut received) = mpsc::unbounded_channel::<Call>();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("local-client".into()).spawn(move || {
            let tasks = LocalSet::new();
            tasks.spawn_local(async move {
                let client = Rc::new(create());
                while let Some(call) = received.recv().await {
                    spawn_local(exchange(Rc::clone(&client), call));
                }
            });
            runtime.block_on(tasks);
        })?;
        Ok(Self(calls))
    }
}

impl Transport for LocalTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Deadline::remaining(&request)?;
        let (answer, response) = oneshot::channel();
        self.0.send(Call { request, answer }).map_err(|_gone| ended())?;
        response.await.unwrap_or_else(|_gone| Err(ended()))
    }
}

/// Sends one request. It stops when the caller drops the future or the body.
async fn exchange(client: Rc<impl LocalClient>, Call { request, mut answer }: Call) {
    let response = tokio::select! {
        response = client.send(request) => response,
        () = answer.closed() => return,
    };
    let (head, mut body) = match response {
        Ok(response) => response.into_parts(),
        Err(error) => return answer.send(Err(error)).unwrap_or_default(),
    };
    // A small channel, so that a slow reader slows the peer down. `None` is the end of the body: a channel that closes
    // without it is a failure, not an end.
    let (chunks, received) = mpsc::channel::<Result<Option<Bytes>, TransportError>>(1);
    let forwarded = try_unfold(received, |mut received| async {
        let chunk = received.recv().await.unwrap_or_else(|| Err(ended()))?;
        Ok(chunk.map(|chunk| (chunk, received)))
    });
    if answer.send(Ok(Response::from_parts(head, Body::from_chunks(forwarded)))).is_err() {
        return;
    }
    loop {
        let chunk = tokio::select! {
            chunk = body.next() => chunk.transpose(),
            () = chunks.closed() => return,
        };
        let is_last = !matches!(chunk, Ok(Some(_)));
        if chunks.send(chunk).await.is_err() || is_last {
            return;
        }
    }
}

fn ended() -> TransportError {
    TransportError::new(TransportErrorKind::Other, "the thread of the client has ended")
}
