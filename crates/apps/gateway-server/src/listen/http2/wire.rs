//! The layer between the socket and the HTTP/2 library: enforces the timeouts and limits that the library does not have.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use h2::Reason;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::listen::guard::Timeouts;
use crate::listen::http2::frames::Frames;
use crate::listen::http2::signs::Signs;
use crate::listen::linger::Linger;
use crate::listen::socket::Socket;
use crate::listen::stall::{LOOKS, Stall};
use crate::listen::state::ConnectionState;

/// A socket as the HTTP/2 library sees it.
pub(super) struct Wire<S> {
    socket: S,
    /// Bytes that arrived before the protocol was known.
    early: Vec<u8>,
    timeouts: Timeouts,
    state: Arc<ConnectionState>,
    signs: Arc<Signs>,
    frames: Frames,
    sent: u64,
    /// Bytes that the client had acknowledged at the last look.
    acknowledged: Option<u64>,
    next_look: Instant,
    /// Waits for the end of a frame or header block that is not complete.
    timer: Option<Pin<Box<Sleep>>>,
    /// Runs while a write makes no progress.
    stall: Option<Stall>,
    linger: Option<Linger>,
}

impl<S> Wire<S> {
    pub(super) fn new(
        socket: S,
        early: Vec<u8>,
        timeouts: Timeouts,
        state: Arc<ConnectionState>,
        signs: Arc<Signs>,
    ) -> Self {
        Self {
            socket,
            early,
            timeouts,
            state,
            signs,
            frames: Frames::new(),
            sent: 0,
            acknowledged: None,
            next_look: Instant::now(),
            timer: None,
            stall: None,
            linger: None,
        }
    }

    /// Reports a frame or header block that has not ended within the timeout of a head.
    fn poll_head(&mut self, context: &mut Context<'_>) {
        let Some(began) = self.frames.began() else { return };
        let deadline = began + self.timeouts.head;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        if timer.as_mut().poll(context).is_ready() {
            self.signs.violated(Reason::ENHANCE_YOUR_CALM);
        }
    }
}

impl<S: Socket + AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = out.filled().len();
        if this.early.is_empty() {
            let read = Pin::new(&mut this.socket).poll_read(context, out);
            if read.is_pending() {
                this.poll_head(context);
                this.look();
            }
            ready!(read)?;
        } else {
            let length = this.early.len().min(out.remaining());
            out.put_slice(this.early.get(..length).unwrap_or_default());
            this.early.drain(..length);
        }
        let new = out.filled().get(before..).unwrap_or_default();
        if !new.is_empty() {
            this.signs.hear(Instant::now());
        }
        this.frames.read(new);
        if let Some(reason) = this.frames.violation(this.sent) {
            this.signs.violated(reason);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> Wire<S> {
    /// Looks from time to time whether the client acknowledges what it was sent.
    ///
    /// Its answer to a ping may wait behind megabytes in the buffers of the system.
    fn look(&mut self) {
        let now = Instant::now();
        if now < self.next_look {
            return;
        }
        self.next_look = now + self.timeouts.stall / LOOKS;
        let before = std::mem::replace(&mut self.acknowledged, self.socket.acknowledged());
        // Where the system does not report it, silence shows nothing.
        let is_alive = match (before, self.acknowledged) {
            (Some(before), Some(after)) => after.saturating_sub(before) > MORE_THAN_A_PING,
            _ => true,
        };
        if is_alive {
            self.signs.hear(now);
        }
    }

    /// Fails a write when the client acknowledges nothing for too long.
    fn poll_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        self.signs.set_blocked(result.is_pending());
        if result.is_ready() {
            self.stall = None;
            return result;
        }
        let Self { socket, timeouts, stall, .. } = self;
        let stall = stall.get_or_insert_with(|| Stall::begin(socket, timeouts.stall, None));
        let cut = ready!(stall.poll(context, socket, timeouts.stall, None));
        self.state.cut_by(cut);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_written(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(length)) = result {
            self.sent += length as u64;
        }
        self.poll_progress(context, result)
    }
}

impl<S: Socket + AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
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
        if this.linger.is_none() {
            let result = Pin::new(&mut this.socket).poll_shutdown(context);
            ready!(this.poll_progress(context, result))?;
        }
        if this.signs.is_draining() {
            return Poll::Ready(Ok(()));
        }
        let linger = this.linger.get_or_insert_with(Linger::begin);
        linger.poll(&mut this.socket, context).map(Ok)
    }
}

impl<S> fmt::Debug for Wire<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("frames", &self.frames).finish_non_exhaustive()
    }
}

/// Acknowledged bytes that show more than that the system of the client has received a ping.
const MORE_THAN_A_PING: u64 = 64;
