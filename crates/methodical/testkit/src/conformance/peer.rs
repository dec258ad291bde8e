//! Peers, requests and expectations that many checks share.

use std::error::Error as StdError;
use std::fmt::{Display, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{Deadline, Phase, Request, Sent, TransportError, TransportErrorKind};
use http::Method;
use socket2::{Domain, Socket, Type};

use crate::certificates::CertificateError;
use crate::conformance::Kit;
use crate::outcome::{Outcome, Stop, ensure, fail, skip};
use crate::raw_server::{Connection, Next, RawRequest, RawServer};

/// Timeout for an event that must happen. Only a broken transport exceeds it.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Timeout of requests that must time out.
pub(super) const SHORT: Duration = Duration::from_millis(100);

/// Pause between two bytes of a slow response.
pub(super) const DRIP: Duration = Duration::from_millis(50);

/// Methods that clients treat differently, each with the body to send.
pub(super) const METHODS: [(Method, &str); 3] =
    [(Method::GET, ""), (Method::POST, "a=1"), (Method::DELETE, "")];

pub(super) fn ok(_: &RawRequest, connection: &mut Connection) -> Next {
    connection.respond("content-type: application/json\r\n", b"{}");
    Next::KeepAlive
}

/// Starts a server that answers every request with `{}`.
pub(super) fn friendly() -> Outcome<RawServer> {
    server(ok)
}

/// Starts a server that answers with the request target as the body.
pub(super) fn echo() -> Outcome<RawServer> {
    server(|request, connection| {
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })
}

/// Starts a server that sends these bytes in response to each request and then does `next`.
pub(super) fn playing(bytes: impl Into<Vec<u8>>, next: Next) -> Outcome<RawServer> {
    let bytes = bytes.into();
    server(move |_, connection| {
        connection.send(&bytes);
        next
    })
}

/// Starts a server that sends these bytes in response to each request, and then stays silent.
pub(super) fn stalling(bytes: impl Into<Vec<u8>>) -> Outcome<RawServer> {
    let bytes = bytes.into();
    server(move |_, connection| {
        connection.send(&bytes);
        connection.wait_for_close(PATIENCE * 2);
        Next::Close
    })
}

/// Starts a server that sends these bytes, then 200 more, one by one. If `bytes` is empty, the 200 are part of a head.
pub(super) fn dripping(bytes: &'static str) -> Outcome<RawServer> {
    server(move |_, connection| {
        connection.send(bytes.as_bytes());
        let start = if bytes.is_empty() { "HTTP/1.1 200 OK\r\nx: " } else { "" };
        connection.drip(&[start.as_bytes(), &[b'x'; 200]].concat(), DRIP);
        Next::Close
    })
}

pub(super) fn endless_body() -> Outcome<RawServer> {
    server(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = [b"4000\r\n".as_slice(), &[b'x'; 0x4000], b"\r\n"].concat();
        connection.flood(&chunk, usize::MAX);
        Next::Close
    })
}

pub(super) fn server<F>(script: F) -> Outcome<RawServer>
where
    F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
{
    Ok(RawServer::start(script)?)
}

/// Starts a server with a script and a certificate that the transport trusts.
pub(super) fn secure<F>(kit: &Kit, script: F) -> Outcome<RawServer>
where
    F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
{
    Ok(RawServer::start_tls(&kit.authority()?.identity()?, script)?)
}

/// Returns a GET request for `target` on `server`, as a client of the gateway sends it.
pub(super) fn get(server: &RawServer, target: &str) -> Outcome<Request> {
    get_uri(&server.uri(target))
}

pub(super) fn get_uri(uri: &str) -> Outcome<Request> {
    Ok(http::Request::get(uri).header("accept", "application/json").body(Bytes::new())?)
}

/// Returns the request with another method, and with a body.
pub(super) fn with(method: &Method, body: impl Into<Bytes>, mut request: Request) -> Request {
    *request.method_mut() = method.clone();
    *request.body_mut() = body.into();
    request
}

/// Returns the request with a deadline `limit` from now.
pub(super) fn within(limit: Duration, request: Request) -> Request {
    until(Deadline::after(limit), request)
}

pub(super) fn until(deadline: Deadline, mut request: Request) -> Request {
    request.extensions_mut().insert(deadline);
    request
}

/// Returns the request with a deadline `limit` from now for the head, and [`PATIENCE`] from now for the whole response.
pub(super) fn begun(limit: Duration, request: Request) -> Request {
    until(Deadline::after(PATIENCE).head_by(Instant::now() + limit), request)
}

/// Returns the only request that `server` has received.
pub(super) fn only_request(server: &RawServer) -> Outcome<RawRequest> {
    let mut requests = server.progress().requests;
    equal("requests that reached the server", requests.len(), 1)?;
    requests.pop().ok_or_else(|| Stop::Fail("no request".into()))
}

/// Returns the values of a request header as text, joined by `, `.
pub(super) fn sent(request: &RawRequest, name: &str) -> String {
    text(request.header(name).join(&b", "[..]))
}

pub(super) fn closes(server: &RawServer, why: impl Display) -> Outcome {
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still open {why}");
    Ok(())
}

/// Returns an address where no server listens.
pub(super) fn closed_port() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// An address that ignores every attempt to connect, like a host behind a firewall.
pub(super) struct BlackHole {
    pub(super) uri: String,
    _listener: Socket,
    _queue: Vec<TcpStream>,
}

impl BlackHole {
    pub(super) fn new() -> Outcome<Self> {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        // Connections are never accepted. Once the queue is full, the system drops new ones.
        listener.listen(0)?;
        let address = listener.local_addr()?.as_socket();
        let address = address.ok_or_else(|| Stop::Fail("the kit has no address".into()))?;
        let mut queue = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            queue.push(stream);
            if queue.len() > 64 {
                return skip("this system queues connections without limit");
            }
        }
        Ok(Self { uri: format!("http://{address}/"), _listener: listener, _queue: queue })
    }
}

/// Lets time pass. Use it only for state that cannot be observed, such as what a client does in the background.
pub(super) fn settle(time: Duration) {
    let (_keep, never) = mpsc::sync_channel::<()>(0);
    // Always times out: the other end is alive and silent.
    never.recv_timeout(time).unwrap_or_default();
}

/// Calls `call` up to three times, each time with a longer limit, until it succeeds.
///
/// Only for limits kept short for speed: a busy machine may delay anything briefly; a broken transport fails each time.
pub(super) fn patiently<T>(call: impl Fn(Duration) -> Outcome<T>) -> Outcome<T> {
    call(SHORT).or_else(|_| call(SHORT * 3)).or_else(|_| call(SHORT * 9))
}

/// Runs a check for all cases concurrently, because they mostly wait. Returns the first failure.
pub(super) fn for_each<T: Sync>(cases: &[T], check: impl Fn(&T) -> Outcome + Sync) -> Outcome {
    let next = AtomicUsize::new(0);
    let outcomes = concurrently(cases.len(), || {
        cases.get(next.fetch_add(1, Ordering::Relaxed)).map_or(Ok(()), &check)
    });
    outcomes.into_iter().collect()
}

/// Runs `call` on `count` threads concurrently.
pub(super) fn concurrently<T: Send>(
    count: usize,
    call: impl Fn() -> Outcome<T> + Sync,
) -> Vec<Outcome<T>> {
    thread::scope(|scope| {
        let calls: Vec<_> = (0..count).map(|_| scope.spawn(&call)).collect();
        let panicked = |_| fail("the call panicked");
        calls.into_iter().map(|call| call.join().unwrap_or_else(panicked)).collect()
    })
}

/// Returns bytes as text, losslessly.
pub(super) fn text(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().escape_ascii().to_string()
}

/// Fails, showing both values, unless they are equal.
pub(super) fn equal(what: impl Display, found: impl Display, expected: impl Display) -> Outcome {
    let (found, expected) = (found.to_string(), expected.to_string());
    ensure!(found == expected, "{what}: `{found}` instead of `{expected}`");
    Ok(())
}

pub(super) fn expect_kind(error: &TransportError, kinds: &[TransportErrorKind]) -> Outcome {
    let is_expected = kinds.contains(&error.kind());
    ensure!(is_expected, "expected an error of {kinds:?}, got {}", describe(error));
    Ok(())
}

/// Fails unless `error` says that nothing was sent.
pub(super) fn expect_unsent(error: &TransportError) -> Outcome {
    ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(error));
    Ok(())
}

pub(super) fn expect_phase(error: &TransportError, phase: Phase) -> Outcome {
    ensure!(error.phase() == phase, "the phase is not `{phase:?}`: {}", describe(error));
    Ok(())
}

/// Adds the input to the failure of a check that tries several inputs.
pub(super) fn for_input<T>(input: impl Display, outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|stop| match stop {
        Stop::Fail(text) => Stop::Fail(format!("{input}: {text}")),
        Stop::Skip(text) => Stop::Skip(text),
    })
}

/// Returns the kind, the phase, `Sent`, and the messages of the error and all its sources.
pub(super) fn describe(error: &TransportError) -> String {
    let mut text = format!("{:?}/{:?}/{:?}: {error}", error.kind(), error.phase(), error.sent());
    let mut next = error.source();
    while let Some(source) = next {
        write!(text, ": {source}").unwrap_or_default();
        next = source.source();
    }
    text
}

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        Self::Fail(format!("unexpected error: {}", describe(&error)))
    }
}

macro_rules! failures_of_the_kit {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Stop {
            fn from(error: $error) -> Self {
                Self::Fail(format!("the kit itself failed: {error}"))
            }
        }
    )+};
}

failures_of_the_kit!(
    CertificateError,
    http::Error,
    http::header::InvalidHeaderValue,
    std::io::Error,
);
