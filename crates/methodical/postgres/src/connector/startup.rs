//! The start of a connection: asks for TLS, performs the handshake, and limits the time until the database is ready.
//!
//! The driver limits the TCP connection only, and its blocking client cannot be interrupted. It is therefore told to
//! expect TLS immediately, and passes the connection to [`Startup`] before it sends anything.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use ::postgres::Socket;
use ::postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::{Sleep, sleep};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The start of one connection.
#[derive(Clone)]
pub(super) struct Startup {
    client: Option<MakeRustlsConnect>,
    /// Whether a server without TLS is accepted.
    prefer: bool,
    /// Whether the server expects the TLS handshake without a question.
    direct: bool,
    limit: Duration,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    encrypted: AtomicBool,
    ended: AtomicBool,
}

impl Startup {
    /// Without `client`, the connection has no TLS.
    pub(super) fn new(
        client: Option<MakeRustlsConnect>,
        prefer: bool,
        direct: bool,
        limit: Duration,
    ) -> Self {
        Self { client, prefer, direct, limit, progress: Arc::default() }
    }

    /// Returns whether the TLS handshake was begun.
    pub(super) fn is_encrypted(&self) -> bool {
        self.progress.encrypted.load(Ordering::Acquire)
    }

    /// Ends the time limit: the database is ready.
    pub(super) fn end(&self) {
        self.progress.ended.store(true, Ordering::Release);
    }

    async fn negotiate(self, host: String, socket: Socket) -> Result<Stream, BoxError> {
        let mut socket = Limited {
            inner: socket,
            limit: self.limit,
            timer: Some(Box::pin(sleep(self.limit))),
            progress: Arc::clone(&self.progress),
        };
        let Some(mut client) = self.client else { return Ok(Stream::Plain(socket)) };
        if !self.direct {
            socket.write_all(SSL_REQUEST).await?;
            match socket.read_u8().await? {
                b'S' => {}
                b'N' if self.prefer => return Ok(Stream::Plain(socket)),
                b'N' => return Err(NO_TLS.into()),
                _ => {
                    return Err(
                        io::Error::other("the answer to the request for TLS is invalid").into()
                    );
                }
            }
        }
        self.progress.encrypted.store(true, Ordering::Release);
        let handshake = MakeTlsConnect::<Limited>::make_tls_connect(&mut client, &host)?;
        Ok(Stream::Encrypted(Box::new(handshake.connect(socket).await?)))
    }
}

impl MakeTlsConnect<Socket> for Startup {
    type Stream = Stream;
    type TlsConnect = Begun;
    type Error = BoxError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Begun, BoxError> {
        Ok(Begun { startup: self.clone(), host: host.to_owned() })
    }
}

/// A start whose TCP connection is open.
pub(super) struct Begun {
    startup: Startup,
    host: String,
}

impl TlsConnect<Socket> for Begun {
    type Stream = Stream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, BoxError>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(self.startup.negotiate(self.host, socket))
    }
}

/// A connection, with or without TLS.
pub(super) enum Stream {
    Plain(Limited),
    Encrypted(Box<<MakeRustlsConnect as MakeTlsConnect<Limited>>::Stream>),
}

impl TlsStream for Stream {
    fn channel_binding(&self) -> ChannelBinding {
        match self {
            Self::Plain(_) => ChannelBinding::none(),
            Self::Encrypted(stream) => stream.channel_binding(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// A TCP connection whose reads and writes fail after a time limit, until the start has ended.
pub(super) struct Limited {
    inner: Socket,
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    progress: Arc<Progress>,
}

impl Limited {
    /// Returns a result that is ready, or the error of the time limit.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let Some(timer) = self.timer.as_mut().filter(|_timer| result.is_pending()) else {
            return result;
        };
        if self.progress.ended.load(Ordering::Acquire) {
            self.timer = None;
            return result;
        }
        timer.as_mut().poll(context).map(|()| {
            let seconds = self.limit.as_secs_f64();
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {seconds:.1} s")))
        })
    }
}

impl AsyncRead for Limited {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.inner).poll_read(context, buffer);
        this.within(context, result)
    }
}

impl AsyncWrite for Limited {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.inner).poll_write(context, bytes);
        this.within(context, result)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(context)
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

/// The error of a server without TLS.
pub(super) const NO_TLS: &str = "server does not support TLS";

/// The message `SSLRequest` of the protocol: its length and its code.
const SSL_REQUEST: &[u8] = &[0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
