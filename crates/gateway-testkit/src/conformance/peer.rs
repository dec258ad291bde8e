//! Peers and requests that many checks need.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{Deadline, Request};
use socket2::{Domain, Socket, Type};

use crate::conformance::{Outcome, Stop};
use crate::raw_server::{Connection, Next, RawRequest, RawServer};

/// How long a check waits for something that must happen. It is only reached by what is broken.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The deadline of requests that must run into it.
pub(super) const SHORT: Duration = Duration::from_millis(300);

/// A server that answers `{}` to everything.
pub(super) fn friendly() -> Outcome<RawServer> {
    server(|_, connection| {
        connection.respond("content-type: application/json\r\n", b"{}");
        Next::KeepAlive
    })
}

/// A server that answers with its target as the body.
pub(super) fn echo() -> Outcome<RawServer> {
    server(|request, connection| {
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })
}

/// A server that plays these bytes once for each request, and then does `next`.
pub(super) fn playing(bytes: impl Into<Vec<u8>>, next: Next) -> Outcome<RawServer> {
    let bytes = bytes.into();
    server(move |_, connection| {
        connection.send(&bytes);
        next
    })
}

/// A server with a script.
pub(super) fn server<F>(script: F) -> Outcome<RawServer>
where
    F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
{
    Ok(RawServer::start(script)?)
}

/// A GET of `target` from `server`, as a client of the gateway sends it.
pub(super) fn get(server: &RawServer, target: &str) -> Outcome<Request> {
    get_uri(&server.uri(target))
}

/// A GET of an absolute address.
pub(super) fn get_uri(uri: &str) -> Outcome<Request> {
    Ok(http::Request::get(uri).header("accept", "application/json").body(Bytes::new())?)
}

/// The request with a deadline `limit` from now.
pub(super) fn within(limit: Duration, mut request: Request) -> Request {
    request.extensions_mut().insert(Deadline::after(limit));
    request
}

/// The request with `limit` from now for its head, and all the time there is for its body.
pub(super) fn begun_within(limit: Duration, mut request: Request) -> Request {
    let deadline = Deadline::after(PATIENCE).head_by(Instant::now() + limit);
    request.extensions_mut().insert(deadline);
    request
}

/// The only request that `server` has seen.
pub(super) fn only_request(server: &RawServer) -> Outcome<RawRequest> {
    let requests = server.progress().requests;
    let count = requests.len();
    match <[RawRequest; 1]>::try_from(requests) {
        Ok([request]) => Ok(request),
        Err(_) => Err(Stop::failed(format!("{count} requests reached the server instead of 1"))),
    }
}

/// An address where nobody listens.
pub(super) fn nobody() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// An address that answers no attempt to connect, as a host behind a firewall does.
pub(super) struct BlackHole {
    pub(super) address: SocketAddr,
    _listener: Socket,
    _queue: Vec<TcpStream>,
}

impl BlackHole {
    pub(super) fn new() -> Outcome<Self> {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        // Nobody accepts. As soon as the queue is full, the system drops what comes.
        listener.listen(0)?;
        let address = listener.local_addr()?.as_socket();
        let address = address.ok_or_else(|| Stop::failed("the kit has no address"))?;
        let mut queue = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            queue.push(stream);
            if queue.len() > 64 {
                let reason = "this system queues connections without end";
                return Err(Stop::NotApplicable(reason.into()));
            }
        }
        Ok(Self { address, _listener: listener, _queue: queue })
    }
}

/// Lets time pass. Only for what no event tells from outside: that a client has noticed something by itself.
pub(super) fn settle(time: Duration) {
    let (_keep, never) = mpsc::sync_channel::<()>(0);
    // It can only end by the time: the other end is alive and silent.
    never.recv_timeout(time).unwrap_or_default();
}

/// Does `call` up to three times, until it succeeds.
///
/// Only for limits that are short so that a check need not take long: a machine that is busy may hold up anything for a
/// moment, but what is broken fails each time.
pub(super) fn patiently<T>(call: impl Fn() -> Outcome<T>) -> Outcome<T> {
    call().or_else(|_| call()).or_else(|_| call())
}

/// Runs `call` on several threads at once.
pub(super) fn at_once<T: Send>(
    count: usize,
    call: impl Fn() -> Outcome<T> + Sync,
) -> Vec<Outcome<T>> {
    thread::scope(|scope| {
        let calls: Vec<_> = (0..count).map(|_| scope.spawn(&call)).collect();
        let panicked = |_| Err(Stop::failed("the call panicked"));
        calls.into_iter().map(|call| call.join().unwrap_or_else(panicked)).collect()
    })
}
