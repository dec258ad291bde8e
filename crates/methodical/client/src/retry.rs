//! The delays between the attempts of a call, and the retry budget shared by all calls.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How failed attempts are retried. [`ClientBuilder::retry`](crate::ClientBuilder::retry) sets this policy.
///
/// A client retries every GET, and every POST that the spec marks as idempotent. It retries any other POST only if the
/// request was not sent, because the service may otherwise have executed it. After status 401, it also repeats such a
/// POST once, with a new token, because the service did not execute it.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use methodical_client::RetryPolicy;
///
/// let patient = RetryPolicy::default().max_attempts(5).base_delay(Duration::from_secs(1));
/// let once = RetryPolicy::never();
/// # let _ = (patient, once);
/// ```
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    max_attempts: u32,
    base_delay: Duration,
}

impl RetryPolicy {
    /// Returns a policy without retries, except the one with a new token after status 401.
    pub fn never() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets the maximum number of attempts per call, including the first. Default: 3. A value below 1 counts as 1. The
    /// attempt with a new token after status 401 does not count.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Sets the maximum wait before the second attempt. The maximum doubles before each further attempt, up to 5 s.
    /// Default: 200 ms. With zero, the client does not wait unless the service asks for it.
    ///
    /// The actual wait is random, between zero and the maximum (full jitter), so that clients do not retry in lockstep.
    #[must_use]
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Returns how long to wait before the next attempt, or `None` to give up.
    ///
    /// `asked` is the minimum wait requested by the service, `attempt` counts from 1, `left` is the time left for the
    /// call, and `random` is between 0 and 1.
    pub(crate) fn delay(
        &self,
        asked: Option<Duration>,
        attempt: u32,
        left: Duration,
        random: f64,
    ) -> Option<Duration> {
        if attempt >= self.max_attempts || asked > Some(MAX_RETRY_AFTER) {
            return None;
        }
        let doublings = attempt.saturating_sub(1).min(MAX_DOUBLINGS);
        let ceiling = self.base_delay.saturating_mul(1 << doublings).min(MAX_DELAY);
        let delay = match asked {
            // The wait requested by the service is a minimum.
            Some(floor) => floor.saturating_add(self.base_delay.mul_f64(random)),
            None => ceiling.mul_f64(random),
        };
        (delay < left).then_some(delay)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: MAX_ATTEMPTS, base_delay: BASE_DELAY }
    }
}

/// Default maximum number of attempts per call.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// Default maximum wait before the second attempt.
pub(crate) const BASE_DELAY: Duration = Duration::from_millis(200);

/// Upper limit of the doubled wait.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(5);

/// Longest `Retry-After` that the client waits for. If the service asks for more, the client does not retry.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Maximum number of doublings. It keeps the factor within 32 bits, and leads far beyond any sensible maximum wait.
const MAX_DOUBLINGS: u32 = 16;

/// The retry budget of a client and its clones, so that retries do not multiply the load on a failing service.
///
/// The budget starts full. Each retry takes one from the budget, and every [`CALLS_PER_RETRY`] answered calls add one.
/// While the budget is empty, failed attempts are not retried.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    /// The rest of the budget, counted in calls: a retry costs [`CALLS_PER_RETRY`].
    left: AtomicU32,
    full: u32,
}

impl RetryBudget {
    /// Creates a full budget of this many retries.
    pub(crate) fn of_burst(retries: u32) -> Self {
        let full = retries.saturating_mul(CALLS_PER_RETRY);
        Self { left: full.into(), full }
    }

    pub(crate) fn deposit(&self) {
        // A full budget is only read, so that successful calls do not contend for the atomic.
        self.change(|left| (left < self.full).then(|| left + 1));
    }

    /// Takes one retry from the budget. Returns false if the budget is empty.
    pub(crate) fn withdraw(&self) -> bool {
        self.change(|left| left.checked_sub(CALLS_PER_RETRY))
    }

    fn change(&self, next: impl FnMut(u32) -> Option<u32>) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self::of_burst(BURST)
    }
}

/// Number of retries in a full budget.
pub(crate) const BURST: u32 = 10;

/// Number of answered calls that earn a retry.
pub(crate) const CALLS_PER_RETRY: u32 = 10;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use gateway_transport::MemoryTransport;
    use http::Response;
    use proptest::prelude::*;

    use super::{
        BASE_DELAY, CALLS_PER_RETRY, MAX_DELAY, MAX_RETRY_AFTER, RetryBudget, RetryPolicy,
    };
    use crate::tests::{any_json, blocking_builder};

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn each_limit_is_exact() {
        let policy = RetryPolicy::default();
        let asked = |delay| policy.delay(Some(delay), 1, LONG, 0.0);
        let just_less = Duration::from_nanos(29_999_999_999);
        assert_eq!(asked(just_less), Some(just_less));
        assert_eq!(asked(MAX_RETRY_AFTER), Some(MAX_RETRY_AFTER));
        assert_eq!(asked(MAX_RETRY_AFTER + Duration::from_nanos(1)), None);

        assert!(policy.delay(None, 2, LONG, 1.0).is_some());
        assert_eq!(policy.delay(None, 3, LONG, 1.0), None);

        assert_eq!(policy.delay(None, 1, BASE_DELAY, 1.0), None);
        assert_eq!(
            policy.delay(None, 1, BASE_DELAY + Duration::from_nanos(1), 1.0),
            Some(BASE_DELAY)
        );
    }

    /// Returns how many requests each of six calls makes if the service responds with status 503.
    fn requests(policy: RetryPolicy) -> [usize; 6] {
        let refused = || {
            let response = Response::builder().status(503).header("retry-after", "0");
            Ok(response.body(Bytes::new()).unwrap())
        };
        let transport = MemoryTransport::new((0..18).map(|_| refused()));
        let client = blocking_builder()
            .retry(policy.base_delay(Duration::ZERO))
            .transport(transport.clone())
            .build()
            .unwrap();
        [(); 6].map(|()| {
            let before = transport.requests().len();
            assert_eq!(client.clone().send(&any_json()).unwrap_err().status().unwrap(), 503);
            transport.requests().len() - before
        })
    }

    #[test]
    fn a_client_retries_as_policy_and_budget_say() {
        // The budget has ten retries, shared by all clones of a client.
        assert_eq!(requests(RetryPolicy::default()), [3, 3, 3, 3, 3, 1]);
        assert_eq!(requests(RetryPolicy::default().max_attempts(2)), [2; 6]);
    }

    proptest! {
        #[test]
        fn a_delay_doubles_up_to_its_maximum_and_is_random(
            attempt in 1_u32..100,
            base in 1_u64..10_000,
            asked in proptest::option::of(0_u64..30),
            random in 0.0..1.0,
        ) {
            let base = Duration::from_millis(base);
            let policy = RetryPolicy::default().max_attempts(attempt + 1).base_delay(base);
            let doubled = (1..attempt).fold(base, |ceiling, _| (ceiling * 2).min(MAX_DELAY));
            let doubled = doubled.min(MAX_DELAY);
            prop_assert_eq!(policy.delay(None, attempt, LONG, random), Some(doubled.mul_f64(random)));
            // The requested wait is a minimum: the random part is added to it.
            if let Some(floor) = asked.map(Duration::from_secs) {
                let delay = policy.delay(Some(floor), attempt, LONG, random);
                prop_assert_eq!(delay, Some(floor + base.mul_f64(random)));
            }
        }
    }

    #[test]
    fn earns_a_retry_at_its_limit() {
        for calls in [CALLS_PER_RETRY - 1, CALLS_PER_RETRY, CALLS_PER_RETRY + 1] {
            let budget = RetryBudget::default();
            while budget.withdraw() {}
            (0..calls).for_each(|_| budget.deposit());
            assert_eq!(budget.withdraw(), calls >= CALLS_PER_RETRY, "{calls}");
        }
    }
}
