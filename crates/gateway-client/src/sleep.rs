//! Waiting between attempts, with and without blocking, on any runtime or none.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use self::clock::{CLOCK, Until};

mod clock;

/// Waits without blocking. It ends early when the future is dropped.
pub(crate) async fn sleep(delay: Duration) {
    // A delay that no clock can hold is none.
    if let Some(end) = Instant::now().checked_add(delay) {
        Until::new(&CLOCK, end).await;
    }
}

/// Waits for `future`, but not beyond `end`.
pub(crate) async fn before<F: Future>(end: Instant, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    // Nobody keeps the time before this is polled, and what is ready at once comes first.
    let mut timer = pin!(Until::new(&CLOCK, end));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Waits on the calling thread.
#[expect(clippy::disallowed_methods, reason = "the caller of the blocking client asked to block")]
pub(crate) fn block(delay: Duration) {
    thread::sleep(delay);
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::{Duration, Instant};

    use super::{before, sleep};

    #[test]
    fn waits_as_long_as_it_is_told() {
        let start = Instant::now();
        pollster::block_on(sleep(Duration::from_millis(20)));
        assert!(start.elapsed() >= Duration::from_millis(20));
        pollster::block_on(sleep(Duration::ZERO));
    }

    #[test]
    fn what_is_ready_comes_before_the_end() {
        let now = Instant::now();
        assert_eq!(pollster::block_on(before(now, ready(7))), Some(7));
        assert_eq!(pollster::block_on(before(now, pending::<u8>())), None);
    }
}
