//! Helpers for several test modules: one interface to both clients, a log in memory, and limits for waits.

use std::error::Error as StdError;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use std::{io, iter, panic, thread};

use bytes::Bytes;
use gateway_client::model::service::RecruitmentGateway;
use gateway_client::model::{DecodeError, ListOperation, Operation, Record};
use gateway_client::transport::{Request, TransportError};
use gateway_client::{AccessToken, Client, Entry, Error, Records, blocking};
use http::Response;
use tokio::runtime::Runtime;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

/// The runtime of all async code in these tests.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The token for tests in which its value does not matter.
pub(crate) const TOKEN: &str = "gwt_test-token";

/// Returns this token.
pub(crate) fn token() -> AccessToken {
    AccessToken::new(TOKEN).unwrap()
}

/// Returns a response with this status and this JSON.
pub(crate) fn json(status: u16, body: impl Into<Bytes>) -> Response<Bytes> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(body.into()).unwrap()
}

/// Runs the body of a test on another thread. Panics if the body panics, or does not return within the limit.
#[track_caller]
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    body: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (returned, wait) = mpsc::sync_channel(1);
    let name = thread::current().name().map_or_else(String::new, str::to_owned);
    let thread = thread::Builder::new().name(name).spawn(move || {
        // The test may have given up.
        drop(returned.send(body()));
    });
    match wait.recv_timeout(limit) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("the test did not end within {limit:?}"),
        Err(RecvTimeoutError::Disconnected) => {
            panic::resume_unwind(thread.unwrap().join().unwrap_err())
        }
    }
}

/// Fails if the text of one of our errors contains the text of one of its sources. A program prints all of them.
#[track_caller]
pub(crate) fn assert_no_repetition(error: &Error) {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(level) = next {
        next = level.source();
        let is_ours =
            level.is::<Error>() || level.is::<TransportError>() || level.is::<DecodeError>();
        for source in iter::successors(next.filter(|_| is_ours), |&error| error.source()) {
            let repeats = level.to_string().contains(&source.to_string());
            assert!(!repeats, "`{level}` repeats `{source}`");
        }
    }
}

/// Maximum time to wait for an event that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A client, async or blocking.
pub(crate) enum Driver {
    Async(Client),
    Blocking(blocking::Client),
}

impl Driver {
    /// Returns both clients, over their default transports.
    pub(crate) fn both(base_url: &str, token: &str) -> [Self; 2] {
        let token = AccessToken::new(token).unwrap();
        let client = Client::builder(base_url).token(token.clone()).build().unwrap();
        let blocking = blocking::Client::builder(base_url).token(token).build().unwrap();
        [Self::Async(client), Self::Blocking(blocking)]
    }

    pub(crate) fn request(&self, call: &impl Call) -> Result<Request, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.request(call)),
            Self::Blocking(client) => client.request(call),
        }
    }

    pub(crate) fn send<O: Call>(&self, call: &O) -> Result<O::Output, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.send(call)),
            Self::Blocking(client) => client.send(call),
        }
    }

    pub(crate) fn stream<O>(&self, call: &O) -> Result<Streamed<O::Item>, Error>
    where
        O: ListOperation<Metadata = ()> + Call,
    {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.stream(call)).map(Streamed::Async),
            Self::Blocking(client) => client.stream(call).map(Streamed::Blocking),
        }
    }

    /// Reads a body in chunks.
    pub(crate) fn stream_raw(&self, call: &impl Call) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        match self {
            Self::Async(client) => RUNTIME.block_on(async {
                let mut answer = client.stream_raw(call).await?;
                while let Some(chunk) = answer.chunk().await? {
                    body.extend_from_slice(&chunk);
                }
                Ok(body)
            }),
            Self::Blocking(client) => {
                let mut answer = client.stream_raw(call)?;
                while let Some(chunk) = answer.chunk()? {
                    body.extend_from_slice(&chunk);
                }
                Ok(body)
            }
        }
    }
}

/// An operation of the gateway.
pub(crate) trait Call: Operation<Service = RecruitmentGateway> {}

impl<O: Operation<Service = RecruitmentGateway>> Call for O {}

/// The base URL of scripted services.
pub(crate) const BASE_URL: &str = "https://gateway.example.com/eu";

/// A stream of records, async or blocking.
#[derive(Debug)]
pub(crate) enum Streamed<T> {
    Async(Records<T>),
    Blocking(blocking::Records<T>),
}

impl<T: Record> Iterator for Streamed<T> {
    type Item = Result<Entry<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Async(records) => RUNTIME.block_on(records.next()),
            Self::Blocking(records) => records.next(),
        }
    }
}

/// A log in memory.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Returns everything that was written.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// Returns a subscriber that writes spans and events of all levels to the log.
    pub(crate) fn subscriber(&self) -> impl tracing::Subscriber + Send + Sync + use<> {
        let log = self.clone();
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_span_events(FmtSpan::FULL)
            .with_writer(move || log.clone());
        Registry::default().with(layer)
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Calls a function with a subscriber for the spans and events of this thread.
///
/// If the process has only one subscriber, tracing asks the subscriber of the current thread whether it is interested
/// in a new event, and caches the answer for all threads, so other tests could turn the event off. So always use two.
pub(crate) fn with_subscriber<T>(
    subscriber: impl tracing::Subscriber + Send + Sync,
    function: impl FnOnce() -> T,
) -> T {
    static SECOND: LazyLock<tracing::Dispatch> =
        LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::registry()));
    LazyLock::force(&SECOND);
    tracing::subscriber::with_default(subscriber, function)
}
