//! How many retries a client may afford.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Keeps retries from multiplying the load on a service that is down.
///
/// It begins full: with as many retries as [`at_once`](Self::at_once) says. A retry takes one out; every
/// [`calls_per_retry`](Self::calls_per_retry) calls that the service answers put one back in. A call that finds it empty
/// delivers its failure without waiting.
///
/// Clones share what is left, and so do the clones of a client. Give one budget to several clients of the same service,
/// and they share it, too.
///
/// # Examples
///
/// ```
/// use gateway_client::{AccessToken, RetryBudget, blocking};
///
/// let budget = RetryBudget::new().at_once(50).calls_per_retry(20);
/// let client = |token: &'static str| {
///     blocking::Client::builder("https://gateway.example.com")
///         .token(AccessToken::new(token)?)
///         .retry_budget(budget.clone())
///         .transport(gateway_client::transport::MemoryTransport::default())
///         .build()
/// };
/// let (first, second) = (client("gwt_6yqW")?, client("gwt_7zrX")?);
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RetryBudget {
    at_once: u32,
    calls_per_retry: u32,
    /// In calls: a retry is worth as many as it takes to earn it.
    left: Arc<AtomicU32>,
}

impl RetryBudget {
    /// Makes a full budget: 10 retries at once, then one for every 10 answered calls.
    pub fn new() -> Self {
        Self::full(AT_ONCE, CALLS_PER_RETRY)
    }

    /// Sets how many retries it holds at most. Default: 10; with 0 nothing is ever sent again. The result is full, and
    /// shares nothing with the budget it is made of.
    #[must_use]
    pub fn at_once(self, retries: u32) -> Self {
        Self::full(retries, self.calls_per_retry)
    }

    /// Sets how many answered calls earn a retry. Default: 10; with 0 every call may be sent again, as often as its
    /// [`RetryPolicy`](crate::RetryPolicy) allows. The result is full, and shares nothing with the budget it is made of.
    #[must_use]
    pub fn calls_per_retry(self, calls: u32) -> Self {
        Self::full(self.at_once, calls)
    }

    fn full(at_once: u32, calls_per_retry: u32) -> Self {
        let left = Arc::new(AtomicU32::new(at_once.saturating_mul(calls_per_retry)));
        Self { at_once, calls_per_retry, left }
    }

    /// Notes a call that was answered.
    pub(crate) fn deposit(&self) {
        let full = self.at_once.saturating_mul(self.calls_per_retry);
        // A full budget is only read: calls that go well do not contend for it.
        self.change(|left| (left < full).then(|| left + 1));
    }

    /// Takes a retry out of the budget; false if there is none left.
    pub(crate) fn withdraw(&self) -> bool {
        self.at_once > 0 && self.change(|left| left.checked_sub(self.calls_per_retry))
    }

    fn change(&self, next: impl FnMut(u32) -> Option<u32>) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self::new()
    }
}

pub(crate) const AT_ONCE: u32 = 10;
pub(crate) const CALLS_PER_RETRY: u32 = 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AT_ONCE, CALLS_PER_RETRY, RetryBudget};

    fn withdrawals(budget: &RetryBudget, wishes: u32) -> u32 {
        (0..wishes).map(|_| u32::from(budget.withdraw())).sum()
    }

    #[test]
    fn runs_dry_at_its_limit() {
        for wishes in [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1] {
            assert_eq!(withdrawals(&RetryBudget::new(), wishes), wishes.min(AT_ONCE), "{wishes}");
        }
    }

    #[test]
    fn earns_a_retry_at_its_limit() {
        for calls in [CALLS_PER_RETRY - 1, CALLS_PER_RETRY, CALLS_PER_RETRY + 1] {
            let budget = RetryBudget::new();
            let clone = budget.clone();
            withdrawals(&budget, 100);
            (0..calls).for_each(|_| clone.deposit());
            assert_eq!(budget.withdraw(), calls >= CALLS_PER_RETRY, "{calls}");
        }
    }

    #[test]
    fn never_holds_more_than_it_began_with() {
        let budget = RetryBudget::new();
        (0..1000).for_each(|_| budget.deposit());
        assert_eq!(withdrawals(&budget, 100), AT_ONCE);
    }

    #[test]
    fn the_ends_of_both_settings() {
        assert_eq!(withdrawals(&RetryBudget::new().at_once(0), 9), 0);
        assert_eq!(withdrawals(&RetryBudget::new().calls_per_retry(0), 99), 99);
        assert_eq!(withdrawals(&RetryBudget::new().calls_per_retry(0).at_once(0), 9), 0);
        let huge = RetryBudget::new().at_once(u32::MAX).calls_per_retry(u32::MAX);
        huge.deposit();
        assert_eq!(withdrawals(&huge, 9), 1);
    }

    proptest! {
        #[test]
        fn never_gives_more_than_was_put_in(
            at_once in 0_u32..20,
            calls_per_retry in 1_u32..20,
            deposits in proptest::collection::vec(any::<bool>(), 0..500),
        ) {
            let budget = RetryBudget::new().at_once(at_once).calls_per_retry(calls_per_retry);
            let (mut retries, mut answers) = (0, 0);
            for deposit in deposits {
                if deposit {
                    budget.deposit();
                    answers += 1;
                } else {
                    retries += u32::from(budget.withdraw());
                }
                prop_assert!(retries <= at_once + answers / calls_per_retry);
            }
        }
    }
}
