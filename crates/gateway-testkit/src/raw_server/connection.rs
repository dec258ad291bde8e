//! What a script can do with a connection.
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, thread};

use crate::raw_server::progress::Shared;
use crate::raw_server::stream::{Stream, Wrap};
use crate::raw_server::{Next, RawRequest, Script};

/// The connection that a script plays on.
///
/// Writing to a peer that is gone is no error: the methods return `false`, and the server counts it in
/// [`Progress::closed_by_peer`](super::Progress::closed_by_peer).
pub struct Connection {
    stream: Stream,
    shared: Arc<Shared>,
}

impl Connection {
    /// Writes `bytes` as they are. Returns whether the peer is still there.
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

    /// Writes a well-formed answer: status 200, `content-length`, the lines of `headers` (each with its end), `body`.
    pub fn respond(&mut self, headers: &str, body: &[u8]) -> bool {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{headers}\r\n");
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Writes `block` again and again until `total` bytes are written or the peer is gone.
    pub fn flood(&mut self, block: &[u8], total: usize) -> bool {
        (0..total.div_ceil(block.len().max(1))).all(|_| self.send(block))
    }

    /// Does the same until the peer has read nothing for `patience`; then
    /// [`Progress::blocked`](super::Progress::blocked) is counted and the script goes on.
    pub fn flood_until_blocked(&mut self, block: &[u8], total: usize, patience: Duration) -> bool {
        // A socket that takes no such limit would block for ever, which a check then reports.
        drop(self.stream.socket().set_write_timeout(Some(patience)));
        self.flood(block, total)
    }

    /// Writes `bytes` one by one, with a pause after each.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration) -> bool {
        bytes.iter().all(|byte| self.send(&[*byte]) && self.shared.pause(pause))
    }

    /// Writes nothing until the peer closes its side, for at most `limit`. Returns whether it did.
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

    /// Waits until `count` scripts of this server are playing, for at most `limit`. Returns whether they are.
    pub fn wait_for_company(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait_until(limit, |progress| progress.most_playing >= count)
    }

    /// Closes the socket below TLS without the goodbye that tells an end from a cut.
    pub fn cut(&mut self) {
        drop(self.stream.socket().shutdown(Shutdown::Both));
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

/// Reads requests from `stream` and plays `script` for each, until one of the two sides has enough.
pub(super) fn serve(
    stream: TcpStream,
    number: usize,
    wrap: &Wrap,
    shared: &Arc<Shared>,
    script: &Script,
) {
    // A handshake that fails is the peer's answer to a certificate.
    let Ok(stream) = wrap.wrap(stream) else { return };
    let mut connection = Connection { stream, shared: Arc::clone(shared) };
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
                connection.stream.say_goodbye();
                drop(connection.stream.socket().shutdown(Shutdown::Both));
                return;
            }
            Next::Reset => {
                // The handle that `stop` would use keeps the socket open; it has to go first.
                shared.forget(number);
                let socket = socket2::SockRef::from(connection.stream.socket());
                drop(socket.set_linger(Some(Duration::ZERO)));
                return;
            }
        }
    }
}

/// A script, until it has played or panicked.
struct Playing<'a>(&'a Shared);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.update(|progress| {
            progress.playing -= 1;
            progress.panicked += usize::from(thread::panicking());
        });
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
