//! Broken connections, alone or in front of another server, for tests of code that uses a client.
//!
//! # Examples
//!
//! The first request is reset, and the second one reaches the server behind:
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! use methodical_testkit::faults::{Fault, FaultyServer};
//! use methodical_testkit::raw_server::{Next, RawServer};
//!
//! # fn main() -> std::io::Result<()> {
//! let behind = RawServer::start(|_, connection| {
//!     connection.respond("", b"[]");
//!     Next::Close
//! })?;
//! let server = FaultyServer::before(behind.address(), [Fault::Reset])?;
//!
//! let call = || -> std::io::Result<String> {
//!     let mut client = TcpStream::connect(server.address())?;
//!     client.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
//!     let mut response = String::new();
//!     client.read_to_string(&mut response)?;
//!     Ok(response)
//! };
//! assert!(call().is_err());
//! assert!(call()?.ends_with("[]"));
//! # Ok(())
//! # }
//! ```

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::raw_server::{Connection, Next, Progress, RawRequest, RawServer};

/// A way in which a connection breaks after the server has read the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The connection is reset before the response.
    Reset,
    /// The connection is closed without a response.
    Close,
    /// Nothing is sent, and the connection stays open.
    Silence,
    /// The response is not HTTP.
    Garbage,
    /// The connection is closed within the head of the response.
    TruncatedHead,
    /// The connection is closed before the end of the body.
    TruncatedBody,
    /// The connection is reset within the body.
    ResetBody,
    /// The body stops, and the connection stays open.
    StalledBody,
}

impl Fault {
    /// All faults.
    pub const ALL: &'static [Self] = &[
        Self::Reset,
        Self::Close,
        Self::Silence,
        Self::Garbage,
        Self::TruncatedHead,
        Self::TruncatedBody,
        Self::ResetBody,
        Self::StalledBody,
    ];

    fn play(self, connection: &mut Connection) -> Next {
        // The bytes that are sent, and what happens then; `None` keeps the connection open.
        let (bytes, next): (&[u8], _) = match self {
            Self::Reset => (b"", Some(Next::Reset)),
            Self::Close => (b"", Some(Next::Close)),
            Self::Silence => (b"", None),
            Self::Garbage => (b"\x15\x03\x03 this is not HTTP\r\n\r\n", Some(Next::Close)),
            Self::TruncatedHead => (b"HTTP/1.1 200 OK\r\ncontent-ty", Some(Next::Close)),
            Self::TruncatedBody => (PART, Some(Next::Close)),
            Self::ResetBody => (PART, Some(Next::Reset)),
            Self::StalledBody => (PART, None),
        };
        connection.send(bytes);
        next.unwrap_or_else(|| {
            connection.wait_for_close(LONGEST);
            Next::Close
        })
    }
}

/// The head of a response with the first byte of its body.
const PART: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n[";

/// Maximum time for which a connection stays open, in silence or to the server behind.
const LONGEST: Duration = Duration::from_secs(60);

/// A server that breaks connections. Dropping it closes them all.
#[derive(Debug)]
pub struct FaultyServer {
    server: RawServer,
}

impl FaultyServer {
    /// Starts a server that answers every request with one fault.
    ///
    /// # Errors
    ///
    /// Fails if the operating system has no free port or cannot start a thread.
    pub fn always(fault: Fault) -> io::Result<Self> {
        let server = RawServer::start(move |_, connection| fault.play(connection))?;
        Ok(Self { server })
    }

    /// Starts a server that answers the first requests with faults, one each, and passes later ones to the server
    /// `behind`, which must honour `Connection: close`. For a `wiremock` server, `behind` is `*server.address()`.
    ///
    /// # Errors
    ///
    /// Fails if the operating system has no free port or cannot start a thread.
    pub fn before(behind: SocketAddr, faults: impl IntoIterator<Item = Fault>) -> io::Result<Self> {
        let faults: Mutex<VecDeque<_>> = Mutex::new(faults.into_iter().collect());
        let server = RawServer::start(move |request, connection| {
            let fault = faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            if let Some(fault) = fault {
                return fault.play(connection);
            }
            // If the server behind fails, the client sees a closed connection.
            if let Ok(response) = passed(request, behind) {
                connection.send(&response);
            }
            Next::Close
        })?;
        Ok(Self { server })
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns the base URL of the server.
    pub fn uri(&self) -> String {
        self.server.uri("")
    }

    /// Returns the requests and other events so far.
    pub fn progress(&self) -> Progress {
        self.server.progress()
    }
}

/// Sends a request to a server, and returns all bytes of the response.
fn passed(request: &RawRequest, server: SocketAddr) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&server, LONGEST)?;
    stream.set_read_timeout(Some(LONGEST))?;
    let is_connection = |line: &[u8]| line.to_ascii_lowercase().starts_with(b"connection:");
    // The end of the response is the end of the connection.
    let mut head = Vec::with_capacity(request.head.len());
    for line in request.head.split_inclusive(|byte| *byte == b'\n') {
        if line == b"\r\n" {
            head.extend(b"connection: close\r\n");
        }
        if !is_connection(line) {
            head.extend(line);
        }
    }
    stream.write_all(&head)?;
    stream.write_all(&request.body)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    Ok(response)
}
