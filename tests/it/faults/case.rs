//! The description of a fault: the peer, the bytes that it sends, and the affected call.

use std::time::Duration;

/// Faults of one kind.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) cases: Vec<Case>,
}

/// A fault, and the call that it affects.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) peer: Peer,
    /// The scheme of the service, if the peer is a proxy between it and the client.
    pub(super) proxy_of: Option<&'static str>,
    /// Whether the candidates are streamed.
    pub(super) is_streamed: bool,
    /// The time limit of the call.
    pub(super) limit: Duration,
    /// Whether the case needs noticeable CPU time.
    pub(super) is_busy: bool,
}

impl Case {
    pub(super) fn streamed(self) -> Self {
        Self { is_streamed: true, ..self }
    }

    pub(super) fn proxy_of(self, scheme: &'static str) -> Self {
        Self { proxy_of: Some(scheme), ..self }
    }

    /// Sets a short time limit, because the call is expected to run into it.
    pub(super) fn waits(self) -> Self {
        Self { limit: SHORT, ..self }
    }

    /// Marks the case as busy, because much has to be sent and read.
    pub(super) fn large(self) -> Self {
        Self { is_busy: true, ..self }
    }
}

/// Creates a fault that affects a call for all candidates.
pub(super) fn fault(name: impl Into<String>, peer: impl Into<Peer>) -> Case {
    let (name, peer) = (name.into(), peer.into());
    let (proxy_of, is_streamed, is_busy) = (None, false, false);
    Case { name, peer, proxy_of, is_streamed, limit: LIMIT, is_busy }
}

/// The other end of the connection.
pub(super) enum Peer {
    /// A server that plays a script for each request.
    Server(Script),
    /// A port that refuses connections.
    Nobody,
    /// A host name that does not resolve.
    Unknown,
}

/// How a server answers each request.
#[derive(Clone)]
pub(super) enum Script {
    /// Sends these bytes.
    Plays(Vec<u8>, End),
    /// Sends the first bytes immediately, and then the others every [`DRIP`](super::peer::DRIP) until the peer closes.
    Drips(Vec<u8>, &'static str),
    /// Sends the first bytes, then the block `times` times or until the peer closes, then the last bytes.
    Floods { first: Vec<u8>, block: Vec<u8>, times: usize, last: Vec<u8>, end: End },
}

impl From<Script> for Peer {
    fn from(script: Script) -> Self {
        Self::Server(script)
    }
}

/// How a connection ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Gracefully, with FIN.
    Fin,
    /// With RST.
    Rst,
    /// Not at all: the client has to time out.
    Hang,
}

/// Sends these bytes, and closes the connection.
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

/// Time limit of most cases: far more than they need, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// The time limit of cases that run into it.
const SHORT: Duration = Duration::from_millis(600);
