//! [`CallerThread`]: a transport that does all its work on the calling thread.

use std::time::Duration;
use std::{io, iter};

use methodical_client::transport::reqwest::ReqwestTransport;
use methodical_client::transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, Phase, Request, Transport as _,
    TransportError,
};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;

/// A transport that sends requests with reqwest, and does all its work on the calling thread.
///
/// With another thread for the sockets, a long list takes a third more CPU time: each packet wakes that thread, and each
/// piece of the list wakes both. The price is that nothing is received between two calls of this transport. It panics if
/// the calling thread runs a tokio runtime.
#[derive(Debug)]
pub(crate) struct CallerThread {
    inner: ReqwestTransport,
    /// Maximum silence of the service while this transport waits for it.
    idle: Duration,
    /// Never dropped, because that would wait for name lookups.
    runtime: &'static Runtime,
}

impl CallerThread {
    /// Wraps a transport without a limit on silence, and limits silence to `idle`.
    pub(crate) fn new(inner: ReqwestTransport, idle: Duration) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { inner, idle, runtime: Box::leak(Box::new(runtime)) })
    }
}

impl BlockingTransport for CallerThread {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let Self { ref inner, idle, runtime } = *self;
        let head = runtime.block_on(async { timeout(idle, inner.send(request)).await });
        let response = head.unwrap_or_else(|_silent| Err(TransportError::timeout(Phase::Head)))?;
        Ok(response.map(|body| {
            let mut body = InRuntime { body, idle, runtime };
            BlockingBody::from_chunks(iter::from_fn(move || body.chunk().transpose()))
        }))
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

/// A body that needs its runtime.
struct InRuntime {
    body: Body,
    idle: Duration,
    runtime: &'static Runtime,
}

impl InRuntime {
    fn chunk(&mut self) -> Result<Option<bytes::Bytes>, TransportError> {
        self.runtime.block_on(async {
            // Silence is counted only while the program waits: it may have waited for the reader of its output before.
            let chunk = timeout(self.idle, self.body.chunk()).await;
            let chunk = chunk.unwrap_or_else(|_silent| Err(TransportError::timeout(Phase::Body)));
            if matches!(chunk, Ok(None)) {
                // The connection notices the end and returns to the pool, for the next request.
                yield_now().await;
            }
            chunk
        })
    }
}

impl Drop for InRuntime {
    fn drop(&mut self) {
        // The body closes its connection with the help of the runtime.
        let _context = self.runtime.enter();
        self.body = Body::empty();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};
    use std::time::Duration;

    use methodical_client::transport::reqwest::ReqwestTransport;
    use methodical_client::transport::{
        BlockingTransport as _, ErrorKind, Options, Phase, Request,
    };

    use super::CallerThread;

    /// Starts a server that answers requests on one connection, and returns its URL.
    fn server(requests: usize) -> (String, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            for _ in 0..requests {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    connection.read_exact(&mut byte).unwrap();
                    request.push(byte[0]);
                }
                connection
                    .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                    .unwrap();
                let body = "x".repeat(1 << 20);
                write!(connection, "3\r\none\r\n100000\r\n{body}\r\n0\r\n\r\n").unwrap();
            }
        });
        (url, server)
    }

    fn transport(idle: Duration) -> CallerThread {
        let options = Options::default().idle_timeout(Duration::from_secs(60));
        CallerThread::new(ReqwestTransport::new(&options).unwrap(), idle).unwrap()
    }

    fn request(url: &str) -> Request {
        http::Request::get(url).body("".into()).unwrap()
    }

    #[test]
    fn a_connection_is_used_again() {
        let (url, server) = server(3);
        let transport = transport(Duration::from_secs(20));
        for _ in 0..3 {
            let response = transport.send(request(&url)).unwrap();
            assert_eq!(response.into_body().collect(2 << 20).unwrap().len(), (1 << 20) + 3);
        }
        server.join().unwrap();
    }

    #[test]
    fn a_pause_of_the_reader_is_not_silence_of_the_service() {
        let (url, server) = server(1);
        let idle = Duration::from_secs(1);
        let mut body = transport(idle).send(request(&url)).unwrap().into_body();
        assert_eq!(body.chunk().unwrap().unwrap().first(), Some(&b'o'));
        // The reader does something else.
        thread::park_timeout(idle + idle / 2);
        assert!(body.collect(2 << 20).is_ok());
        server.join().unwrap();
    }

    #[test]
    fn a_silent_service_is_a_timeout() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let error = transport(Duration::from_millis(50)).send(request(&url)).unwrap_err();
        assert_eq!((error.kind(), error.phase()), (ErrorKind::Timeout, Phase::Head));
    }
}
