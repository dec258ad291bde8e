//! The adapter in Node, as a transport of this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response as HttpResponse};
use axum::routing::{get, post};
use futures_util::stream::unfold;
use gateway_tests_wasm::{Action, Command, Payload, Reply};
use gateway_transport::{
    Body, Deadline, Phase, Request, Response, Sent, Transport, TransportError, TransportErrorKind,
};
use http::{HeaderName, HeaderValue};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

/// Sends each request with the adapter in Node.
pub(crate) struct Remote {
    idle_timeout: Duration,
}

impl Remote {
    pub(crate) fn new(idle_timeout: Duration) -> Self {
        Self { idle_timeout }
    }

    /// Serves the commands, and returns the address.
    pub(crate) fn serve() -> io::Result<String> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/command", get(next_command))
            .route("/body/{id}", get(async |Path(id)| bodies().remove(&id).unwrap_or_default()))
            .route("/chunk/{id}", post(async |Path(id), chunk| answer(id, Answer::Chunk(chunk))))
            .route(
                "/reply/{id}",
                post(async |Path(id), reply: Bytes| {
                    if let Ok(reply) = serde_json::from_slice(&reply) {
                        answer(id, Answer::Reply(reply));
                    }
                }),
            )
            .layer(DefaultBodyLimit::disable());
        thread::spawn(move || runtime.block_on(async { axum::serve(listener, router).await }));
        Ok(format!("http://{address}"))
    }

    /// Ends the test in Node.
    pub(crate) fn stop() {
        give(None);
    }

    /// Returns a request as Node receives it.
    fn message(&self, id: u64, request: &Request) -> gateway_tests_wasm::Request {
        let now = Instant::now();
        let left = |at: Instant| at.saturating_duration_since(now);
        let headers = request.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let body = request.body();
        let first = body.first().copied().unwrap_or_default();
        gateway_tests_wasm::Request {
            method: request.method().to_string(),
            uri: request.uri().to_string(),
            headers: headers.collect(),
            body: if body.iter().all(|byte| *byte == first) {
                Payload::Repeated(first, body.len())
            } else {
                bodies().insert(id, body.clone());
                Payload::Bytes
            },
            idle_timeout: self.idle_timeout,
            time_left: Deadline::of(request)
                .map(|deadline| (left(deadline.instant()), left(deadline.head()))),
        }
    }
}

impl Transport for Remote {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let exchange = Exchange(NEXT.fetch_add(1, Ordering::Relaxed));
        let action = Action::Send(self.message(exchange.0, &request));
        let Answer::Reply(Reply::Head(status, headers)) = exchange.ask(action).await? else {
            return Err(unexpected());
        };
        let chunks = unfold(exchange, async |exchange| match exchange.ask(Action::Chunk).await {
            Ok(Answer::Chunk(chunk)) => Some((Ok(chunk), exchange)),
            Ok(Answer::Reply(Reply::End)) => None,
            Ok(Answer::Reply(_)) => Some((Err(unexpected()), exchange)),
            Err(error) => Some((Err(error), exchange)),
        });
        let mut response = Response::new(Body::from_chunks(chunks));
        *response.status_mut() =
            StatusCode::from_u16(status).map_err(|e| unexpected().with_source(e))?;
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            let value = HeaderValue::from_bytes(&value);
            let name = name.map_err(|e| unexpected().with_source(e))?;
            response.headers_mut().append(name, value.map_err(|e| unexpected().with_source(e))?);
        }
        Ok(response)
    }
}

/// An exchange in Node. Dropping it drops the future or the body there.
struct Exchange(u64);

impl Exchange {
    /// Gives a command and waits for the answer.
    async fn ask(&self, action: Action) -> Result<Answer, TransportError> {
        let (sender, receiver) = oneshot::channel();
        waiting().insert(self.0, sender);
        give(Some(Command { id: self.0, action }));
        match receiver.await {
            Ok(Answer::Reply(Reply::Error { kind, phase, sent, text })) => {
                Err(error(&kind, &phase, &sent, text))
            }
            Ok(answer) => Ok(answer),
            Err(dropped) => Err(unexpected().with_source(dropped)),
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        waiting().remove(&self.0);
        bodies().remove(&self.0);
        give(Some(Command { id: self.0, action: Action::Drop }));
    }
}

/// An answer of Node.
enum Answer {
    Chunk(Bytes),
    Reply(Reply),
}

/// Returns an error of the adapter.
fn error(kind: &str, phase: &str, sent: &str, text: String) -> TransportError {
    let kinds = [
        TransportErrorKind::InvalidRequest,
        TransportErrorKind::Resolve,
        TransportErrorKind::Connect,
        TransportErrorKind::Tls,
        TransportErrorKind::Timeout,
        TransportErrorKind::Interrupted,
        TransportErrorKind::Protocol,
        TransportErrorKind::TooLarge,
    ];
    let kind = kinds.into_iter().find(|known| format!("{known:?}") == kind);
    let phases = [Phase::Connect, Phase::Head, Phase::Body, Phase::Total];
    let phase = phases.into_iter().find(|known| format!("{known:?}") == phase);
    let sent = if sent == format!("{:?}", Sent::No) { Sent::No } else { Sent::Maybe };
    TransportError::new(kind.unwrap_or(TransportErrorKind::Other), text)
        .with_phase(phase.unwrap_or(Phase::Unknown))
        .with_sent(sent)
}

fn unexpected() -> TransportError {
    TransportError::new(TransportErrorKind::Other, "unexpected answer of Node")
}

/// Responds with the next command when there is one; status 204 ends the test.
async fn next_command() -> HttpResponse {
    let command = COMMANDS.1.lock().await.recv().await.flatten();
    match command.and_then(|command| serde_json::to_vec(&command).ok()) {
        Some(command) => command.into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

fn answer(id: u64, answer: Answer) {
    if let Some(sender) = waiting().remove(&id) {
        // The exchange may have been dropped.
        let _unsent = sender.send(answer);
    }
}

fn give(command: Option<Command>) {
    // The receiver is never dropped.
    let _unsent = COMMANDS.0.send(command);
}

fn waiting() -> MutexGuard<'static, HashMap<u64, oneshot::Sender<Answer>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bodies() -> MutexGuard<'static, HashMap<u64, Bytes>> {
    BODIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Both ends of a channel.
type Channel<T> = (mpsc::UnboundedSender<T>, tokio::sync::Mutex<mpsc::UnboundedReceiver<T>>);

/// The commands that Node has not fetched. A factory of the kit is a function, so all this is static.
static COMMANDS: LazyLock<Channel<Option<Command>>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::unbounded_channel();
    (sender, tokio::sync::Mutex::new(receiver))
});

/// The exchanges that wait for an answer.
static WAITING: LazyLock<Mutex<HashMap<u64, oneshot::Sender<Answer>>>> =
    LazyLock::new(Mutex::default);

/// The bodies of requests that Node has not fetched.
static BODIES: LazyLock<Mutex<HashMap<u64, Bytes>>> = LazyLock::new(Mutex::default);
