//! Rate limits: a token bucket for each key, such as a bearer token or a client.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::front::client::ClientKey;
use crate::lock::lock;
use crate::token::TokenDigest;

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

/// A map in two generations. When the newer one is full, it becomes the older one, and the keys of that are forgotten.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    /// Maximum number of keys in a generation.
    half: usize,
    newer: HashMap<K, V>,
    older: HashMap<K, V>,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// Creates a map of at most `capacity` keys, of which it remembers at least the last half.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { half: capacity / 2, newer: HashMap::new(), older: HashMap::new() }
    }

    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.newer.get(key).or_else(|| self.older.get(key))
    }

    /// Inserts a value, or replaces it. The key is then the last one to be forgotten.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.newer.len() >= self.half && !self.newer.contains_key(&key) {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.newer.remove(key);
        self.older.remove(key);
    }
}

/// The limit on wrong tokens, and the tokens that were valid when they were last used.
///
/// A token that was valid may always ask the database, so that wrong tokens of the same client do not keep it out. It
/// gains nothing else: the database decides for each request whether the token is valid.
#[derive(Debug)]
pub(crate) struct Guesses {
    wrong: RateLimits<ClientKey>,
    valid: Mutex<Recent<TokenDigest, ()>>,
}

impl Guesses {
    /// Creates a limit of `rate` wrong tokens per minute and client; 0 means no limit.
    pub(crate) fn per_minute(rate: u32) -> Self {
        Self { wrong: RateLimits::per_minute(rate), valid: Mutex::new(Recent::new(MAX_TOKENS)) }
    }

    /// Returns whether the token was valid when it was last used.
    pub(crate) fn was_valid(&self, token: &TokenDigest) -> bool {
        lock(&self.valid).get(token).is_some()
    }

    /// Returns how long the client has to wait before it may use another token.
    pub(crate) fn check(&self, client: Option<&ClientKey>) -> Result<(), Duration> {
        client.map_or(Ok(()), |client| self.wrong.check(client))
    }

    /// Records that a token is valid.
    pub(crate) fn valid(&self, token: TokenDigest) {
        lock(&self.valid).insert(token, ());
    }

    /// Records that a client used a token that is not valid.
    pub(crate) fn wrong(&self, token: &TokenDigest, client: Option<&ClientKey>) {
        lock(&self.valid).remove(token);
        if let Some(client) = client {
            self.wrong.count(client);
        }
    }
}

/// Maximum number of tokens that are remembered as valid.
const MAX_TOKENS: usize = 64 * 1024;

/// The open shares of each key. A key without an open share takes no memory.
#[derive(Debug)]
pub(crate) struct Shares<K> {
    limit: usize,
    open: Mutex<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Creates counts of at most `limit` for each key.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default() })
    }

    /// Opens one more share of a key. Returns `None` if the key has as many as the limit.
    pub(crate) fn open(self: &Arc<Self>, key: &K) -> Option<Share<K>> {
        let mut open = lock(&self.open);
        let count = open.get(key).copied().unwrap_or_default();
        if count >= self.limit {
            return None;
        }
        open.insert(key.clone(), count + 1);
        Some(Share { shares: Arc::clone(self), key: key.clone() })
    }
}

/// A share of a key. Closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: K,
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut open = lock(&self.shares.open);
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

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

#[cfg(test)]
mod recent_tests {
    use super::*;

    #[test]
    fn the_last_keys_are_remembered_and_no_more_than_the_capacity() {
        let mut recent = Recent::new(100);
        for key in 0..10_000_u32 {
            recent.insert(key, key);
            // A key that is inserted repeatedly is never forgotten.
            recent.insert(0, 0);
            assert!(recent.newer.len() + recent.older.len() <= 100);
            assert!((key.saturating_sub(48)..=key).all(|key| recent.get(&key) == Some(&key)));
            assert_eq!(recent.get(&0), Some(&0));
        }
        assert_eq!(recent.get(&9_000), None);
        recent.remove(&0);
        assert_eq!(recent.get(&0), None);
    }
}

#[cfg(test)]
mod shares_tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit_and_closed_shares_take_no_memory() {
        let shares = Shares::new(2);
        let first = shares.open(&"a").unwrap();
        let second = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        let other = shares.open(&"b").unwrap();
        drop(first);
        let third = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        drop((second, third, other));
        assert!(lock(&shares.open).is_empty());
    }
}
