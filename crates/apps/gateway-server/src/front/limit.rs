//! Rate limits: a token bucket for each key, such as a bearer token or a client.

use std::hash::Hash;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::front::recent::Recent;
use crate::lock::lock;

/// The rate limit of every key.
///
/// A key without a bucket has a full one. When there are too many buckets, those that were not used for longest are
/// dropped.
#[derive(Debug)]
pub(crate) struct RateLimits<K> {
    /// Requests per second.
    rate: f64,
    burst: f64,
    buckets: Mutex<Recent<K, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Requests left at time `at`.
    left: f64,
    at: Instant,
}

impl<K: Clone + Eq + Hash> RateLimits<K> {
    /// Creates a limit of `rate` requests per second, with bursts of up to `burst`. A rate of 0 admits everything.
    pub(crate) fn per_second(rate: u32, burst: u32) -> Self {
        let (rate, burst) = (f64::from(rate), f64::from(burst.max(1)));
        Self { rate, burst, buckets: Mutex::new(Recent::new(MAX_BUCKETS)) }
    }

    /// Creates a limit of `rate` requests per minute, which may all come together. A rate of 0 admits everything.
    pub(crate) fn per_minute(rate: u32) -> Self {
        Self { rate: f64::from(rate) / 60.0, ..Self::per_second(rate, rate) }
    }

    /// Admits and counts a request, or returns how long to wait.
    pub(crate) fn admit(&self, key: &K) -> Result<(), Duration> {
        self.admit_at(key, Instant::now())
    }

    /// Returns how long to wait if the next request would be refused.
    pub(crate) fn check(&self, key: &K) -> Result<(), Duration> {
        if self.rate <= 0.0 {
            return Ok(());
        }
        self.wait_for(self.left(&lock(&self.buckets), key, Instant::now()))
    }

    /// Counts a request although it may exceed the limit: the next ones wait longer.
    pub(crate) fn count(&self, key: &K) {
        if self.rate <= 0.0 {
            return;
        }
        let now = Instant::now();
        let mut buckets = lock(&self.buckets);
        let left = (self.left(&buckets, key, now) - 1.0).max(-self.burst);
        buckets.insert(key.clone(), Bucket { left, at: now });
    }

    fn admit_at(&self, key: &K, now: Instant) -> Result<(), Duration> {
        if self.rate <= 0.0 {
            return Ok(());
        }
        let mut buckets = lock(&self.buckets);
        let left = self.left(&buckets, key, now);
        self.wait_for(left)?;
        buckets.insert(key.clone(), Bucket { left: left - 1.0, at: now });
        Ok(())
    }

    fn left(&self, buckets: &Recent<K, Bucket>, key: &K, now: Instant) -> f64 {
        buckets.get(key).map_or(self.burst, |bucket| {
            let since = now.saturating_duration_since(bucket.at).as_secs_f64();
            self.burst.min(since.mul_add(self.rate, bucket.left))
        })
    }

    fn wait_for(&self, left: f64) -> Result<(), Duration> {
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / self.rate));
        }
        Ok(())
    }
}

/// Maximum number of buckets. Far more than the tokens that are used within the time in which a bucket fills up.
const MAX_BUCKETS: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_admitted_and_then_the_rate() {
        let limits = RateLimits::per_second(10, 3);
        let (a, b) = ("a", "b");
        let start = Instant::now();
        for _ in 0..3 {
            limits.admit_at(&a, start).unwrap();
        }
        let wait = limits.admit_at(&a, start).unwrap_err();
        assert!(
            wait <= Duration::from_millis(101) && wait >= Duration::from_millis(99),
            "{wait:?}"
        );
        limits.admit_at(&b, start).unwrap();
        limits.admit_at(&a, start + Duration::from_millis(101)).unwrap();
        limits.admit_at(&a, start + Duration::from_millis(102)).unwrap_err();
    }

    #[test]
    fn counted_requests_may_exceed_the_limit_and_are_paid_later() {
        let limits = RateLimits::per_minute(2);
        limits.check(&"a").unwrap();
        for _ in 0..3 {
            limits.count(&"a");
        }
        let wait = limits.check(&"a").unwrap_err();
        assert!(wait > Duration::from_secs(55) && wait <= Duration::from_mins(1), "{wait:?}");
        // The debt is limited, too.
        for _ in 0..100 {
            limits.count(&"a");
        }
        let wait = limits.check(&"a").unwrap_err();
        assert!(wait > Duration::from_secs(85) && wait <= Duration::from_secs(90), "{wait:?}");
        limits.check(&"b").unwrap();
        RateLimits::per_minute(0).check(&"a").unwrap();
    }

    #[test]
    fn the_number_of_buckets_is_limited() {
        let limits = RateLimits::per_second(1, 1);
        for key in 0..100_000_u32 {
            limits.admit(&key).unwrap();
        }
        limits.admit(&99_999).unwrap_err();
        let kept = (0..100_000).filter(|key| limits.check(key).is_err()).count();
        assert!((MAX_BUCKETS / 2..=MAX_BUCKETS).contains(&kept), "{kept}");
    }
}
