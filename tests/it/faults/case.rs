//! What a fault is: who answers, with which bytes, and what is asked.

use std::net::TcpStream;
use std::time::Duration;

use gateway_testkit::certificates::{Authority, CertificateError, Identity};

/// Faults of one kind.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) cases: Vec<Case>,
}

/// A fault, and the call that meets it.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) peer: Peer,
    pub(super) ask: Ask,
    pub(super) limits: Limits,
    /// Whether it takes more than a moment of the processor: much to read, or a process of its own.
    pub(super) is_busy: bool,
    /// Whether the client asks for gzip.
    pub(super) gzip: bool,
    /// The rows that may come of it, where it is a matter of who is faster; see [`fits`].
    pub(super) chance: &'static [&'static str],
}

impl Case {
    pub(super) fn asking(self, ask: Ask) -> Self {
        Self { ask, ..self }
    }

    /// Lets the call run into its limit, which is why that one is short.
    pub(super) fn waits(self) -> Self {
        Self { limits: Limits { time: SHORT, ..self.limits }, ..self }
    }

    /// Has it wait for the machine, because there is much to send and to read.
    pub(super) fn large(self) -> Self {
        Self { is_busy: true, ..self }
    }

    /// Leaves it to chance which of these rows comes of it.
    pub(super) fn one_of(self, chance: &'static [&'static str]) -> Self {
        Self { chance, ..self }
    }

    /// What stands in the table for this row.
    pub(super) fn with_chance(&self, row: String) -> String {
        if self.chance.is_empty() {
            return row;
        }
        assert!(self.chance.iter().any(|one| fits(one, &row)), "{}: {row}", self.name);
        self.chance.join(", or ")
    }

    pub(super) fn gzip(self) -> Self {
        let limits = Limits { body: 1024 * 1024, ..self.limits };
        Self { gzip: true, limits, ..self }
    }
}

/// Whether each word of a row is that of the pattern, or a number within its range, such as `1..3`.
fn fits(pattern: &str, row: &str) -> bool {
    let same = |(pattern, word): (&str, &str)| match pattern.split_once("..") {
        None => pattern == word,
        Some((first, last)) => {
            let numbers = [first, word, last].map(|number| number.parse().unwrap_or(0_u64));
            numbers.is_sorted()
        }
    };
    pattern.split(' ').count() == row.split(' ').count()
        && pattern.split(' ').zip(row.split(' ')).all(same)
}

/// What a call may take.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// In bytes.
    pub(super) body: u64,
}

/// A fault that the list of candidates meets.
pub(super) fn fault(name: impl Into<String>, peer: impl Into<Peer>) -> Case {
    let peer = peer.into();
    let is_busy = matches!(peer, Peer::Proxy(..) | Peer::NoProxy);
    Case {
        name: name.into(),
        peer,
        ask: Ask::List,
        limits: LIMITS,
        is_busy,
        gzip: false,
        chance: &[],
    }
}

/// What is asked of the service.
pub(super) enum Ask {
    /// The candidates, as a whole.
    List,
    /// The candidates, as a whole and several times, over one client.
    ListAgain(usize),
    /// The candidates who have this status.
    Status(String),
    /// The candidates, one by one.
    Stream,
    /// The same, where nobody can say how many records get through.
    StreamUntilReset,
    Credits,
}

/// Who answers.
pub(super) enum Peer {
    /// A server that plays a script for each request.
    Server(Script),
    /// The same, found by its name.
    Named(Script),
    /// The same within TLS, with a certificate.
    Secure(Certificate, Script),
    /// One that the client reaches by `https`, and that does with each connection whatever it likes.
    InPlaceOfTls(fn(TcpStream)),
    /// One that the client reaches by `http`, and that does with each connection whatever it likes.
    InPlaceOfHttp(fn(TcpStream)),
    /// A proxy, between the client and a service of this scheme.
    Proxy(&'static str, Script),
    /// A proxy where nobody listens.
    NoProxy,
    /// Nobody listens.
    Nobody,
    /// Nobody answers an attempt to connect, as behind a firewall.
    BlackHole,
    /// The name has no address.
    Unknown,
}

/// Makes a certificate; the client trusts the authority.
pub(super) type Certificate = fn(&Authority) -> Result<Identity, CertificateError>;

/// What a server does with each request.
#[derive(Clone)]
pub(super) enum Script {
    /// Sends these bytes.
    Plays(Vec<u8>, End),
    /// Sends the first bytes at once, and the others again and again, now and then, until the peer is gone.
    Drips(Vec<u8>, &'static str),
    /// Sends the first bytes, then a block this often or until the peer is gone, then the last bytes.
    Floods { first: Vec<u8>, block: Vec<u8>, times: usize, last: Vec<u8>, end: End },
    /// Sends the first of these for the first request of a connection, and so on. After the last, it closes without
    /// having said so.
    Turns(Vec<Vec<u8>>),
}

impl From<Script> for Peer {
    fn from(script: Script) -> Self {
        Self::Server(script)
    }
}

/// How a connection ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// In order.
    Fin,
    /// Torn down.
    Rst,
    /// Not at all: the peer has to give up.
    Hang,
    /// Without the goodbye of TLS.
    Cut,
}

/// A server that sends these bytes and closes.
pub(super) fn plays(bytes: impl AsRef<[u8]>) -> Script {
    Script::Plays(bytes.as_ref().to_vec(), End::Fin)
}

/// A server that answers with status 200 and this document.
pub(super) fn document(body: impl AsRef<[u8]>) -> Script {
    plays(answer(body))
}

/// A well-formed answer with this body.
pub(super) fn answer(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [head(&format!("content-length: {}\r\n", body.len())).as_bytes(), body].concat()
}

/// The head of a success, with these lines in it.
pub(super) fn head(lines: &str) -> String {
    format!(
        "HTTP/1.1 200 CANARY\r\nx-person: CANARY\r\ncontent-type: application/json\r\n{lines}\r\n"
    )
}

/// A list that is as it should be, but for the canary in it.
pub(super) const LIST: &str =
    r#"{"status":"success","result":[{"id":"1","name":"CANARY person"},{"id":"2"}]}"#;

/// The limits of most cases: far more than they need, even if the machine has much else to do.
const LIMITS: Limits = Limits { time: Duration::from_secs(20), body: 16 * 1024 * 1024 };

const SHORT: Duration = Duration::from_millis(600);
