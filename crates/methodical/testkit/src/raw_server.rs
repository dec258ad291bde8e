//! A scripted server that sends any bytes, well-formed HTTP or not.
//!
//! Other test servers send well-formed HTTP. Most of what breaks a client in production is not well-formed: an endless
//! head, a truncated body, a reset in the middle, or one byte at a time. A script is a function that is called for each
//! request and can write any bytes at any time.
//!
//! The server listens on a free port of 127.0.0.1 and needs no async runtime. Dropping it closes all its connections.
//! Tests need no sleeps: [`RawServer::wait_until`] waits until the server has seen an event.
//!
//! # Examples
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! use methodical_testkit::raw_server::{Next, RawServer};
//!
//! # fn main() -> std::io::Result<()> {
//! let server = RawServer::start(|request, connection| {
//!     assert_eq!(request.target(), "/cut");
//!     connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc");
//!     Next::Close
//! })?;
//!
//! let mut client = TcpStream::connect(server.address())?;
//! client.write_all(b"GET /cut HTTP/1.1\r\n\r\n")?;
//! let mut response = String::new();
//! client.read_to_string(&mut response)?;
//! assert!(response.ends_with("abc"));
//! assert_eq!(server.progress().requests.len(), 1);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

/// A server on a free port of 127.0.0.1 that runs a script for each request. Dropping it stops it.
pub struct RawServer {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

/// A script: called for each request, on the thread of the connection.
type Script = dyn Fn(&RawRequest, &mut Connection) -> Next + Send + Sync;

/// What happens to a connection after the script has run.
#[expect(clippy::exhaustive_enums, reason = "a connection cannot end in any other way")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The server reads the next request.
    KeepAlive,
    /// The server closes the connection gracefully (FIN).
    Close,
    /// The server resets the connection (RST). The peer loses the bytes that it has not read yet.
    Reset,
}

impl RawServer {
    /// Starts a server that runs `script` for each request.
    ///
    /// # Errors
    ///
    /// Fails if the operating system has no free port or cannot start a thread.
    pub fn start<F>(script: F) -> io::Result<Self>
    where
        F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
    {
        Self::listen("http", Arc::new(|stream| Ok(Box::new(stream))), Arc::new(script))
    }

    /// Starts a TLS server that runs `script` for each request.
    ///
    /// # Errors
    ///
    /// Fails if the operating system has no free port or cannot start a thread.
    #[cfg(feature = "tls")]
    pub fn start_tls<F>(identity: &crate::certificates::Identity, script: F) -> io::Result<Self>
    where
        F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
    {
        let identity = identity.clone();
        let wrap =
            move |stream| -> io::Result<Box<dyn Stream>> { Ok(Box::new(identity.accept(stream)?)) };
        Self::listen("https", Arc::new(wrap), Arc::new(script))
    }

    fn listen(scheme: &'static str, wrap: Arc<Wrap>, script: Arc<Script>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("raw-server".into())
            .spawn(move || accept(&listener, &accepting, &wrap, &script))?;
        Ok(Self { address, scheme, shared })
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the absolute URI of `target` on this server, with its IP address.
    pub fn uri(&self, target: &str) -> String {
        format!("{}://{}{target}", self.scheme, self.address)
    }

    /// Returns the absolute URI of `target` on this server, with the host name `localhost`.
    pub fn uri_by_name(&self, target: &str) -> String {
        format!("{}://localhost:{}{target}", self.scheme, self.address.port())
    }

    /// Returns a snapshot of the events and counters so far.
    pub fn progress(&self) -> Progress {
        self.shared.state().progress.clone()
    }

    /// Waits up to `limit` until `condition` holds for the events that the server has seen. Returns whether it holds.
    pub fn wait_until(&self, limit: Duration, condition: impl Fn(&Progress) -> bool) -> bool {
        self.shared.wait(limit, |state| condition(&state.progress))
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.is_stopped = true;
        for stream in state.open.values() {
            // This fails if the connection is already closed.
            drop(stream.shutdown(Shutdown::Both));
        }
        drop(state);
        self.shared.changed.notify_all();
        // The accepting thread checks the flag after each connection. This connection wakes the thread.
        drop(TcpStream::connect(self.address));
    }
}

impl fmt::Debug for RawServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawServer({}://{})", self.scheme, self.address)
    }
}

/// The events that a server has seen so far.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// All requests, in the order of their completion.
    pub requests: Vec<RawRequest>,
    /// Number of connections opened.
    pub connections: usize,
    /// Number of connections that have ended, on either side.
    pub ended: usize,
    /// Number of scripts running now.
    pub playing: usize,
    /// Number of scripts that have panicked, for example because of a failed assertion. Their connections are closed.
    pub panicked: usize,
    /// Largest number of scripts that ran concurrently.
    pub most_playing: usize,
    /// Number of bytes written by scripts.
    pub written: usize,
    /// Number of times that a script found its connection closed by the peer.
    pub closed_by_peer: usize,
    /// Number of times that a script could not write because the peer did not read.
    pub blocked: usize,
}

/// The connection that a script writes to.
///
/// If the peer closed the connection, a write returns `false`, not an error; [`Progress::closed_by_peer`] counts it.
pub struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    shared: Arc<Shared>,
}

impl Connection {
    /// Writes `bytes` unchanged. Returns whether they were written.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        let stream = self.stream.get_mut();
        let written = stream.write_all(bytes).and_then(|()| stream.flush());
        self.shared.update(|progress| match &written {
            Ok(()) => progress.written += bytes.len(),
            Err(error) if is_timeout(error) => progress.blocked += 1,
            Err(_) => progress.closed_by_peer += 1,
        });
        written.is_ok()
    }

    /// Writes a well-formed response: status 200, `content-length`, the lines of `headers` (each with its line end),
    /// and `body`. Returns whether the response was written.
    pub fn respond(&mut self, headers: &str, body: &[u8]) -> bool {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{headers}\r\n");
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Repeats `block` until at least `total` bytes are written or a write fails. Returns whether all writes succeeded.
    pub fn flood(&mut self, block: &[u8], total: usize) -> bool {
        (0..total.div_ceil(block.len().max(1))).all(|_| self.send(block))
    }

    /// Like [`flood`](Self::flood), but also stops if the peer reads nothing for `patience`, which the server counts in
    /// [`Progress::blocked`].
    pub fn flood_until_blocked(&mut self, block: &[u8], total: usize, patience: Duration) -> bool {
        // If the timeout cannot be set, the write blocks, and the caller's own time limit reports it.
        drop(self.socket().set_write_timeout(Some(patience)));
        self.flood(block, total)
    }

    /// Writes `bytes` one by one, with a pause after each. Returns `false` if a write fails or the server stops.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration) -> bool {
        let mut bytes = bytes.iter();
        bytes.all(|byte| self.send(&[*byte]) && !self.shared.wait(pause, |state| state.is_stopped))
    }

    /// Waits up to `limit` for the peer to close its side, and discards what the peer sends. Returns whether it closed.
    pub fn wait_for_close(&mut self, limit: Duration) -> bool {
        drop(self.socket().set_read_timeout(Some(limit)));
        let ended = io::copy(&mut self.stream, &mut io::sink());
        drop(self.socket().set_read_timeout(None));
        let is_closed = !ended.is_err_and(|error| is_timeout(&error));
        self.shared.update(|progress| progress.closed_by_peer += usize::from(is_closed));
        is_closed
    }

    /// Waits up to `limit` until `count` scripts of this server have run concurrently. Returns whether they have.
    pub fn wait_for_scripts(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |state| state.progress.most_playing >= count)
    }

    /// Closes the socket without the TLS `close_notify`, so that the peer sees a truncated stream.
    pub fn cut(&mut self) {
        drop(self.socket().shutdown(Shutdown::Both));
    }

    fn socket(&self) -> &TcpStream {
        self.stream.get_ref().socket()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// A connection with or without TLS.
trait Stream: Read + Write {
    /// Returns the underlying socket.
    fn socket(&self) -> &TcpStream;

    /// Returns the server name that the peer sent in its handshake.
    fn server_name(&self) -> Option<&str> {
        None
    }

    /// Sends the TLS `close_notify` (RFC 8446, section 6.1). The peer may have closed already.
    fn close_notify(&mut self) {}
}

impl Stream for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

#[cfg(feature = "tls")]
impl Stream for rustls::StreamOwned<rustls::ServerConnection, TcpStream> {
    fn socket(&self) -> &TcpStream {
        &self.sock
    }

    fn server_name(&self) -> Option<&str> {
        self.conn.server_name()
    }

    fn close_notify(&mut self) {
        self.conn.send_close_notify();
        drop(self.flush());
    }
}

/// Wraps an accepted connection. With TLS, also completes the handshake.
type Wrap = dyn Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync;

fn accept(listener: &TcpListener, shared: &Arc<Shared>, wrap: &Arc<Wrap>, script: &Arc<Script>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let Some(number) = shared.connected(&stream) else { return };
        let (shared, script, wrap) = (Arc::clone(shared), Arc::clone(script), Arc::clone(wrap));
        let spawned = thread::Builder::new().name("raw-connection".into()).spawn(move || {
            let _open = AtEnd(|| shared.disconnected(number));
            // A handshake fails when the peer refuses the certificate.
            let stream = stream.set_nodelay(true).and_then(|()| wrap(stream));
            if let Ok(stream) = stream {
                let stream = BufReader::new(stream);
                serve(Connection { stream, shared: Arc::clone(&shared) }, number, &*script);
            }
        });
        // If the thread cannot start, the stream is dropped and the peer sees a closed connection.
        drop(spawned);
    }
}

/// Reads requests and runs `script` for each, until the script or the peer ends the connection.
fn serve(mut connection: Connection, number: usize, script: &Script) {
    let shared = Arc::clone(&connection.shared);
    while let Ok(Some(mut request)) = RawRequest::read(&mut connection.stream, number) {
        let stream = connection.stream.get_ref();
        request.server_name = stream.server_name().map(ToOwned::to_owned);
        shared.update(|progress| {
            progress.requests.push(request.clone());
            progress.playing += 1;
            progress.most_playing = progress.most_playing.max(progress.playing);
        });
        let playing = AtEnd(|| {
            shared.update(|progress| {
                progress.playing -= 1;
                progress.panicked += usize::from(thread::panicking());
            });
        });
        let next = script(&request, &mut connection);
        drop(playing);
        match next {
            Next::KeepAlive => {}
            Next::Close => {
                connection.stream.get_mut().close_notify();
                return connection.cut();
            }
            Next::Reset => {
                // Drop the server's handle first: it would keep the socket open.
                shared.state().open.remove(&number);
                let socket = socket2::SockRef::from(connection.socket());
                return drop(socket.set_linger(Some(Duration::ZERO)));
            }
        }
    }
}

/// A guard that calls a function when it is dropped, even after a panic.
struct AtEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The state that a server shares with its connections.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    progress: Progress,
    open: BTreeMap<usize, TcpStream>,
    is_stopped: bool,
}

impl Shared {
    fn update(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.state().progress);
        self.changed.notify_all();
    }

    /// Counts a new connection and returns its number. Returns `None` if the server is stopped.
    fn connected(&self, stream: &TcpStream) -> Option<usize> {
        let mut state = self.state();
        if state.is_stopped {
            return None;
        }
        state.progress.connections += 1;
        let number = state.progress.connections;
        if let Ok(stream) = stream.try_clone() {
            state.open.insert(number, stream);
        }
        drop(state);
        self.changed.notify_all();
        Some(number)
    }

    fn disconnected(&self, number: usize) {
        self.state().open.remove(&number);
        self.update(|progress| progress.ended += 1);
    }

    /// Waits up to `limit` until `condition` holds. Returns whether it holds.
    fn wait(&self, limit: Duration, condition: impl Fn(&State) -> bool) -> bool {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, limit, |state| !condition(state));
        condition(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Returns the state even if the lock is poisoned: only a condition can panic under the lock, without changing it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request as received: the head byte for byte, the body without its framing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RawRequest {
    /// The number of the request's connection, counted from 1.
    pub connection: usize,
    /// The head, up to and including the empty line.
    pub head: Vec<u8>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// The server name that the peer sent in its TLS handshake (RFC 6066, section 3).
    pub server_name: Option<String>,
}

impl RawRequest {
    /// Returns the first line, without its line end.
    pub fn line(&self) -> String {
        let line = self.head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        String::from_utf8_lossy(line).into_owned()
    }

    /// Returns the method in the first line, such as `GET`.
    pub fn method(&self) -> String {
        self.line().split(' ').next().unwrap_or_default().to_owned()
    }

    /// Returns the target as written in the first line.
    pub fn target(&self) -> String {
        self.line().split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// Returns all headers in order: the name in lower case, the value as bytes.
    pub fn headers(&self) -> Vec<(String, Vec<u8>)> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        lines
            .filter_map(|line| {
                let colon = line.iter().position(|byte| *byte == b':')?;
                let (name, value) = line.split_at_checked(colon)?;
                let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                Some((name, value.get(1..)?.trim_ascii().to_vec()))
            })
            .collect()
    }

    /// Returns the values of the header `name` (in lower case), in order.
    pub fn header(&self, name: &str) -> Vec<Vec<u8>> {
        let headers = self.headers().into_iter();
        headers.filter(|(other, _)| other == name).map(|(_, value)| value).collect()
    }

    /// Reads the next request. Returns `None` if the peer closed the connection between two requests.
    fn read(stream: &mut impl BufRead, connection: usize) -> io::Result<Option<Self>> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read_until(b'\n', &mut head)? == 0 {
                return if head.is_empty() { Ok(None) } else { Err(truncated()) };
            }
        }
        let mut request = Self { connection, head, body: Vec::new(), server_name: None };
        request.body = if request.header("transfer-encoding").is_empty() {
            take(stream, request.declared_length())?
        } else {
            read_chunks(stream)?
        };
        Ok(Some(request))
    }

    fn declared_length(&self) -> u64 {
        let length = self.header("content-length").into_iter().next();
        let length = length.and_then(|value| String::from_utf8(value).ok());
        length.and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

/// Reads a chunked body (RFC 9112, section 7.1) without extensions or trailers.
fn read_chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).map_err(|_invalid| truncated())?;
        body.extend(take(stream, size)?);
        take(stream, 2)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Reads the next `count` bytes.
fn take(stream: &mut impl BufRead, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let is_whole = stream.take(count).read_to_end(&mut bytes)? as u64 == count;
    if is_whole { Ok(bytes) } else { Err(truncated()) }
}

fn truncated() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    use crate::raw_server::{Next, RawServer};

    #[test]
    fn a_script_that_panics_closes_its_connection() {
        let server = RawServer::start(|request, _connection| {
            assert_ne!(request.target(), "/", "on purpose");
            Next::KeepAlive
        })
        .unwrap();
        let mut client = TcpStream::connect(server.address()).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(client.read_to_end(&mut Vec::new()).unwrap(), 0);
        assert!(server.wait_until(Duration::from_secs(20), |progress| progress.ended == 1));
        assert_eq!((server.progress().playing, server.progress().panicked), (0, 1));
    }
}
