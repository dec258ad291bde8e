//! The transport of the clients: hyper on the simulated network, with a note of every attempt.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{
    Body, Deadline, Instant, Phase, Request, Response, Sent, Transport, TransportError,
    TransportErrorKind,
};
use http::Uri;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::time::{sleep_until, timeout_at};
use tower_service::Service;

use crate::network::Network;
use crate::pipe::Pipe;
use crate::world::World;

/// Sends requests over the simulated network.
#[derive(Clone)]
pub(crate) struct SimulatedTransport {
    world: World,
    client: Client<Connector, Full<Bytes>>,
    attempts: Arc<Mutex<Vec<Attempt>>>,
}

/// One request that was handed to the transport.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The number of the call, from its header `x-call`.
    pub(crate) call: Option<u64>,
    /// When it began.
    pub(crate) begun: Duration,
    /// The token that it sent.
    pub(crate) token: String,
    /// When its head arrived, its status, and the wait that it asked for, in seconds.
    pub(crate) answered: Option<(Duration, u16, Option<u64>)>,
}

impl SimulatedTransport {
    /// Creates a transport with separate connections.
    pub(crate) fn new(world: &World, network: &Network) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(20))
            .build(Connector(network.clone()));
        Self { world: world.clone(), client, attempts: Arc::default() }
    }

    /// Returns the attempts so far, in order.
    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().unwrap().clone()
    }

    fn begin(&self, request: &Request) -> usize {
        let header = |name: &str| request.headers().get(name).and_then(|one| one.to_str().ok());
        let token = header("authorization").and_then(|text| text.strip_prefix("Bearer "));
        let attempt = Attempt {
            call: header("x-call").and_then(|text| text.parse().ok()),
            begun: self.world.elapsed(),
            token: token.unwrap_or_default().to_owned(),
            answered: None,
        };
        self.world.note(format!("call {:?} sends {}", attempt.call, attempt.token));
        let mut attempts = self.attempts.lock().unwrap();
        attempts.push(attempt);
        attempts.len() - 1
    }

    fn end<B>(&self, index: usize, outcome: &Result<http::Response<B>, TransportError>) {
        let mut attempts = self.attempts.lock().unwrap();
        let Some(attempt) = attempts.get_mut(index) else { return };
        let text = match outcome {
            Ok(response) => {
                let status = response.status().as_u16();
                let asked = response.headers().get("retry-after");
                let asked = asked.and_then(|one| one.to_str().ok()?.parse().ok());
                attempt.answered = Some((self.world.elapsed(), status, asked));
                status.to_string()
            }
            Err(error) => format!("{:?}", error.kind()),
        };
        self.world.note(format!("call {:?} gets {text}", attempt.call));
    }
}

impl Transport for SimulatedTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Deadline::remaining(&request)?;
        let deadline = Deadline::of(&request);
        let index = self.begin(&request);
        let idle = Deadline::after(IDLE).instant();
        let limit = deadline.map_or(idle, |deadline| deadline.head().min(idle));
        let sent = timeout_at(limit.into(), self.client.request(request.map(Full::new))).await;
        let outcome = match sent {
            Err(_late) => Err(TransportError::timeout(Phase::Head)),
            Ok(Err(error)) => Err(classify(&error, error.is_connect(), Phase::Head)),
            Ok(Ok(response)) => Ok(response),
        };
        self.end(index, &outcome);
        Ok(outcome?.map(|body| {
            let body = Body::with_errors(body, |error| classify(&error, false, Phase::Body));
            body.with_limits(deadline, IDLE, |at: Instant| sleep_until(at.into()))
        }))
    }
}

/// Converts an error of hyper, as the adapters in `tests/clients` do.
fn classify(error: &(dyn Error + 'static), is_connect: bool, phase: Phase) -> TransportError {
    let is_parse =
        |error: &(dyn Error + 'static)| error.downcast_ref().is_some_and(hyper::Error::is_parse);
    let (kind, sent) = if is_connect {
        (TransportErrorKind::Connect, Sent::No)
    } else if successors(Some(error), |&error| error.source()).any(is_parse) {
        (TransportErrorKind::Protocol, Sent::Maybe)
    } else {
        (TransportErrorKind::Interrupted, Sent::Maybe)
    };
    TransportError::new(kind, "the exchange failed").with_phase(phase).with_sent(sent)
}

/// Connects to the host of a URL.
#[derive(Clone)]
struct Connector(Network);

impl Service<Uri> for Connector {
    type Response = TokioIo<Pipe>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Pipe>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let network = self.0.clone();
        Box::pin(async move {
            let host = target.host().unwrap_or_default();
            network.connect(host).await.map(TokioIo::new)
        })
    }
}

/// Maximum silence of the peer, as in the adapters of `gateway-transport`.
const IDLE: Duration = Duration::from_secs(20);
