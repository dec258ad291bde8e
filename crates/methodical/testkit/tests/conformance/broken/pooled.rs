//! Transports that keep connections which must not be used again. They share a small HTTP/1.1 client.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Deadline, Phase, Request, Sent,
    TransportError, TransportErrorKind,
};
use http::Response;
use methodical_testkit::conformance::{Setup, Subject};

use crate::broken::support::other;
use crate::broken::wire::limited_read;

broken! { POOLED:
    reuses_after_a_late_head ["connections.connection_of_a_late_head_is_not_reused"] =
        |setup| reuses(setup, Reuse::LateHead);
    reuses_after_a_late_body ["connections.connection_of_a_late_body_is_not_reused"] =
        |setup| reuses(setup, Reuse::LateBody);
    reuses_after_a_failed_body ["connections.failed_connection_is_not_reused"] =
        |setup| reuses(setup, Reuse::FailedBody);
    reuses_after_connection_close ["connections.close_is_respected"] = |setup| reuses(setup, Reuse::Closing);
    reuses_after_http_1_0 ["connections.http_1_0_connection_is_not_reused"] =
        |setup| reuses(setup, Reuse::Old);
    /// Fails, as every client does now and then, when the peer has closed a connection of the pool, and does not try
    /// another one.
    does_not_survive_a_stale_connection ["connections.stale_connection_is_survived"] =
        |setup| reuses(setup, Reuse::Stale);
    /// Looks for unsolicited bytes when a connection becomes idle, but not when it is used again.
    reuses_after_an_unsolicited_response ["errors.unsolicited_response_is_not_used"] =
        |setup| reuses(setup, Reuse::Unsolicited);
    /// Uses the connections to one port of a host for the others, too.
    pools_by_host ["connections.authorities_do_not_share_connections"] =
        |setup| reuses(setup, Reuse::OtherPort);
}

fn reuses(setup: &Setup, reuse: Reuse) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(Pooled::new(setup, reuse)))
}

/// The connections that are wrongly used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reuse {
    LateHead,
    LateBody,
    FailedBody,
    Closing,
    Old,
    Stale,
    Unsolicited,
    OtherPort,
}

/// A client with a pool. It knows bodies with a length, and the first bytes of chunked ones.
struct Pooled {
    idle: Pool,
    idle_timeout: Duration,
    reuse: Reuse,
}

/// The idle connections, each with its authority.
type Pool = Arc<Mutex<Vec<(String, TcpStream)>>>;

impl Pooled {
    fn new(setup: &Setup, reuse: Reuse) -> Self {
        Self { idle: Pool::default(), idle_timeout: setup.idle_timeout, reuse }
    }

    fn connect(&self, authority: &str) -> Result<TcpStream, TransportError> {
        while let Some(stream) = self.idle_connection(authority) {
            if matches!(self.reuse, Reuse::Stale | Reuse::Unsolicited) || is_open(&stream) {
                return Ok(stream);
            }
        }
        TcpStream::connect(authority).map_err(TransportError::from_io)
    }

    fn idle_connection(&self, authority: &str) -> Option<TcpStream> {
        let host = |authority: &str| authority.split(':').next().map(ToOwned::to_owned);
        let mut idle = self.idle.lock().ok()?;
        let index = idle.iter().rposition(|(other, _)| match self.reuse {
            Reuse::OtherPort => host(other) == host(authority),
            _ => other == authority,
        });
        Some(idle.remove(index?).1)
    }
}

impl BlockingTransport for Pooled {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        Deadline::remaining(&request)?;
        let deadline = Deadline::of(&request);
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let mut stream = self.connect(&authority)?;
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let mut head = format!("{} {target} HTTP/1.1\r\nhost: {authority}\r\n", request.method());
        for (name, value) in request.headers() {
            let value = value.to_str().unwrap_or_default();
            head.extend([name.as_str(), ": ", value, "\r\n"]);
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).map_err(TransportError::from_io)?;

        let mut response = Vec::new();
        while !response.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            let read = limited_read(&stream, &mut byte, deadline, self.idle_timeout);
            if self.reuse == Reuse::LateHead
                && read.as_ref().is_err_and(|error| error.kind() == TransportErrorKind::Timeout)
            {
                keep(&self.idle, &authority, &stream);
            }
            if read? == 0 {
                return Err(TransportError::new(
                    TransportErrorKind::Interrupted,
                    "closed in the head",
                )
                .with_phase(Phase::Head)
                .with_sent(Sent::Maybe));
            }
            response.extend_from_slice(&byte);
        }
        let head = String::from_utf8_lossy(&response).to_ascii_lowercase();
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(other, _)| *other == name).map(|(_, value)| value.trim().to_owned())
        };
        let is_closing =
            header("connection").as_deref() == Some("close") && self.reuse != Reuse::Closing;
        let is_old = head.starts_with("http/1.0") && self.reuse != Reuse::Old;
        let length = header("content-length").and_then(|length| length.parse().ok());
        let body = PooledBody {
            left: length,
            pool: (!is_closing && !is_old).then(|| Arc::clone(&self.idle)),
            deadline,
            idle_timeout: self.idle_timeout,
            reuse: self.reuse,
            authority,
            stream,
        };
        let status = head.split(' ').nth(1).unwrap_or_default();
        Response::builder()
            .status(status)
            .body(BlockingBody::new(body))
            .map_err(|_| other("no status"))
    }
}

struct PooledBody {
    authority: String,
    stream: TcpStream,
    /// The bytes left; `None` if the body has no length, and is chunked.
    left: Option<usize>,
    pool: Option<Pool>,
    deadline: Option<Deadline>,
    idle_timeout: Duration,
    reuse: Reuse,
}

impl PooledBody {
    fn keep(&self) {
        if let Some(pool) = &self.pool
            && (self.reuse != Reuse::Unsolicited || is_open(&self.stream))
        {
            keep(pool, &self.authority, &self.stream);
        }
    }

    fn read_part(&mut self, buffer: &mut [u8]) -> Result<usize, TransportError> {
        let Some(left) = self.left else {
            // The size of a chunk, which the kit sends only to fail.
            limited_read(&self.stream, &mut [0; 4], self.deadline, self.idle_timeout)?;
            return Err(TransportError::new(TransportErrorKind::Protocol, "a malformed chunk"));
        };
        let count = buffer.len().min(left);
        let (buffer, _) = buffer.split_at_mut(count);
        let count = limited_read(&self.stream, buffer, self.deadline, self.idle_timeout)?;
        if count == 0 && left > 0 {
            return Err(TransportError::new(TransportErrorKind::Interrupted, "a truncated body"));
        }
        self.left = Some(left - count);
        if left == count {
            self.keep();
            self.pool = None;
        }
        Ok(count)
    }
}

impl Read for PooledBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_part(buffer).map_err(|error| {
            let is_late = error.kind() == TransportErrorKind::Timeout;
            if self.reuse == if is_late { Reuse::LateBody } else { Reuse::FailedBody } {
                self.keep();
            }
            error.with_phase(Phase::Body).into_io()
        })
    }
}

fn keep(pool: &Pool, authority: &str, stream: &TcpStream) {
    if let (Ok(mut idle), Ok(stream)) = (pool.lock(), stream.try_clone()) {
        idle.push((authority.to_owned(), stream));
    }
}

/// Returns whether the peer has not closed an idle connection.
fn is_open(stream: &TcpStream) -> bool {
    let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let is_silent = peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    is_silent && stream.set_nonblocking(false).is_ok()
}
