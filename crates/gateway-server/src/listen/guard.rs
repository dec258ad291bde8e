//! The connection between the socket and the HTTP library: lets whole, well-formed heads through, and watches the clock.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::listen::head::{self, HeadLimits, Refusal};
use crate::listen::verdicts::Verdicts;

/// How long a connection may take for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// From the first byte of a head to its last.
    pub(crate) head: Duration,
    /// Between two requests, and before the first.
    pub(crate) idle: Duration,
    /// A write during which the client takes not one byte.
    pub(crate) stall: Duration,
    /// From where an answer begins until its last byte was taken.
    pub(crate) answer: Duration,
}

/// A socket as the HTTP library sees it.
///
/// In place of a head that is refused the library gets [`STAND_IN`], so that the answer is written by the same code
/// and in the same order as every other; after it nothing more is read.
pub(crate) struct Guard<S> {
    socket: S,
    limits: HeadLimits,
    patience: Patience,
    verdicts: Arc<Verdicts>,
    /// What has arrived and was not given to the library; the first `passed` bytes may be.
    buffer: Vec<u8>,
    passed: usize,
    /// How many heads were let through.
    heads: u64,
    refused: bool,
    skipped_empty_line: bool,
    /// When reading becomes too late. The timer is made when it is first waited for.
    deadline: Instant,
    phase: Phase,
    timer: Option<Pin<Box<Sleep>>>,
    stall: Option<Pin<Box<Sleep>>>,
    linger: Linger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Between two requests, or in the middle of an answer.
    Between,
    /// In the middle of a head.
    Head,
    /// The library was told that the client is gone, and it is only silent.
    Parked,
}

enum Linger {
    No,
    Draining { left: usize, until: Pin<Box<Sleep>> },
    Done,
}

impl<S> Guard<S> {
    pub(crate) fn new(
        socket: S,
        limits: HeadLimits,
        patience: Patience,
        verdicts: Arc<Verdicts>,
    ) -> Self {
        Self {
            socket,
            limits,
            patience,
            verdicts,
            buffer: Vec::new(),
            passed: 0,
            heads: 0,
            refused: false,
            skipped_empty_line: false,
            deadline: Instant::now() + patience.idle,
            phase: Phase::Between,
            timer: None,
            stall: None,
            linger: Linger::No,
        }
    }

    /// Begins with a refusal: the first answer says why, and nothing is read.
    pub(crate) fn refuse(mut self, refusal: Refusal) -> Self {
        self.stand_in(refusal);
        self
    }

    /// Lets as much through as may be, and refuses what must be.
    fn judge(&mut self) {
        if self.refused || self.passed > 0 {
            return;
        }
        if !self.skipped_empty_line {
            match head::skip_empty_line(&self.buffer) {
                ControlFlow::Break(()) => return,
                ControlFlow::Continue(length) => {
                    self.buffer.drain(..length);
                    self.skipped_empty_line = true;
                    if self.buffer.is_empty() {
                        // The end of what was before, and not the beginning of a head: its clock stops.
                        self.buffer = Vec::new();
                        self.phase = Phase::Between;
                        self.deadline = Instant::now() + PARK;
                        return;
                    }
                }
            }
        }
        match head::complete(&self.buffer, self.limits) {
            Ok(None) => {}
            Ok(Some(length)) => {
                let head = self.buffer.get(..length).unwrap_or_default();
                match head::check(head, self.limits) {
                    Ok(()) => self.pass(length),
                    Err(Refusal::Body) => {
                        self.verdicts.set(self.heads, Refusal::Body);
                        self.pass(length);
                        self.buffer.truncate(length);
                        self.refused = true;
                    }
                    Err(refusal) => self.stand_in(refusal),
                }
            }
            Err(refusal) => self.stand_in(refusal),
        }
    }

    fn pass(&mut self, length: usize) {
        self.passed = length;
        self.heads += 1;
        self.phase = Phase::Between;
        self.skipped_empty_line = false;
        self.deadline = Instant::now() + PARK;
    }

    fn begin_head(&mut self) {
        self.phase = Phase::Head;
        self.deadline = Instant::now() + self.patience.head;
    }

    /// Tells whether the library ended only because the guard let it, and may be started again.
    pub(crate) fn is_parked(&self) -> bool {
        self.phase == Phase::Parked
    }

    fn stand_in(&mut self, refusal: Refusal) {
        self.verdicts.set(self.heads, refusal);
        self.buffer.clear();
        self.buffer.extend_from_slice(STAND_IN);
        self.pass(STAND_IN.len());
        self.refused = true;
    }

    /// Completes when reading has taken too long.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(context)
    }

    fn give(&mut self, out: &mut ReadBuf<'_>) {
        let length = self.passed.min(out.remaining());
        out.put_slice(self.buffer.get(..length).unwrap_or_default());
        self.passed -= length;
        self.buffer.drain(..length);
        if self.buffer.is_empty() {
            // An idle connection holds no buffer.
            self.buffer = Vec::new();
        } else if self.passed == 0 {
            self.begin_head();
        }
    }
}

impl<S: AsyncRead + Unpin> Guard<S> {
    /// Waits, outside the library, for the first byte of a request. Gives false when none will come.
    pub(crate) fn poll_spoken_to(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if self.phase == Phase::Parked {
            self.phase = Phase::Between;
            self.deadline = Instant::now() + self.patience.idle;
        }
        if self.buffer.is_empty() {
            return match self.poll_fill(context) {
                Poll::Ready(filled) => Poll::Ready(filled.is_ok_and(|length| length > 0)),
                // Idle for too long: closed without a word, as is usual.
                Poll::Pending => self.poll_late(context).map(|()| false),
            };
        }
        Poll::Ready(true)
    }

    /// Reads what has arrived. The clock of a head starts with its first byte.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut space = [std::mem::MaybeUninit::uninit(); READ];
        let mut space = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.socket).poll_read(context, &mut space))?;
        let length = space.filled().len();
        if length > 0 && self.phase != Phase::Head {
            self.begin_head();
        }
        self.buffer.extend_from_slice(space.filled());
        Poll::Ready(Ok(length))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guard<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            this.judge();
            if this.passed > 0 {
                this.give(out);
                return Poll::Ready(Ok(()));
            }
            if this.refused {
                // The answer says `Connection: close`; whatever still comes is nobody's request.
                return Poll::Pending;
            }
            match this.poll_fill(context) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    ready!(this.poll_late(context));
                    let writing = this.stall.is_some();
                    if this.phase == Phase::Head && !writing {
                        this.stand_in(Refusal::Timeout);
                    } else if writing || this.verdicts.is_answering() {
                        this.deadline = Instant::now() + LOOK_AGAIN;
                    } else {
                        // As if the client had gone: the library ends and frees its buffers.
                        this.phase = Phase::Parked;
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Guard<S> {
    /// Fails a write during which the client took nothing for too long.
    fn poll_written(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if matches!(result, Poll::Ready(Ok(1..))) {
            self.reading_resumes();
        }
        self.poll_progress(context, result)
    }

    /// Time spent on an answer is not time the client was idle, or slow with its next head.
    fn reading_resumes(&mut self) {
        let patience = if self.phase == Phase::Head { self.patience.head } else { PARK };
        self.deadline = Instant::now() + patience;
    }

    /// Fails what waits for a client that takes nothing for too long, or a little at a time for much too long.
    ///
    /// That something is ready says nothing: the library flushes whenever it is polled, which is with every byte that
    /// arrives.
    fn poll_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            if self.stall.take().is_some() {
                self.reading_resumes();
            }
            return result;
        }
        let Self { verdicts, patience, stall, .. } = self;
        let stalled = || {
            let stalled = Instant::now() + patience.stall;
            verdicts.began().map_or(stalled, |began| stalled.min(began + patience.answer))
        };
        let timer = stall.get_or_insert_with(|| Box::pin(sleep_until(stalled())));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Reads and drops what a refused client still sends: closing at once would reset the connection, and the client
    /// would never see the answer (RFC 9112 section 9.6).
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Linger::Draining { left, until } = &mut self.linger else { return Poll::Ready(()) };
        let mut space = [std::mem::MaybeUninit::uninit(); READ];
        while *left > 0 {
            let mut space = ReadBuf::uninit(&mut space);
            match Pin::new(&mut self.socket).poll_read(context, &mut space) {
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {
                    *left = left.saturating_sub(space.filled().len());
                }
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(until.as_mut().poll(context));
                    break;
                }
            }
        }
        self.linger = Linger::Done;
        Poll::Ready(())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guard<S> {
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
        if matches!(this.linger, Linger::No) {
            let result = Pin::new(&mut this.socket).poll_shutdown(context);
            ready!(this.poll_progress(context, result))?;
            this.linger = if this.refused {
                let until = Box::pin(sleep_until(Instant::now() + LINGER));
                Linger::Draining { left: MOST_DRAINED, until }
            } else {
                Linger::Done
            };
        }
        ready!(this.poll_drain(context));
        Poll::Ready(Ok(()))
    }
}

impl<S> fmt::Debug for Guard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("heads", &self.heads).finish_non_exhaustive()
    }
}

/// What the library reads in place of a head that was refused.
const STAND_IN: &[u8] = b"GET / HTTP/1.1\r\nhost: refused\r\nconnection: close\r\n\r\n";

/// A connection that is silent for so long after an answer is taken from the library, whose buffers are most of what it
/// costs. Short, as clients that ask again do so at once or after long; starting the library again takes microseconds.
const PARK: Duration = Duration::from_millis(10);

/// While an answer is on its way there is nothing to park.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// So much is read from the socket at once.
const READ: usize = 4 * 1024;

/// So long, and so much, is read from a client that was refused.
const LINGER: Duration = Duration::from_secs(2);
const MOST_DRAINED: usize = 4 * 1024 * 1024;
