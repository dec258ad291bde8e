//! A stream, with or without TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;
#[cfg(feature = "tls")]
use std::sync::Arc;

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
