//! The connection as a script uses it.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

use crate::raw_server::progress::Shared;
use crate::raw_server::stream::Stream;

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
