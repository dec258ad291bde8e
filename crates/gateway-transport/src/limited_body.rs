//! The time limits of a body, for async adapters over clients that have none.
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::{Body, Deadline, Instant, MaybeSend, Phase, TransportError, platform};

impl Body {
    /// Applies a deadline and an idle timeout to this body: the longest time without a frame.
    ///
    /// For adapters over clients that have no time limits. `sleep_until` returns a future that ends at an instant, such
    /// as `|at| tokio::time::sleep_until(at.into())`. The clock is read before each frame, so a body that always has
    /// data ends at its deadline, too.
    ///
    /// # Errors
    ///
    /// Reading the body fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) at the first limit that it reaches.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use gateway_transport::{Body, Deadline, ErrorKind};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let deadline = Deadline::after(Duration::ZERO);
    /// let mut body = Body::from("late").with_limits(Some(deadline), Duration::from_secs(20), |at| {
    ///     tokio::time::sleep_until(at.into())
    /// });
    /// assert_eq!(body.chunk().await.unwrap_err().kind(), ErrorKind::Timeout);
    /// # }
    /// ```
    #[must_use]
    pub fn with_limits<S, F>(
        self,
        deadline: Option<Deadline>,
        idle_timeout: Duration,
        sleep_until: S,
    ) -> Self
    where
        S: Fn(Instant) -> F + MaybeSend + Unpin + 'static,
        F: Future<Output = ()> + MaybeSend + 'static,
    {
        let end = deadline.map(Deadline::instant);
        let last = platform::now();
        Self::new(Limited { body: self, end, idle_timeout, last, sleep_until, timer: None })
    }
}

/// A body with a deadline and an idle timeout.
struct Limited<S, F> {
    body: Body,
    end: Option<Instant>,
    idle_timeout: Duration,
    /// The time of the last frame.
    last: Instant,
    sleep_until: S,
    /// Ends at the next limit, or earlier: a frame moves the limit, but not the timer.
    timer: Option<Pin<Box<F>>>,
}

impl<S, F> Limited<S, F> {
    /// Returns the instant at which reading fails unless a frame arrives; `None` if it is beyond the range of the clock.
    fn limit(&self) -> Option<Instant> {
        let idle = self.last.checked_add(self.idle_timeout);
        idle.into_iter().chain(self.end).min()
    }
}

impl<S, F> HttpBody for Limited<S, F>
where
    S: Fn(Instant) -> F + Unpin,
    F: Future<Output = ()>,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = &mut *self;
        let now = platform::now();
        if this.end.is_some_and(|end| end <= now) {
            return Poll::Ready(Some(Err(TransportError::timeout(Phase::Body))));
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            this.last = now;
            return Poll::Ready(frame);
        }
        while let Some(limit) = this.limit() {
            if limit <= platform::now() {
                return Poll::Ready(Some(Err(TransportError::timeout(Phase::Body))));
            }
            let timer = this.timer.get_or_insert_with(|| Box::pin((this.sleep_until)(limit)));
            if timer.as_mut().poll(cx).is_pending() {
                break;
            }
            this.timer = None;
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use http_body::Frame;
    use tokio::time::{Instant, sleep, sleep_until};

    use super::{Context, HttpBody, Pin, Poll};
    use crate::{Body, Deadline, ErrorKind, Phase, TransportError};

    /// Sends a byte after each pause, without end.
    struct Drip {
        pause: Duration,
        next: Pin<Box<tokio::time::Sleep>>,
    }

    impl HttpBody for Drip {
        type Data = Bytes;
        type Error = TransportError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
            if self.next.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.next = Box::pin(sleep(self.pause));
            Poll::Ready(Some(Ok(Frame::data("x".into()))))
        }
    }

    /// Reads a body that drips until it fails, and returns the number of bytes before that.
    async fn read(pause: u64, deadline: Option<u64>, idle_timeout: Duration) -> usize {
        let pause = Duration::from_millis(pause);
        let body = Body::new(Drip { pause, next: Box::pin(sleep(pause)) });
        let deadline = deadline.map(|limit| Deadline::after(Duration::from_millis(limit)));
        let mut body =
            body.with_limits(deadline, idle_timeout, |at| sleep_until(Instant::from_std(at)));
        let mut bytes = 0;
        loop {
            match body.chunk().await {
                Ok(chunk) => bytes += chunk.map_or(0, |chunk| chunk.len()),
                Err(error) => {
                    assert_eq!((error.kind(), error.phase()), (ErrorKind::Timeout, Phase::Body));
                    return bytes;
                }
            }
        }
    }

    #[tokio::test]
    async fn the_length_of_a_body_is_kept() {
        let body = Body::from("late")
            .with_limits(None, Duration::from_secs(20), |at| sleep_until(at.into()));
        assert_eq!((body.size_hint().exact(), body.is_end_stream()), (Some(4), false));
    }

    #[tokio::test]
    async fn silence_ends_a_body() {
        assert_eq!(read(60_000, None, Duration::from_millis(20)).await, 0);
        assert_eq!(read(60_000, Some(20), Duration::MAX).await, 0);
    }

    #[tokio::test]
    async fn only_the_deadline_ends_a_steady_body() {
        assert!(read(5, Some(500), Duration::from_millis(200)).await > 1);
        assert!(read(0, Some(50), Duration::MAX).await > 1);
    }
}
