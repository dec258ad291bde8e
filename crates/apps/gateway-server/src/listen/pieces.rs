//! Pieces of files in a response, which the system sends without a copy through this process.
//!
//! The HTTP library only sends bytes. So a body passes on a placeholder of the same length for each piece. The library
//! does not read it, and when it writes it, the guard of the connection sends the piece. A placeholder is recognised by
//! its address.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Poll, ready};

use bytes::Bytes;

use crate::lock::lock;

/// A file that the system can send.
pub(crate) trait SentFile: fmt::Debug + Send + Sync {
    /// Sends at most `length` bytes from `offset`, and returns how many.
    fn send(&self, socket: BorrowedFd<'_>, offset: u64, length: usize) -> io::Result<usize>;
}

/// A part of a file.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) file: Arc<dyn SentFile>,
    pub(crate) offset: u64,
    /// Number of bytes, at most [`MAX_PIECE`].
    pub(crate) length: usize,
    /// Whether the response ends with it.
    pub(crate) is_last: bool,
}

/// The result of sending a part of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) bytes: usize,
    /// Whether these were the last bytes of the response.
    pub(super) is_end: bool,
}

impl Piece {
    /// Sends bytes from the start of the piece, and returns how many.
    pub(super) fn send(&self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        match self.file.send(socket, self.offset, self.length) {
            // The file is shorter than it was.
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            sent => sent,
        }
    }
}

/// The pieces that a connection has to send, in their order.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Mutex<VecDeque<Piece>>);

impl Pieces {
    /// Adds a piece, and returns bytes in its place.
    pub(crate) fn add(&self, piece: Piece) -> Bytes {
        let placeholder = PLACEHOLDER.slice(..piece.length.min(MAX_PIECE));
        lock(&self.0).push_back(piece);
        placeholder
    }

    /// Sends a part of the first piece with `poll`, which returns the number of bytes that it has sent.
    pub(super) fn poll_send(
        &self,
        poll: impl FnOnce(&Piece) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<Sent>> {
        let mut pieces = lock(&self.0);
        let Some(piece) = pieces.front_mut() else {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        };
        let bytes = ready!(poll(piece))?;
        piece.offset += bytes as u64;
        piece.length = piece.length.saturating_sub(bytes);
        let is_end = piece.length == 0 && piece.is_last;
        if piece.length == 0 {
            pieces.pop_front();
        }
        Poll::Ready(Ok(Sent { bytes, is_end }))
    }
}

/// Returns how many slices come before the first placeholder.
pub(super) fn before_placeholder(slices: &[IoSlice<'_>]) -> usize {
    slices.iter().position(|slice| is_placeholder(slice)).unwrap_or(slices.len())
}

/// Returns whether bytes are a part of a placeholder.
pub(super) fn is_placeholder(bytes: &[u8]) -> bool {
    PLACEHOLDER.as_ptr_range().contains(&bytes.as_ptr())
}

/// Maximum length of a piece, in bytes.
pub(crate) const MAX_PIECE: usize = 1024 * 1024;

/// Never sent. A client would see that it is not JSON. Never read either, so that the system reserves no memory for it.
static PLACEHOLDER: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(vec![0; MAX_PIECE]));

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct NoFile;

    impl SentFile for NoFile {
        fn send(&self, _: BorrowedFd<'_>, _: u64, _: usize) -> io::Result<usize> {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    #[test]
    fn a_placeholder_is_recognised_and_its_piece_is_sent_in_parts() {
        let pieces = Pieces::default();
        let [first, second] = [(10, false), (7, true)].map(|(length, is_last)| {
            pieces.add(Piece { file: Arc::new(NoFile), offset: 5, length, is_last })
        });
        assert_eq!((first.len(), second.len()), (10, 7));
        let head = [0; 10];
        let slices = [&head[..], &first[..], &head[..]].map(IoSlice::new);
        assert_eq!(before_placeholder(&slices), 1);
        assert_eq!(before_placeholder(&slices[1..]), 0);
        assert_eq!(before_placeholder(&slices[2..]), 1);
        assert!(is_placeholder(&first[9..]) && !is_placeholder(&head));
        let send = |most: usize| {
            let mut found = None;
            let sent = pieces.poll_send(|piece| {
                found = Some((piece.offset, piece.length));
                Poll::Ready(Ok(piece.length.min(most)))
            });
            let Poll::Ready(sent) = sent else { panic!("the piece was not sent") };
            (found, sent.map_err(|error| error.kind()))
        };
        let of = |bytes, is_end| Ok(Sent { bytes, is_end });
        assert_eq!(send(4), (Some((5, 10)), of(4, false)));
        assert_eq!(send(100), (Some((9, 6)), of(6, false)));
        assert!(pieces.poll_send(|_piece| Poll::Pending).is_pending());
        assert_eq!(send(4), (Some((5, 7)), of(4, false)));
        assert_eq!(send(100), (Some((9, 3)), of(3, true)));
        assert_eq!(send(100), (None, Err(io::ErrorKind::InvalidData)));
    }
}
