//! Whether to send again, and when: decisions without a clock, without randomness and without I/O.

use std::time::{Duration, SystemTime};

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};

mod budget;

pub use self::budget::RetryBudget;
#[cfg(test)]
pub(crate) use self::budget::{AT_ONCE, CALLS_PER_RETRY};

/// How failed calls are repeated. Every call of the service only reads, so repeating one is safe.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use gateway_client::RetryPolicy;
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
    /// Sends each request once.
    pub fn never() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets how often a request is sent at most, the first time included. Default: 3; less than 1 counts as 1.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Sets the longest wait before the second attempt; it doubles with each further one. Default: 200 ms.
    ///
    /// The wait itself is drawn between nothing and that (full jitter), so that many clients do not return in step.
    #[must_use]
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets where the doubling ends. Default: 5 s.
    #[must_use]
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the longest `Retry-After` that is waited for. Default: 30 s. An answer that asks for more is handed to the
    /// caller at once, as an error that says how long.
    #[must_use]
    pub fn max_retry_after(mut self, delay: Duration) -> Self {
        self.max_retry_after = delay;
        self
    }

    /// Returns how long to wait before the next attempt, or `None` to deliver what is there.
    ///
    /// `attempt` counts from 1, `left` is what the caller still allows, `random` is between 0 and 1.
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
            // What the service asks for is a floor.
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

/// Whether an answer with this status may be another one later.
pub(crate) fn is_transient_status(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

/// Returns what `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date in one of its three forms.
///
/// A date that has passed asks for nothing; anything that is neither form counts as absent.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number holds still mean "very long".
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

pub(crate) const MAX_ATTEMPTS: u32 = 3;
pub(crate) const BASE_DELAY: Duration = Duration::from_millis(200);
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(5);
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Keeps the factor within 32 bits; every sensible maximum is reached long before.
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::header::RETRY_AFTER;
    use http::{HeaderMap, StatusCode};
    use proptest::prelude::*;

    use super::{BASE_DELAY, MAX_RETRY_AFTER, RetryPolicy, is_transient_status, retry_after};

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn retry_after_in_all_forms() {
        let now = httpdate::parse_http_date("Fri, 20 Nov 2026 10:00:00 GMT").unwrap();
        let cases = [
            ("0", Some(0)),
            ("1", Some(1)),
            (" 7 ", Some(7)),
            ("999999999999", Some(999_999_999_999)),
            ("99999999999999999999999999", Some(u64::MAX)),
            ("Fri, 20 Nov 2026 10:00:30 GMT", Some(30)),
            ("Fri, 20 Nov 2026 09:00:00 GMT", Some(0)),
            ("Friday, 20-Nov-26 10:00:05 GMT", Some(5)),
            ("Fri Nov 20 10:01:00 2026", Some(60)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
        ];
        for (value, expected) in cases {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{value:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn only_these_statuses() {
        let transient: Vec<u16> = (100..1000)
            .filter(|&code| StatusCode::from_u16(code).is_ok_and(is_transient_status))
            .collect();
        assert_eq!(transient, [408, 429, 500, 502, 503, 504]);
    }

    #[test]
    fn the_limits_are_the_limits() {
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

    proptest! {
        #[test]
        fn a_delay_doubles_up_to_its_end_and_is_drawn_by_chance(
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
            // What is asked for is waited for in any case, so that chance only adds to it.
            if let Some(floor) = asked.map(Duration::from_secs) {
                let delay = policy.delay(Some(floor), attempt, LONG, random);
                prop_assert_eq!(delay, Some(floor + base.mul_f64(random)));
            }
        }

        #[test]
        fn there_is_no_delay_beyond_a_limit(
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
