//! A server that plays bytes, well-formed or not.
//!
//! Other test servers answer with well-formed HTTP. Most of what breaks a client in production is not: a head that never
//! ends, a body that is cut, a reset in the middle, a byte every now and then. A script here is a function that is called
//! for each request and writes whatever bytes it likes, when it likes.
//!
//! It listens on a free port of 127.0.0.1, needs no runtime, and ends with all its connections when it is dropped.
//! Nothing in it waits for time to pass as a signal: [`RawServer::wait_until`] waits for what the server has seen.
//!
//! # Examples
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! use gateway_testkit::raw_server::{Next, RawServer};
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
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.ends_with("abc"));
//! assert_eq!(server.progress().requests.len(), 1);
//! # Ok(())
//! # }
//! ```
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io, thread};

mod connection;
mod progress;
mod request;
mod stream;

pub use self::connection::Connection;
use self::connection::serve;
pub use self::progress::Progress;
use self::progress::Shared;
pub use self::request::RawRequest;
use self::stream::Wrap;

/// What a script is: called for each request, on a thread of the connection.
type Script = dyn Fn(&RawRequest, &mut Connection) -> Next + Send + Sync;

/// What becomes of a connection after the script has played.
#[expect(clippy::exhaustive_enums, reason = "there is no fourth way to end")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next request is read from it.
    KeepAlive,
    /// It is closed in order (FIN).
    Close,
    /// It is torn down (RST), and what the peer has not read yet is lost to it.
    Reset,
}

/// A server on a free port of 127.0.0.1 that answers by a script. Dropping it ends it.
pub struct RawServer {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

impl RawServer {
    /// Starts a server that answers each request by `script`.
    ///
    /// # Errors
    ///
    /// When the operating system has no port or no thread.
    pub fn start<F>(script: F) -> io::Result<Self>
    where
        F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
    {
        Self::listen("http", Wrap::Plain, Arc::new(script))
    }

    /// Starts the same within TLS.
    ///
    /// # Errors
    ///
    /// When the operating system has no port or no thread.
    #[cfg(feature = "tls")]
    pub fn start_tls<F>(identity: &crate::certificates::Identity, script: F) -> io::Result<Self>
    where
        F: Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static,
    {
        Self::listen("https", Wrap::Tls(identity.server_config()), Arc::new(script))
    }

    fn listen(scheme: &'static str, wrap: Wrap, script: Arc<Script>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("raw-server".into())
            .spawn(move || accept(&listener, &accepting, &wrap, &script))?;
        Ok(Self { address, scheme, shared })
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the absolute form of `target`, by the address of this server.
    pub fn uri(&self, target: &str) -> String {
        format!("{}://{}{target}", self.scheme, self.address)
    }

    /// Returns the same by the name `localhost`.
    pub fn uri_by_name(&self, target: &str) -> String {
        format!("{}://localhost:{}{target}", self.scheme, self.address.port())
    }

    /// Returns what the server has seen so far.
    pub fn progress(&self) -> Progress {
        self.shared.progress()
    }

    /// Waits until `condition` holds for what the server has seen, and returns whether it does within `limit`.
    pub fn wait_until(&self, limit: Duration, condition: impl Fn(&Progress) -> bool) -> bool {
        self.shared.wait_until(limit, condition)
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.shared.stop();
        // The accepting thread looks at the flag after each connection; this is the last one.
        drop(TcpStream::connect(self.address));
    }
}

impl fmt::Debug for RawServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawServer({}://{})", self.scheme, self.address)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>, wrap: &Wrap, script: &Arc<Script>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let Some(number) = shared.connected(&stream) else { return };
        let (shared, script, wrap) = (Arc::clone(shared), Arc::clone(script), wrap.clone());
        let spawned = thread::Builder::new().name("raw-connection".into()).spawn(move || {
            let _open = Open { number, shared: &shared };
            serve(stream, number, &wrap, &shared, &*script);
        });
        // Without a thread the stream has been dropped, and the peer sees a closed connection.
        drop(spawned);
    }
}

/// A connection, until its thread has ended in whatever way.
struct Open<'a> {
    number: usize,
    shared: &'a Shared,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.shared.disconnected(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::{Next, RawServer};

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
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        assert!(server.wait_until(Duration::from_secs(20), |progress| progress.ended == 1));
        assert_eq!((server.progress().playing, server.progress().panicked), (0, 1));
    }
}
