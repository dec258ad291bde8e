//! Rate limits for each key, such as a bearer token or a client, by the generic cell rate algorithm.
//!
//! The crate `governor` is not used: it cannot check without counting, it needs a task to expire keys, and it cannot
//! use the clock of a simulation.

use std::hash::{Hash, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use hashlink::LruCache;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::token::TokenDigest;

/// The rate limit of every key.
///
/// If there are too many keys, the least recently used are forgotten, as if they had never been used.
#[derive(Debug)]
pub(crate) struct RateLimits<K> {
    /// The time that each request uses up.
    interval: Duration,
    /// The time that a key may use up in advance.
    burst: Duration,
    /// The point in time until which each key has used up its share.
    used: Mutex<Recent<K, Instant>>,
}

impl<K: Clone + Eq + Hash> RateLimits<K> {
    /// Creates a limit of `rate` requests per second, with bursts of up to `burst`. A rate of 0 admits everything.
    pub(crate) fn per_second(rate: u32, burst: u32) -> Self {
        let interval = Duration::from_secs(1).checked_div(rate).unwrap_or_default();
        let used = recent(MAX_KEYS);
        Self { interval, burst: interval.saturating_mul(burst.max(1)), used }
    }

    /// Creates a limit of `rate` requests per minute, all of which may arrive at once. A rate of 0 admits everything.
    pub(crate) fn per_minute(rate: u32) -> Self {
        let interval = Duration::from_secs(60).checked_div(rate).unwrap_or_default();
        Self { interval, burst: interval.saturating_mul(rate), ..Self::per_second(0, 0) }
    }

    /// Admits and counts a request, or returns how long to wait.
    pub(crate) fn admit(&self, key: &K) -> Result<(), Duration> {
        let mut used = self.used.lock();
        self.wait(&used, key)?;
        self.use_up(&mut used, key);
        Ok(())
    }

    /// Returns how long to wait, if the next request would be refused.
    pub(crate) fn check(&self, key: &K) -> Result<(), Duration> {
        self.wait(&self.used.lock(), key)
    }

    /// Counts a request even if it exceeds the limit, so that later requests wait longer.
    pub(crate) fn count(&self, key: &K) {
        self.use_up(&mut self.used.lock(), key);
    }

    fn wait(&self, used: &Recent<K, Instant>, key: &K) -> Result<(), Duration> {
        let ahead = used.peek(key).map(|until| until.saturating_duration_since(Instant::now()));
        let wait = (ahead.unwrap_or_default() + self.interval).saturating_sub(self.burst);
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    fn use_up(&self, used: &mut Recent<K, Instant>, key: &K) {
        let now = Instant::now();
        let until = used.peek(key).map_or(now, |until| now.max(*until));
        used.insert(key.clone(), (until + self.interval).min(now + 2 * self.burst));
    }
}

/// Maximum number of keys, far above the number of tokens used during a burst.
const MAX_KEYS: usize = 32 * 1024;

/// The keys that were used last, hashed so that no client can make them collide.
type Recent<K, V> = LruCache<K, V, RandomState>;

fn recent<K: Eq + Hash, V>(capacity: usize) -> Mutex<Recent<K, V>> {
    Mutex::new(LruCache::with_hasher(capacity, RandomState::new()))
}

/// The limit on wrong tokens, and the tokens that were valid when they were last used.
///
/// A token that was valid is always looked up in the database, so that wrong tokens from the same client do not lock it
/// out. It has no other privilege: for each request, the database decides whether the token is valid.
#[derive(Debug)]
pub(crate) struct Guesses {
    wrong: RateLimits<IpAddr>,
    valid: Mutex<Recent<TokenDigest, ()>>,
}

impl Guesses {
    /// Creates a limit of `rate` wrong tokens per minute and client; 0 means no limit.
    pub(crate) fn per_minute(rate: u32) -> Self {
        Self { wrong: RateLimits::per_minute(rate), valid: recent(MAX_TOKENS) }
    }

    /// Returns whether the token was valid when it was last used.
    pub(crate) fn was_valid(&self, token: &TokenDigest) -> bool {
        self.valid.lock().get(token).is_some()
    }

    /// Returns how long the client has to wait before it may use another token.
    pub(crate) fn check(&self, client: Option<&IpAddr>) -> Result<(), Duration> {
        client.map_or(Ok(()), |client| self.wrong.check(client))
    }

    pub(crate) fn valid(&self, token: TokenDigest) {
        self.valid.lock().insert(token, ());
    }

    pub(crate) fn wrong(&self, token: &TokenDigest, client: Option<&IpAddr>) {
        self.valid.lock().remove(token);
        if let Some(client) = client {
            self.wrong.count(client);
        }
    }
}

/// Maximum number of tokens that are remembered as valid.
const MAX_TOKENS: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_admitted_and_then_the_rate() {
        let limits = RateLimits::per_second(10, 3);
        for _ in 0..3 {
            limits.admit(&"a").unwrap();
        }
        assert_eq!(limits.admit(&"a"), Err(Duration::from_millis(100)));
        limits.admit(&"b").unwrap();
        tokio::time::advance(Duration::from_millis(99)).await;
        limits.admit(&"a").unwrap_err();
        tokio::time::advance(Duration::from_millis(1)).await;
        limits.admit(&"a").unwrap();
        limits.admit(&"a").unwrap_err();
    }

    #[tokio::test(start_paused = true)]
    async fn counted_requests_may_exceed_the_limit_and_are_paid_later() {
        let limits = RateLimits::per_minute(2);
        limits.check(&"a").unwrap();
        for _ in 0..3 {
            limits.count(&"a");
        }
        assert_eq!(limits.check(&"a"), Err(Duration::from_mins(1)));
        // The debt is limited as well.
        for _ in 0..100 {
            limits.count(&"a");
        }
        assert_eq!(limits.check(&"a"), Err(Duration::from_secs(90)));
        limits.check(&"b").unwrap();
        RateLimits::per_minute(0).check(&"a").unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_keys_is_limited() {
        let limits = RateLimits::per_second(1, 1);
        for key in 0..100_000_u32 {
            limits.admit(&key).unwrap();
        }
        limits.admit(&99_999).unwrap_err();
        let kept = (0..100_000).filter(|key| limits.check(key).is_err()).count();
        assert!((MAX_KEYS / 2..=MAX_KEYS).contains(&kept), "{kept}");
    }
}
