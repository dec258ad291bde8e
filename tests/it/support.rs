//! What several suites share: both clients behind one face, and the answers of the spec.

use std::env;
use std::process::{Command, Output};
use std::sync::LazyLock;

use gateway_client::model::{Candidate, Credits, ListCandidates, Listing, Vacancy};
use gateway_client::{AccessToken, Client, Entry, Error, Records, blocking};
use tokio::runtime::Runtime;

/// The runtime of everything that is async in these tests.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The token in tests that expect any.
pub(crate) const TOKEN: &str = "gwt_test-token";

/// An answer of the spec, byte for byte.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../spec/fixtures/", $name, ".json"))
    };
}
pub(crate) use fixture;

/// Runs another test of this suite, one that is ignored, as a process of its own with these variables set.
///
/// What a process has only once is there for one test then: its environment, its memory, its threads.
pub(crate) fn apart(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([test, "--exact", "--ignored", "--nocapture"]).envs(variables.iter().copied());
    child.env(APART, "1").output().unwrap()
}

/// Whether this process runs a single test that another one has started.
pub(crate) fn is_apart() -> bool {
    env::var_os(APART).is_some()
}

const APART: &str = "GATEWAY_TEST_APART";

/// A client, whatever its mode.
pub(crate) enum Driver {
    Async(Client),
    Blocking(blocking::Client),
}

impl Driver {
    /// Both clients over their default transports.
    pub(crate) fn both(base_url: &str, token: &str) -> [Self; 2] {
        let token = AccessToken::new(token).unwrap();
        let client = Client::builder(base_url).token(token.clone()).build().unwrap();
        let blocking = blocking::Client::builder(base_url).token(token).build().unwrap();
        [Self::Async(client), Self::Blocking(blocking)]
    }

    pub(crate) fn candidates<V>(
        &self,
        query: &ListCandidates<V>,
    ) -> Result<Listing<Candidate>, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.list_candidates(query)),
            Self::Blocking(client) => client.list_candidates(query),
        }
    }

    pub(crate) fn vacancies(&self) -> Result<Listing<Vacancy>, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.list_vacancies()),
            Self::Blocking(client) => client.list_vacancies(),
        }
    }

    pub(crate) fn credits(&self) -> Result<Credits, Error> {
        match self {
            Self::Async(client) => RUNTIME.block_on(client.get_credits()),
            Self::Blocking(client) => client.get_credits(),
        }
    }
}

/// The candidates of a stream, whatever the mode of its client.
#[derive(Debug)]
pub(crate) enum Streamed {
    Async(Records<Candidate>),
    Blocking(blocking::Records<Candidate>),
}

impl Streamed {
    pub(crate) fn open<V>(driver: &Driver, query: &ListCandidates<V>) -> Result<Self, Error> {
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
