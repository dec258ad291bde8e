//! The writing half of a guard, with the timeouts of a response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use crate::listen::guard::{Closing, Guard, PARK, Reading};
use crate::listen::linger::Linger;
use crate::listen::socket::Socket;
use crate::listen::stall::Stall;

impl<S: Socket + AsyncRead + AsyncWrite + Unpin> Guard<S> {
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
        let result = Pin::new(&mut this.socket).poll_write(context, bytes);
        this.poll_written(context, result)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write_vectored(context, slices);
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
