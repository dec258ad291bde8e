//! A connection that is read in lines and in parts, until a deadline.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gateway_transport::{Deadline, Phase, TransportError, TransportErrorKind};

/// A connection, and the bytes that were received but not read.
pub(super) struct Wire {
    pub(super) deadline: Option<Deadline>,
    /// Whether the first piece is used as the whole response.
    pub(super) reads_once: bool,
    pub(super) idle_timeout: Duration,
    /// The deadline that starts again with each piece.
    pub(super) restarts: Option<Duration>,
    stream: TcpStream,
    received: Vec<u8>,
    /// The number of received bytes that were read.
    read: usize,
}

impl Wire {
    pub(super) fn new(
        stream: TcpStream,
        deadline: Option<Deadline>,
        idle_timeout: Duration,
    ) -> Self {
        let received = Vec::new();
        let restarts = None;
        Self { deadline, reads_once: false, idle_timeout, restarts, stream, received, read: 0 }
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Reads a line, and returns it without its end.
    pub(super) fn line(&mut self, limit: usize) -> Result<Vec<u8>, TransportError> {
        let mut searched = 0;
        loop {
            let rest = self.received.get(self.read..).unwrap_or_default();
            let unsearched = rest.get(searched..).unwrap_or_default();
            if let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') {
                let line = rest.get(..searched + end).unwrap_or_default();
                let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
                self.read += searched + end + 1;
                return Ok(line);
            }
            searched = rest.len();
            if searched > limit {
                return Err(TransportError::new(TransportErrorKind::TooLarge, "a line"));
            }
            if !self.receive()? {
                return Err(TransportError::new(TransportErrorKind::Interrupted, "within a line"));
            }
        }
    }

    /// Reads this number of bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<u8>, TransportError> {
        while self.received.len() - self.read < count {
            if !self.receive()? {
                return Err(TransportError::new(
                    TransportErrorKind::Interrupted,
                    "within the body",
                ));
            }
        }
        let end = self.read + count;
        let bytes = self.received.get(self.read..end).unwrap_or_default().to_vec();
        self.read = end;
        Ok(bytes)
    }

    /// Reads until the peer closes the connection.
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, TransportError> {
        while self.receive()? {}
        self.take(self.received.len() - self.read)
    }

    /// Waits for more bytes. Returns `false` after the last.
    fn receive(&mut self) -> Result<bool, TransportError> {
        if self.reads_once && !self.received.is_empty() {
            return Ok(false);
        }
        let mut buffer = vec![0; 64 << 10];
        let count = limited_read(&self.stream, &mut buffer, self.deadline, self.idle_timeout)?;
        if let Some(limit) = self.restarts {
            self.deadline = Some(Deadline::after(limit));
        }
        self.received.extend_from_slice(buffer.get(..count).unwrap_or_default());
        Ok(count > 0)
    }
}

/// Reads until the deadline, and not longer than the idle timeout.
fn limited_read(
    mut stream: &TcpStream,
    buffer: &mut [u8],
    deadline: Option<Deadline>,
    idle_timeout: Duration,
) -> Result<usize, TransportError> {
    if buffer.is_empty() {
        return Ok(0);
    }
    let left =
        deadline.map(|deadline| deadline.instant().saturating_duration_since(Instant::now()));
    let limit = left.unwrap_or(idle_timeout).min(idle_timeout);
    if limit.is_zero() {
        return Err(TransportError::timeout(Phase::Head));
    }
    stream.set_read_timeout(Some(limit)).map_err(TransportError::from_io)?;
    loop {
        return match stream.read(buffer) {
            // A read with a time limit is not restarted after a signal.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    TransportError::timeout(Phase::Head)
                }
                _ => TransportError::from_io(error),
            }),
        };
    }
}
