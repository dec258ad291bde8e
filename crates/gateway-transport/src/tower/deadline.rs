//! Enforces a deadline on exchanges whose client does not know it.
use std::time::Duration;

use http_body::Body as _;

use crate::timer::{sleep_until, timeout_at};
use crate::{Body, Deadline, Phase, TransportError};

/// Runs `exchange` until the head's deadline.
pub(super) async fn head_within<T>(
    deadline: Option<Deadline>,
    exchange: impl Future<Output = Result<T, TransportError>>,
) -> Result<T, TransportError> {
    let Some(deadline) = deadline else { return exchange.await };
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    crate::runtime::current_runtime()?;
    let outcome = timeout_at(deadline.head(), exchange).await;
    outcome.unwrap_or_else(|| Err(TransportError::timeout(Phase::Head)))
}

/// Wraps `body` so that it fails at the deadline.
pub(super) fn body_within(deadline: Option<Deadline>, body: Body) -> Body {
    // A complete body needs no timer.
    if deadline.is_none() || body.is_end_stream() {
        return body;
    }
    body.with_limits(deadline, Duration::MAX, sleep_until)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::body_within;
    use crate::{Body, Deadline};

    #[tokio::test]
    async fn a_complete_body_can_be_read_after_the_deadline() {
        let body = body_within(Some(Deadline::after(Duration::ZERO)), Body::default());
        assert_eq!(body.collect(1).await.unwrap(), "");
    }
}
