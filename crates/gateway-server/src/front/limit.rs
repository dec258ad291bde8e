//! The rate limit: a token bucket for each bearer token.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::token::TokenId;

/// The rate limit of every bearer token. Full buckets are dropped when the map grows large.
#[derive(Debug)]
pub(crate) struct RateLimits {
    rate: u32,
    burst: u32,
    buckets: Mutex<HashMap<TokenId, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Requests left at time `at`.
    left: f64,
    at: Instant,
}

impl RateLimits {
    /// Creates a limit of `rate` requests per second, with bursts of up to `burst`. A rate of 0 admits everything.
    pub(crate) fn new(rate: u32, burst: u32) -> Self {
        Self { rate, burst: burst.max(1), buckets: Mutex::new(HashMap::new()) }
    }

    /// Admits a request, or returns how long to wait.
    pub(crate) fn admit(&self, token: &TokenId) -> Result<(), Duration> {
        if self.rate == 0 {
            return Ok(());
        }
        self.admit_at(token, Instant::now())
    }

    fn admit_at(&self, token: &TokenId, now: Instant) -> Result<(), Duration> {
        let (rate, burst) = (f64::from(self.rate), f64::from(self.burst));
        let filled = |bucket: &Bucket| {
            let since = now.saturating_duration_since(bucket.at).as_secs_f64();
            burst.min(since.mul_add(rate, bucket.left))
        };
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= MANY_BUCKETS && !buckets.contains_key(token) {
            buckets.retain(|_token, bucket| filled(bucket) < burst);
        }
        let left = buckets.get(token).map_or(burst, filled);
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / rate));
        }
        buckets.insert(token.clone(), Bucket { left: left - 1.0, at: now });
        Ok(())
    }
}

/// Number of buckets from which on full ones are dropped.
const MANY_BUCKETS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_admitted_and_then_the_rate() {
        let limits = RateLimits::new(10, 3);
        let (a, b) = (TokenId("a".into()), TokenId("b".into()));
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
    fn the_map_stays_small() {
        let limits = RateLimits::new(1000, 1);
        let start = Instant::now();
        for n in 0..20_000_u32 {
            let token = TokenId(n.to_string());
            limits.admit_at(&token, start + Duration::from_millis(u64::from(n))).unwrap();
        }
        assert!(limits.buckets.lock().unwrap().len() <= MANY_BUCKETS + 1);
    }
}
