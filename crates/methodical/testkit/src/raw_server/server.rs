//! The server: its listener and its handle.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io, thread};

use crate::raw_server::connection::{Connection, Next, Script, Wrap, serve};
use crate::raw_server::progress::{Progress, Shared};
use crate::raw_server::request::RawRequest;

/// A server on a free port of 127.0.0.1 that runs a script for each request. Dropping it stops it.
pub struct RawServer {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
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
        Self::listen("http", Wrap::Plain, Arc::new(script))
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

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URI of `target`, with the IP address of the server.
    pub fn uri(&self, target: &str) -> String {
        format!("{}://{}{target}", self.scheme, self.address)
    }

    /// Returns the URI of `target`, with the host name `localhost`.
    pub fn uri_by_name(&self, target: &str) -> String {
        format!("{}://localhost:{}{target}", self.scheme, self.address.port())
    }

    /// Returns a snapshot of the events and counters so far.
    pub fn progress(&self) -> Progress {
        self.shared.progress()
    }

    /// Waits up to `limit` until `condition` holds for what the server has seen. Returns whether it holds.
    pub fn wait_until(&self, limit: Duration, condition: impl Fn(&Progress) -> bool) -> bool {
        self.shared.wait_until(limit, condition)
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.shared.stop();
        // The accepting thread checks the flag after each connection: this one wakes it.
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
        // If the thread cannot start, the stream is dropped and the peer sees a closed connection.
        drop(spawned);
    }
}

/// A guard that counts a connection as ended when its thread returns or panics.
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
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        assert!(server.wait_until(Duration::from_secs(20), |progress| progress.ended == 1));
        assert_eq!((server.progress().playing, server.progress().panicked), (0, 1));
    }
}
