//! What takes a tokio runtime: to know which one, and to stop at a deadline.
use tokio::runtime::Handle;

use crate::{ErrorKind, Sent, TransportError};

/// The runtime that polls this, or a typed error in place of tokio's panic.
pub(crate) fn current_runtime() -> Result<Handle, TransportError> {
    Handle::try_current().map_err(|error| {
        TransportError::new(ErrorKind::Other, "this transport needs a running tokio runtime")
            .with_sent(Sent::No)
            .with_source(error)
    })
}

#[cfg(feature = "tower")]
pub(crate) use self::limit::{limited, limited_body};

#[cfg(feature = "tower")]
mod limit {
    //! A deadline for exchanges whose client knows none.
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http_body::{Body as HttpBody, Frame, SizeHint};
    use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

    use super::current_runtime;
    use crate::{Body, Deadline, Phase, TransportError};

    /// Runs `exchange` until the deadline of the head.
    pub(crate) async fn limited<T>(
        deadline: Option<Deadline>,
        exchange: impl Future<Output = Result<T, TransportError>>,
    ) -> Result<T, TransportError> {
        let Some(deadline) = deadline else { return exchange.await };
        current_runtime()?;
        timeout_at(Instant::from_std(deadline.head()), exchange)
            .await
            .unwrap_or_else(|_| Err(TransportError::timeout(Phase::Head)))
    }

    /// Receives `body` until the deadline.
    pub(crate) fn limited_body(body: Body, deadline: Option<Deadline>) -> Body {
        match deadline {
            // A body that is already here has no time to lose.
            Some(deadline) if !body.is_end_stream() => {
                let at = Instant::from_std(deadline.instant());
                Body::new(LimitedBody { body, end: Box::pin(sleep_until(at)) })
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
            // The clock first, and not only the timer, which the runtime serves in between: a body that always has
            // something ready must end, too.
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
}
