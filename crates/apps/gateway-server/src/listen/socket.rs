//! The interface of a connection: acknowledged bytes, and pieces of files.

use std::io;
use std::task::{Context, Poll};

use tokio::net::TcpStream;

use crate::listen::pieces::Piece;

/// A connection that knows how many bytes its peer has acknowledged.
pub(crate) trait Socket {
    /// Returns the number of bytes since the start of the connection, or `None` if the system does not report it.
    fn acknowledged(&self) -> Option<u64>;

    /// Sends a part of a piece of a file, and returns its length. Fails if the bytes must be encrypted first.
    fn poll_piece(&mut self, _: &mut Context<'_>, _: &Piece) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::Unsupported.into()))
    }

    /// Sets whether the system holds back the last bytes of each piece, to send them in one packet with the next ones.
    fn cork(&self, _: bool) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use nix::{getsockopt_impl, sockopt_impl};

    // The `unsafe` call is in the macro of nix. The type is sound: all bytes are valid integers.
    sockopt_impl!(
        /// The first 128 bytes of `struct tcp_info`, which Linux 4.1 and later have.
        TcpInfo,
        GetOnly,
        libc::IPPROTO_TCP,
        libc::TCP_INFO,
        [u64; 16]
    );
}

impl Socket for TcpStream {
    #[cfg(target_os = "linux")]
    fn acknowledged(&self) -> Option<u64> {
        // `tcpi_bytes_acked` is the last of these fields.
        let info = nix::sys::socket::getsockopt(self, linux::TcpInfo).ok()?;
        info.last().copied()
    }

    #[cfg(not(target_os = "linux"))]
    fn acknowledged(&self) -> Option<u64> {
        None
    }

    fn poll_piece(&mut self, context: &mut Context<'_>, piece: &Piece) -> Poll<io::Result<usize>> {
        use std::os::fd::AsFd as _;

        loop {
            std::task::ready!(self.poll_write_ready(context))?;
            match self.try_io(tokio::io::Interest::WRITABLE, || piece.send(self.as_fd())) {
                Err(error) if is_temporary(&error) => {}
                sent => return Poll::Ready(sent),
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn cork(&self, corked: bool) {
        // Without it, the response only needs more packets.
        rustix::net::sockopt::set_tcp_cork(self, corked).unwrap_or_default();
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(feature = "tls")]
impl Socket for tokio_rustls::server::TlsStream<TcpStream> {
    fn acknowledged(&self) -> Option<u64> {
        self.get_ref().0.acknowledged()
    }
}
