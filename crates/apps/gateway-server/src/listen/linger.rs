//! Reading and discarding what a refused client still sends.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// The reads between a refusal and the close of its connection.
///
/// Closing immediately would reset the connection, and the client might never see the response (RFC 9112 section 9.6).
pub(super) struct Linger {
    left: usize,
    until: Pin<Box<Sleep>>,
}

impl Linger {
    pub(super) fn begin() -> Self {
        Self { left: MAX_BYTES, until: Box::pin(sleep_until(Instant::now() + MAX_TIME)) }
    }

    /// Completes when the client has closed its side, or has sent too many bytes or taken too long.
    pub(super) fn poll<S: AsyncRead + Unpin>(
        &mut self,
        socket: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let mut space = [std::mem::MaybeUninit::uninit(); READ];
        while self.left > 0 {
            let mut space = ReadBuf::uninit(&mut space);
            match Pin::new(&mut *socket).poll_read(context, &mut space) {
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {
                    self.left = self.left.saturating_sub(space.filled().len());
                }
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(self.until.as_mut().poll(context));
                    break;
                }
            }
        }
        Poll::Ready(())
    }
}

/// Maximum number of bytes in one read.
const READ: usize = 4 * 1024;

/// Maximum time of reading.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Maximum number of bytes read.
const MAX_BYTES: usize = 4 * 1024 * 1024;
