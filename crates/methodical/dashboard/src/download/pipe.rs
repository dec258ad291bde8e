//! A pipe from the thread that writes a download to the connection that sends it.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Creates a pipe that holds a few pieces. A writer waits until they are sent.
pub(crate) fn pipe() -> (Sink, Pieces) {
    let (sender, receiver) = channel(WAITING);
    (Sink { sender, piece: Vec::with_capacity(PIECE) }, Pieces { receiver, has_ended: false })
}

/// The end that is written to. Unless it is [finished](Self::finish), the reader gets an error, also after a panic.
pub(crate) struct Sink {
    sender: Sender<Piece>,
    piece: Vec<u8>,
}

enum Piece {
    Bytes(Bytes),
    End,
}

impl Sink {
    /// Returns whether the reader is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends the rest, and that it is complete.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.send()?;
        self.sender.blocking_send(Piece::End).map_err(|_gone| io::ErrorKind::BrokenPipe.into())
    }

    fn send(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let sent = self.sender.blocking_send(Piece::Bytes(Bytes::from(piece)));
        sent.map_err(|_gone| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}

/// The end that is sent.
pub(crate) struct Pieces {
    receiver: Receiver<Piece>,
    has_ended: bool,
}

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let piece = ready!(self.receiver.poll_recv(context));
        self.has_ended = !matches!(piece, Some(Piece::Bytes(_)));
        Poll::Ready(match piece {
            Some(Piece::Bytes(bytes)) => Some(Ok(bytes)),
            Some(Piece::End) => None,
            None => Some(Err(io::Error::other("the download was interrupted"))),
        })
    }
}

/// Size of a piece, in bytes.
const PIECE: usize = 64 * 1024;

/// Maximum number of pieces that wait.
const WAITING: usize = 4;
