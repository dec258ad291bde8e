//! The writing half of a guard: bytes, pieces of files, and the timeouts of a response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use crate::listen::guard::{Closing, Guard, PARK, Reading};
use crate::listen::linger::Linger;
use crate::listen::pieces::{before_placeholder, is_placeholder};
use crate::listen::socket::Socket;
use crate::listen::stall::Stall;
use crate::listen::state::Cut;

impl<S: Socket + AsyncRead + AsyncWrite + Unpin> Guard<S> {
    /// Sends a part of the next piece of a file.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // Packets that are not full at the end of each part would cost a quarter of the rate.
        self.cork(true);
        let Self { socket, state, .. } = self;
        let sent = match state.pieces() {
            Some(pieces) => ready!(pieces.poll_send(|piece| socket.poll_piece(context, piece))),
            None => Err(io::ErrorKind::Unsupported.into()),
        };
        match &sent {
            Ok(sent) if sent.is_end => self.cork(false),
            Err(error) if !is_of_client(error) => self.state.cut_by(Cut::File),
            _ => {}
        }
        Poll::Ready(sent.map(|sent| sent.bytes))
    }

    fn cork(&mut self, corked: bool) {
        if std::mem::replace(&mut self.is_corked, corked) != corked {
            self.socket.cork(corked);
        }
    }

    /// Fails a write that stalls. A write that succeeds restarts the deadline of reading.
    fn poll_written(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if matches!(result, Poll::Ready(Ok(1..))) {
            self.restart_deadline();
        }
        self.poll_progress(context, result)
    }

    /// Restarts the deadline of reading: time spent on a response does not count as idle, or against the next head.
    fn restart_deadline(&mut self) {
        let timeout = if self.reading == Reading::Head { self.timeouts.head } else { PARK };
        self.deadline = Instant::now() + timeout;
    }

    /// Fails a pending write when the client acknowledges nothing for too long, or when the whole response takes too
    /// long.
    ///
    /// A ready result alone does not restart the deadline of reading: the library flushes whenever it is polled, which
    /// happens with every byte that arrives.
    fn poll_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            if self.stall.take().is_some() {
                self.restart_deadline();
            }
            return result;
        }
        let Self { socket, state, timeouts, stall, .. } = self;
        let deadline = state.response_began().map(|began| began + timeouts.response);
        let stall = stall.get_or_insert_with(|| Stall::begin(socket, timeouts.stall, deadline));
        let cut = ready!(stall.poll(context, socket, timeouts.stall, deadline));
        state.cut_by(cut);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: Socket + AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guard<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = if is_placeholder(bytes) {
            this.poll_piece(context)
        } else {
            this.cork(false);
            Pin::new(&mut this.socket).poll_write(context, bytes)
        };
        this.poll_written(context, result)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let bytes = slices.get(..before_placeholder(slices)).unwrap_or(slices);
        let result = if bytes.is_empty() && !slices.is_empty() {
            this.poll_piece(context)
        } else {
            this.cork(false);
            Pin::new(&mut this.socket).poll_write_vectored(context, bytes)
        };
        this.poll_written(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_flush(context);
        this.poll_progress(context, result)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if matches!(this.closing, Closing::No) {
            let result = Pin::new(&mut this.socket).poll_shutdown(context);
            ready!(this.poll_progress(context, result))?;
            this.closing =
                if this.refused { Closing::Lingering(Linger::begin()) } else { Closing::Done };
        }
        if let Closing::Lingering(linger) = &mut this.closing {
            ready!(linger.poll(&mut this.socket, context));
            this.closing = Closing::Done;
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns whether an error of a write says that the client is gone.
fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, HostUnreachable, NetworkUnreachable,
        NotConnected, TimedOut,
    };
    matches!(
        error.kind(),
        BrokenPipe
            | ConnectionAborted
            | ConnectionReset
            | HostUnreachable
            | NetworkUnreachable
            | NotConnected
            | TimedOut
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::BorrowedFd;
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use rustix::net::sockopt::tcp_cork;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::listen::guard::Timeouts;
    use crate::listen::head::HeadLimits;
    use crate::listen::pieces::{Piece, SentFile};
    use crate::listen::state::ConnectionState;

    #[derive(Debug)]
    struct Sent(File);

    impl SentFile for Sent {
        fn send(&self, socket: BorrowedFd<'_>, offset: u64, length: usize) -> io::Result<usize> {
            let mut offset = offset;
            Ok(rustix::fs::sendfile(socket, &self.0, Some(&mut offset), length)?)
        }
    }

    #[tokio::test]
    async fn incomplete_packets_are_only_held_back_between_pieces() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"onetwothree").unwrap();
        let file: Arc<dyn SentFile> = Arc::new(Sent(file));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (socket, peer) = listener.accept().await.unwrap();
        let timeout = Duration::from_secs(20);
        let timeouts = Timeouts { head: timeout, idle: timeout, stall: timeout, response: timeout };
        let state = Arc::new(ConnectionState::new(peer.ip()).with_pieces());
        let mut guard = Guard::new(socket, HeadLimits::default(), timeouts, Arc::clone(&state));
        let piece = |offset, length, is_last| {
            let file = Arc::clone(&file);
            state.pieces().unwrap().add(Piece { file, offset, length, is_last })
        };
        let is_corked = |guard: &Guard<TcpStream>| tcp_cork(&guard.socket).unwrap();

        guard.write_all(&piece(0, 3, false)).await.unwrap();
        assert!(is_corked(&guard));
        guard.write_all(&piece(3, 3, false)).await.unwrap();
        assert!(is_corked(&guard));
        // A piece that is not in memory is read instead.
        guard.write_all(&Bytes::from_static(b"+")).await.unwrap();
        assert!(!is_corked(&guard));
        guard.write_all(&piece(6, 5, true)).await.unwrap();
        assert!(!is_corked(&guard));
        drop(guard);
        let mut received = String::new();
        tokio::time::timeout(timeout, client.read_to_string(&mut received)).await.unwrap().unwrap();
        assert_eq!(received, "onetwo+three");
    }
}
