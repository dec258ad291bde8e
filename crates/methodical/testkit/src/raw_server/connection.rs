//! The connection as a script uses it, with or without TLS, and playing scripts on it.
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, thread};

use crate::raw_server::progress::Shared;
use crate::raw_server::request::RawRequest;

/// The connection that a script writes to.
///
/// Writing to a peer that has closed the connection is not an error: the methods return `false`, and the server counts
/// it in [`Progress::closed_by_peer`](crate::raw_server::Progress::closed_by_peer).
pub struct Connection {
    pub(super) stream: Stream,
    shared: Arc<Shared>,
}

impl Connection {
    pub(super) fn new(stream: Stream, shared: Arc<Shared>) -> Self {
        Self { stream, shared }
    }

    /// Writes `bytes` unchanged. Returns whether they were written.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        let written = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
        match &written {
            Ok(()) => self.shared.update(|progress| progress.written += bytes.len()),
            Err(error) if is_timeout(error) => {
                self.shared.update(|progress| progress.blocked += 1);
            }
            Err(_) => self.shared.update(|progress| progress.closed_by_peer += 1),
        }
        written.is_ok()
    }

    /// Writes a well-formed response: status 200, `content-length`, the lines of `headers` (each with its line end), and
    /// `body`. Returns whether it was written.
    pub fn respond(&mut self, headers: &str, body: &[u8]) -> bool {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{headers}\r\n");
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Writes `block` repeatedly until `total` bytes are written or a write fails. Returns whether all were written.
    pub fn flood(&mut self, block: &[u8], total: usize) -> bool {
        (0..total.div_ceil(block.len().max(1))).all(|_| self.send(block))
    }

    /// Like [`flood`](Self::flood), but also stops when the peer has read nothing for `patience`. That is counted in
    /// [`Progress::blocked`](crate::raw_server::Progress::blocked).
    pub fn flood_until_blocked(&mut self, block: &[u8], total: usize, patience: Duration) -> bool {
        // If the timeout cannot be set, the write blocks, and the caller's own time limit reports it.
        drop(self.stream.socket().set_write_timeout(Some(patience)));
        self.flood(block, total)
    }

    /// Writes `bytes` one by one, with a pause after each. Returns `false` if a write fails or the server stops.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration) -> bool {
        bytes.iter().all(|byte| self.send(&[*byte]) && self.shared.pause(pause))
    }

    /// Waits up to `limit` for the peer to close its side, and discards what it sends. Returns whether it closed.
    pub fn wait_for_close(&mut self, limit: Duration) -> bool {
        drop(self.stream.socket().set_read_timeout(Some(limit)));
        let mut buffer = [0; 1024];
        let is_closed = loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => break true,
                Ok(_) => {}
                Err(error) => break !is_timeout(&error),
            }
        };
        drop(self.stream.socket().set_read_timeout(None));
        if is_closed {
            self.shared.update(|progress| progress.closed_by_peer += 1);
        }
        is_closed
    }

    /// Waits up to `limit` until `count` scripts of this server have run concurrently. Returns whether they have.
    pub fn wait_for_scripts(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait_until(limit, |progress| progress.most_playing >= count)
    }

    /// Closes the socket without the TLS `close_notify`, so that the peer sees a truncated stream.
    pub fn cut(&mut self) {
        drop(self.stream.socket().shutdown(Shutdown::Both));
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

/// A script: called for each request, on the thread of the connection.
pub(super) type Script = dyn Fn(&RawRequest, &mut Connection) -> Next + Send + Sync;

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

/// Reads requests from `stream` and runs `script` for each, until the script or the peer ends the connection.
pub(super) fn serve(
    stream: TcpStream,
    number: usize,
    wrap: &Wrap,
    shared: &Arc<Shared>,
    script: &Script,
) {
    // A handshake fails when the peer refuses the certificate.
    let Ok(stream) = wrap.wrap(stream) else { return };
    let mut connection = Connection::new(stream, Arc::clone(shared));
    let mut pending = Vec::new();
    while let Ok(Some(mut request)) = RawRequest::read(&mut connection.stream, &mut pending, number)
    {
        request.server_name = connection.stream.server_name();
        shared.update(|progress| {
            progress.requests.push(request.clone());
            progress.playing += 1;
            progress.most_playing = progress.most_playing.max(progress.playing);
        });
        let playing = Playing(shared);
        let next = script(&request, &mut connection);
        drop(playing);
        match next {
            Next::KeepAlive => {}
            Next::Close => {
                connection.stream.close_notify();
                drop(connection.stream.socket().shutdown(Shutdown::Both));
                return;
            }
            Next::Reset => {
                // Drop the handle for `Shared::stop` first: it would keep the socket open.
                shared.forget(number);
                let socket = socket2::SockRef::from(connection.stream.socket());
                drop(socket.set_linger(Some(Duration::ZERO)));
                return;
            }
        }
    }
}

/// A guard that counts a script as ended when it returns or panics.
struct Playing<'a>(&'a Shared);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.update(|progress| {
            progress.playing -= 1;
            progress.panicked += usize::from(thread::panicking());
        });
    }
}

/// Whether a server wraps its connections in TLS.
#[derive(Clone)]
pub(super) enum Wrap {
    Plain,
    #[cfg(feature = "tls")]
    Tls(Arc<rustls::ServerConfig>),
}

impl Wrap {
    /// Wraps `stream`. With TLS, also completes the handshake.
    pub(super) fn wrap(&self, stream: TcpStream) -> io::Result<Stream> {
        stream.set_nodelay(true)?;
        match self {
            Self::Plain => Ok(Stream::Plain(stream)),
            #[cfg(feature = "tls")]
            Self::Tls(config) => {
                let mut stream = stream;
                let mut session =
                    rustls::ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
                while session.is_handshaking() {
                    session.complete_io(&mut stream)?;
                }
                Ok(Stream::Tls(Box::new(rustls::StreamOwned::new(session, stream))))
            }
        }
    }
}

pub(super) enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<rustls::StreamOwned<rustls::ServerConnection, TcpStream>>),
}

impl Stream {
    /// Returns the underlying socket.
    pub(super) fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => &stream.sock,
        }
    }

    /// Returns the server name that the peer sent in its handshake.
    pub(super) fn server_name(&self) -> Option<String> {
        match self {
            Self::Plain(_) => None,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.conn.server_name().map(ToOwned::to_owned),
        }
    }

    /// Sends the TLS `close_notify` (RFC 8446, section 6.1). The peer may have closed already.
    pub(super) fn close_notify(&mut self) {
        match self {
            Self::Plain(_) => {}
            #[cfg(feature = "tls")]
            Self::Tls(stream) => {
                stream.conn.send_close_notify();
                drop(stream.flush());
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.flush(),
        }
    }
}
