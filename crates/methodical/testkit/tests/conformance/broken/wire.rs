//! A connection that is read line by line or in parts, until a deadline.

use std::io::{self, BufRead as _, BufReader, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gateway_transport::{Deadline, Phase, TransportError, TransportErrorKind};

/// A connection, and the bytes that were received but not read.
pub(super) struct Wire(BufReader<Limited>);

/// A connection whose reads are limited in time.
pub(super) struct Limited {
    pub(super) stream: TcpStream,
    pub(super) deadline: Option<Deadline>,
    pub(super) idle_timeout: Duration,
    /// The deadline that starts again with each piece.
    pub(super) restarts: Option<Duration>,
    /// Whether the first piece is used as the whole response.
    pub(super) reads_once: bool,
    has_read: bool,
}

impl Wire {
    pub(super) fn new(
        stream: TcpStream,
        deadline: Option<Deadline>,
        idle_timeout: Duration,
    ) -> Self {
        let (restarts, reads_once, has_read) = (None, false, false);
        let limited = Limited { stream, deadline, idle_timeout, restarts, reads_once, has_read };
        Self(BufReader::with_capacity(64 << 10, limited))
    }

    /// Returns the connection, to change its limits.
    pub(super) fn limited(&mut self) -> &mut Limited {
        self.0.get_mut()
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.0.get_ref().stream
    }

    /// Reads a line, and returns it without its end.
    pub(super) fn line(&mut self, limit: u64) -> Result<Vec<u8>, TransportError> {
        let mut line = Vec::new();
        let mut limited = self.0.by_ref().take(limit);
        limited.read_until(b'\n', &mut line).map_err(TransportError::from_io)?;
        let is_limited = limited.limit() == 0;
        let Some(line) = line.strip_suffix(b"\n") else {
            let kind = if is_limited {
                TransportErrorKind::TooLarge
            } else {
                TransportErrorKind::Interrupted
            };
            return Err(TransportError::new(kind, "within a line"));
        };
        Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec())
    }

    /// Reads this number of bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<Vec<u8>, TransportError> {
        let mut bytes = Vec::new();
        let limit = u64::try_from(count).unwrap_or(u64::MAX);
        self.0.by_ref().take(limit).read_to_end(&mut bytes).map_err(TransportError::from_io)?;
        if bytes.len() < count {
            return Err(TransportError::new(TransportErrorKind::Interrupted, "within the body"));
        }
        Ok(bytes)
    }

    /// Reads until the peer closes the connection.
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, TransportError> {
        let mut bytes = Vec::new();
        self.0.read_to_end(&mut bytes).map_err(TransportError::from_io)?;
        Ok(bytes)
    }
}

impl Read for Limited {
    /// Reads until the deadline, and not longer than the idle timeout.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.reads_once && self.has_read {
            return Ok(0);
        }
        let left = self.deadline.map(|one| one.instant().saturating_duration_since(Instant::now()));
        let limit = left.unwrap_or(self.idle_timeout).min(self.idle_timeout);
        let late = |_| TransportError::timeout(Phase::Head).into_io();
        if limit.is_zero() {
            return Err(late(io::ErrorKind::TimedOut));
        }
        self.stream.set_read_timeout(Some(limit))?;
        let count = self.stream.read(buffer).map_err(|error| match error.kind() {
            kind @ (io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => late(kind),
            _ => error,
        })?;
        self.has_read = true;
        self.deadline = self.restarts.map(Deadline::after).or(self.deadline);
        Ok(count)
    }
}
