//! The delays between the attempts of a call.

use std::time::Duration;

pub(crate) mod budget;

pub use self::budget::RetryBudget;

/// How failed attempts are retried.
///
/// A client retries only calls that it may repeat: those by GET, and those by POST that the spec marks as idempotent. Any
/// other POST is retried only if the request was not sent, because the service may have executed it. After status 401, a
/// client also repeats a POST once, with a new token: the service has refused it.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use methodical_client::RetryPolicy;
///
/// let patient = RetryPolicy::default().max_attempts(5).max_delay(Duration::from_secs(20));
/// let once = RetryPolicy::never();
/// # let _ = (patient, once);
/// ```
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    max_attempts: u32,
    base_delay: Duration,
    max_delay: Duration,
    max_retry_after: Duration,
}

impl RetryPolicy {
    /// Returns a policy that sends each request once.
    pub fn never() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets the maximum number of attempts of a call, the first one included. Default: 3. A value below 1 counts as 1.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Sets the maximum wait before the second attempt. It doubles before each further attempt. Default: 200 ms.
    ///
    /// The actual wait is random, between zero and the maximum (full jitter), so that many clients do not retry in step.
    #[must_use]
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets the maximum of the doubled wait. Default: 5 s.
    #[must_use]
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the longest `Retry-After` that the client waits for. Default: 30 s.
    ///
    /// If the service asks for more, the client does not retry. [`Error::retry_after`](crate::Error::retry_after) returns the
    /// requested wait.
    #[must_use]
    pub fn max_retry_after(mut self, delay: Duration) -> Self {
        self.max_retry_after = delay;
        self
    }

    /// Returns the longest `Retry-After` that the client waits for.
    pub(crate) fn longest_retry_after(&self) -> Duration {
        self.max_retry_after
    }

    /// Returns how long to wait before the next attempt, or `None` to make no other.
    ///
    /// `asked` is the wait that the service asks for, `attempt` counts from 1, `left` is the time left of the call, and
    /// `random` is between 0 and 1.
    pub(crate) fn delay(
        &self,
        asked: Option<Duration>,
        attempt: u32,
        left: Duration,
        random: f64,
    ) -> Option<Duration> {
        if attempt >= self.max_attempts || asked > Some(self.max_retry_after) {
            return None;
        }
        let doublings = attempt.saturating_sub(1).min(MAX_DOUBLINGS);
        let ceiling = self.base_delay.saturating_mul(1 << doublings).min(self.max_delay);
        let delay = match asked {
            // The wait that the service asks for is a minimum.
            Some(floor) => floor.saturating_add(self.base_delay.mul_f64(random)),
            None => ceiling.mul_f64(random),
        };
        (delay < left).then_some(delay)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: MAX_ATTEMPTS,
            base_delay: BASE_DELAY,
            max_delay: MAX_DELAY,
            max_retry_after: MAX_RETRY_AFTER,
        }
    }
}

/// Default maximum number of attempts of a call.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// Default maximum wait before the second attempt.
pub(crate) const BASE_DELAY: Duration = Duration::from_millis(200);

/// Default maximum of the doubled wait.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(5);

/// Default maximum of the `Retry-After` that the client waits for.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Maximum number of doublings. It keeps the factor within 32 bits; any sensible maximum wait is reached long before.
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use gateway_transport::MemoryTransport;
    use http::Response;
    use proptest::prelude::*;

    use super::{BASE_DELAY, MAX_DELAY, MAX_RETRY_AFTER, RetryBudget, RetryPolicy};
    use crate::AccessToken;
    use crate::tests::{BlockingClient, any_json};

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

    /// Returns the number of requests of a call that the service refuses with this status.
    fn requests(status: u16, policy: RetryPolicy, budget: RetryBudget) -> usize {
        let refused = || {
            let response = Response::builder().status(status).header("retry-after", "0");
            Ok(response.body(Bytes::new()).unwrap())
        };
        let transport = MemoryTransport::new((0..3).map(|_| refused()));
        let client = BlockingClient::builder("https://gateway.example.com")
            .token(AccessToken::new("gwt_6yqW").unwrap())
            .retry(policy.base_delay(Duration::ZERO))
            .retry_budget(budget)
            .transport(transport.clone())
            .build()
            .unwrap();
        assert_eq!(client.send(&any_json()).unwrap_err().status().unwrap(), status);
        transport.requests().len()
    }

    #[test]
    fn a_client_retries_as_policy_and_budget_say() {
        let policy = RetryPolicy::default;
        assert_eq!(requests(503, policy(), RetryBudget::new()), 3);
        assert_eq!(requests(503, policy().max_attempts(2), RetryBudget::new()), 2);
        let shared = RetryBudget::new().burst(1);
        assert_eq!(requests(503, policy(), shared.clone()), 2);
        assert_eq!(requests(503, policy(), shared), 1);
    }

    #[test]
    fn the_longest_requested_wait_can_be_set() {
        let policy = RetryPolicy::default().max_retry_after(LONG);
        assert_eq!(policy.delay(Some(LONG), 1, 2 * LONG, 0.0), Some(LONG));
        let too_long = LONG + Duration::from_nanos(1);
        assert_eq!(policy.delay(Some(too_long), 1, 2 * LONG, 0.0), None);
    }

    #[test]
    fn the_doubling_ends_at_its_maximum() {
        let nanosecond = Duration::from_nanos(1);
        for base in [MAX_DELAY.saturating_sub(nanosecond), MAX_DELAY, MAX_DELAY + nanosecond] {
            let policy = RetryPolicy::default().base_delay(base);
            assert_eq!(policy.delay(None, 1, LONG, 1.0), Some(base.min(MAX_DELAY)));
        }
    }

    proptest! {
        #[test]
        fn a_delay_doubles_up_to_its_maximum_and_is_random(
            attempt in 1_u32..100,
            base in 1_u64..10_000,
            end in 1_u64..60_000,
            asked in proptest::option::of(0_u64..30),
            random in 0.0..1.0,
        ) {
            let (base, end) = (Duration::from_millis(base), Duration::from_millis(end));
            let policy =
                RetryPolicy::default().max_attempts(attempt + 1).base_delay(base).max_delay(end);
            let doubled = (1..attempt).fold(base, |ceiling, _| (ceiling * 2).min(end)).min(end);
            prop_assert_eq!(policy.delay(None, attempt, LONG, random), Some(doubled.mul_f64(random)));
            // The requested wait is a minimum: the random part is added to it.
            if let Some(floor) = asked.map(Duration::from_secs) {
                let delay = policy.delay(Some(floor), attempt, LONG, random);
                prop_assert_eq!(delay, Some(floor + base.mul_f64(random)));
            }
        }

        #[test]
        fn no_delay_exceeds_a_limit(
            attempt in 1_u32..100,
            attempts in 1_u32..100,
            asked in proptest::option::of(0_u64..100),
            left in 0_u64..100,
            random in 0.0..1.0,
        ) {
            let policy = RetryPolicy::default().max_attempts(attempts);
            let asked = asked.map(Duration::from_secs);
            let left = Duration::from_secs(left);
            if let Some(delay) = policy.delay(asked, attempt, left, random) {
                prop_assert!(attempt < attempts);
                prop_assert!(delay < left);
                prop_assert!(asked <= Some(MAX_RETRY_AFTER));
            }
        }
    }
}
