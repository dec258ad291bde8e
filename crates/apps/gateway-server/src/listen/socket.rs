//! The interface of a connection: acknowledged bytes.

use tokio::net::TcpStream;

/// A connection that knows how many bytes its peer has acknowledged.
pub(crate) trait Socket {
    /// Returns the number of bytes since the start of the connection, or `None` if the system does not report it.
    fn acknowledged(&self) -> Option<u64>;
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
}

#[cfg(feature = "tls")]
impl Socket for tokio_rustls::server::TlsStream<TcpStream> {
    fn acknowledged(&self) -> Option<u64> {
        self.get_ref().0.acknowledged()
    }
}
