//! The description of a fault: the peer, the bytes it sends, and the call that meets it.

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
    /// Whether the case needs noticeable CPU time.
    pub(super) is_busy: bool,
    /// Whether the client asks for gzip.
    pub(super) gzip: bool,
    /// The possible rows, if the outcome depends on a race; see [`fits`].
    pub(super) chance: &'static [&'static str],
}

impl Case {
    pub(super) fn asking(self, ask: Ask) -> Self {
        Self { ask, ..self }
    }

    /// Sets a short time limit, because the call is expected to run into it.
    pub(super) fn waits(self) -> Self {
        Self { limits: Limits { time: SHORT, ..self.limits }, ..self }
    }

    /// Marks the case as busy, because much has to be sent and read.
    pub(super) fn large(self) -> Self {
        Self { is_busy: true, ..self }
    }

    /// Allows each of these rows as the outcome.
    pub(super) fn one_of(self, chance: &'static [&'static str]) -> Self {
        Self { chance, ..self }
    }

    /// Returns the text of the table for this row: the row itself, or all possible rows.
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

/// Returns whether each word of the row equals that of the pattern or is a number in its range. `1..3` includes 3.
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

/// The limits of a call.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Maximum size of the body, in bytes.
    pub(super) body: u64,
}

/// Creates a fault that a call for all candidates meets.
pub(super) fn fault(name: impl Into<String>, peer: impl Into<Peer>) -> Case {
    let (name, peer) = (name.into(), peer.into());
    Case { name, peer, ask: Ask::List, limits: LIMITS, is_busy: false, gzip: false, chance: &[] }
}

/// The call that meets a fault.
pub(super) enum Ask {
    /// Lists the candidates.
    List,
    /// Lists the candidates several times, over one client.
    ListAgain(usize),
    /// Streams the candidates.
    Stream,
    /// Streams the candidates. The number of records that arrive is not deterministic.
    StreamUntilReset,
}

/// The other end of the connection.
pub(super) enum Peer {
    /// A server that plays a script for each request.
    Server(Script),
    /// The same, addressed by host name.
    Named(Script),
    /// The same within TLS, with a certificate.
    Secure(Certificate, Script),
    /// A server at an `https` URL that handles raw connections.
    InPlaceOfTls(fn(TcpStream)),
    /// A server at an `http` URL that handles raw connections.
    InPlaceOfHttp(fn(TcpStream)),
    /// A proxy, between the client and a service of this scheme.
    Proxy(&'static str, Script),
    /// A proxy that refuses connections.
    NoProxy,
    /// A port that refuses connections.
    Nobody,
    /// A port that does not answer connection attempts, as behind a firewall.
    BlackHole,
    /// A host name that does not resolve.
    Unknown,
}

/// Creates a certificate. The client trusts the authority.
pub(super) type Certificate = fn(&Authority) -> Result<Identity, CertificateError>;

/// How a server answers each request.
#[derive(Clone)]
pub(super) enum Script {
    /// Sends these bytes.
    Plays(Vec<u8>, End),
    /// Sends the first bytes immediately, and then the others every [`DRIP`](super::peer::DRIP) until the peer closes.
    Drips(Vec<u8>, &'static str),
    /// Sends the first bytes, then the block `times` times or until the peer closes, then the last bytes.
    Floods { first: Vec<u8>, block: Vec<u8>, times: usize, last: Vec<u8>, end: End },
    /// Sends the first of these for the first request of a connection, and so on. After the last, closes the connection
    /// without having announced it.
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
    /// In order, with FIN.
    Fin,
    /// With RST.
    Rst,
    /// Not at all: the peer has to time out.
    Hang,
    /// Without the `close_notify` of TLS.
    Cut,
}

/// Sends these bytes, and closes.
pub(super) fn plays(bytes: impl AsRef<[u8]>) -> Script {
    Script::Plays(bytes.as_ref().to_vec(), End::Fin)
}

/// Answers with status 200 and this document.
pub(super) fn document(body: impl AsRef<[u8]>) -> Script {
    plays(answer(body))
}

/// Returns a well-formed response with this body.
pub(super) fn answer(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    [head(&format!("content-length: {}\r\n", body.len())).as_bytes(), body].concat()
}

/// Returns the head of a success with these header lines.
pub(super) fn head(lines: &str) -> String {
    format!(
        "HTTP/1.1 200 CANARY\r\nx-person: CANARY\r\ncontent-type: application/json\r\n{lines}\r\n"
    )
}

/// A valid list of two records, with the canary in it.
pub(super) const LIST: &str =
    r#"{"status":"success","result":[{"id":"1","name":"CANARY person"},{"id":"2"}]}"#;

/// The limits of most cases: far more than they need, even on a busy machine.
const LIMITS: Limits = Limits { time: Duration::from_secs(20), body: 16 * 1024 * 1024 };

/// The time limit of cases that run into it.
const SHORT: Duration = Duration::from_millis(600);
