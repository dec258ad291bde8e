//! Enforces a deadline on exchanges whose client does not know it.
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use crate::runtime::current_runtime;
use crate::{Body, Deadline, Phase, TransportError};

/// Runs `exchange` until the head's deadline.
pub(super) async fn head_within<T>(
    deadline: Option<Deadline>,
    exchange: impl Future<Output = Result<T, TransportError>>,
) -> Result<T, TransportError> {
    let Some(deadline) = deadline else { return exchange.await };
    current_runtime()?;
    timeout_at(Instant::from_std(deadline.head()), exchange)
        .await
        .unwrap_or_else(|_| Err(TransportError::timeout(Phase::Head)))
}

/// Wraps `body` so that it fails at the deadline.
pub(super) fn body_within(deadline: Option<Deadline>, body: Body) -> Body {
    match deadline {
        // A complete body needs no timer.
        Some(deadline) if !body.is_end_stream() => {
            let end = sleep_until(Instant::from_std(deadline.instant()));
            Body::new(LimitedBody { body, end: Box::pin(end) })
        }
        _ => body,
    }
}

struct LimitedBody {
    body: Body,
    end: Pin<Box<Sleep>>,
}

impl HttpBody for LimitedBody {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        // Compare with the clock first. The runtime serves the timer only between polls, so a body that is always ready
        // would never see it fire.
        let end = self.end.as_mut();
        if end.deadline() <= Instant::now() || end.poll(cx).is_ready() {
            self.body = Body::empty();
            return Poll::Ready(Some(Err(TransportError::timeout(Phase::Body))));
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
