//! Helpers for several test modules: one interface to both clients, the fixtures of the spec, and limits for waits.

use std::error::Error as StdError;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{env, iter, panic, thread};

use gateway_client::model::{
    Candidate, Credits, DecodeError, GetCredits, ListCandidates, ListVacancies, Listing, Vacancy,
};
use gateway_client::transport::TransportError;
use gateway_client::{AccessToken, Client, Entry, Error, Records, blocking};
use tokio::runtime::Runtime;

use crate::process::output;

/// The runtime of all async code in these tests.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The token of tests in which its value does not matter.
pub(crate) const TOKEN: &str = "gwt_test-token";

/// Includes a response fixture of the spec, byte for byte.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../spec/fixtures/", $name, ".json"))
    };
}
pub(crate) use fixture;

/// Runs an ignored test of this suite in a child process with these environment variables, so that it has the
/// environment, the memory and the threads of the process to itself.
pub(crate) fn run_in_child(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([test, "--exact", "--ignored", "--nocapture"]).envs(variables.iter().copied());
    output(child.env(CHILD, "1"), CHILD_LIMIT)
}

/// Returns whether this process was started by [`run_in_child`].
pub(crate) fn is_child() -> bool {
    env::var_os(CHILD).is_some()
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

/// Maximum run time of a test in a child process: the longest reads a list of 1,000,000 records.
const CHILD_LIMIT: Duration = Duration::from_secs(300);

const CHILD: &str = "GATEWAY_TEST_CHILD";

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

    pub(crate) fn candidates(&self, query: &ListCandidates) -> Result<Listing<Candidate>, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.send(query)),
            Self::Blocking(client) => client.send(query),
        }
    }

    pub(crate) fn vacancies(&self) -> Result<Listing<Vacancy>, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.send(&ListVacancies::new())),
            Self::Blocking(client) => client.send(&ListVacancies::new()),
        }
    }

    pub(crate) fn credits(&self) -> Result<Credits, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.send(&GetCredits::new())),
            Self::Blocking(client) => client.send(&GetCredits::new()),
        }
    }
}

/// A stream of candidates, async or blocking.
#[derive(Debug)]
pub(crate) enum Streamed {
    Async(Records<Candidate>),
    Blocking(blocking::Records<Candidate>),
}

impl Streamed {
    pub(crate) fn open(driver: &Driver, query: &ListCandidates) -> Result<Self, Error> {
        match driver {
            Driver::Async(client) => RUNTIME.block_on(client.stream(query)).map(Self::Async),
            Driver::Blocking(client) => client.stream(query).map(Self::Blocking),
        }
    }
}

impl Iterator for Streamed {
    type Item = Result<Entry<Candidate>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Async(records) => RUNTIME.block_on(records.next()),
            Self::Blocking(records) => records.next(),
        }
    }
}

/// Calls a function with a subscriber for the spans and events of this thread.
///
/// While there is one subscriber in the process, tracing asks that of the current thread whether anyone is interested in a
/// new event, and remembers the answer for all threads: other tests could turn the event off. So there are always two.
pub(crate) fn with_subscriber<T>(
    subscriber: impl tracing::Subscriber + Send + Sync,
    function: impl FnOnce() -> T,
) -> T {
    static SECOND: LazyLock<tracing::Dispatch> =
        LazyLock::new(|| tracing::Dispatch::new(tracing_subscriber::registry()));
    LazyLock::force(&SECOND);
    tracing::subscriber::with_default(subscriber, function)
}
