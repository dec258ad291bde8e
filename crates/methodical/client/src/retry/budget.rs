//! A limit on the retries of all calls together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A limit on retries, so that they do not multiply the load on a failing service.
///
/// The budget starts full, with a [`burst`](Self::burst) of retries. Each retry takes one out. Every
/// [`calls_per_retry`](Self::calls_per_retry) calls that the service answers put one back. If the budget is empty, a failed
/// attempt is not retried, and the call fails without waiting.
///
/// The clones of a budget share what is left, and so do the clones of a client. To share a budget between several clients of
/// the same service, give each of them a clone.
///
/// # Examples
///
/// ```
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::{AccessToken, RetryBudget, blocking};
///
/// let budget = RetryBudget::new().burst(50).calls_per_retry(20);
/// let client = |token: &'static str| {
///     blocking::Client::<Photos>::builder("https://gateway.example.com")
///         .token(AccessToken::new(token)?)
///         .retry_budget(budget.clone())
///         .transport(methodical_client::transport::MemoryTransport::default())
///         .build()
/// };
/// let (first, second) = (client("gwt_6yqW")?, client("gwt_7zrX")?);
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RetryBudget {
    burst: u32,
    calls_per_retry: u32,
    /// In calls: a retry counts as many calls as earn it.
    left: Arc<AtomicU32>,
}

impl RetryBudget {
    /// Creates a full budget: a burst of 10 retries, then one for every 10 answered calls.
    pub fn new() -> Self {
        Self::full(BURST, CALLS_PER_RETRY)
    }

    /// Sets the maximum number of retries in the budget. Default: 10. With 0 nothing is retried.
    ///
    /// The result is full and shares nothing with `self`.
    #[must_use]
    pub fn burst(self, retries: u32) -> Self {
        Self::full(retries, self.calls_per_retry)
    }

    /// Sets how many answered calls earn a retry. Default: 10. With 0 every call may be retried as often as its
    /// [`RetryPolicy`](crate::RetryPolicy) allows.
    ///
    /// The result is full and shares nothing with `self`.
    #[must_use]
    pub fn calls_per_retry(self, calls: u32) -> Self {
        Self::full(self.burst, calls)
    }

    fn full(burst: u32, calls_per_retry: u32) -> Self {
        let left = Arc::new(AtomicU32::new(burst.saturating_mul(calls_per_retry)));
        Self { burst, calls_per_retry, left }
    }

    /// Counts a call that was answered.
    pub(crate) fn deposit(&self) {
        let full = self.burst.saturating_mul(self.calls_per_retry);
        // A full budget is only read, so that successful calls do not contend for it.
        self.change(|left| (left < full).then(|| left + 1));
    }

    /// Takes a retry out of the budget. Returns false if none is left.
    pub(crate) fn withdraw(&self) -> bool {
        self.burst > 0 && self.change(|left| left.checked_sub(self.calls_per_retry))
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

/// Default number of retries in a full budget.
pub(crate) const BURST: u32 = 10;

/// Default number of answered calls that earn a retry.
pub(crate) const CALLS_PER_RETRY: u32 = 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BURST, CALLS_PER_RETRY, RetryBudget};

    fn withdrawals(budget: &RetryBudget, wishes: u32) -> u32 {
        (0..wishes).map(|_| u32::from(budget.withdraw())).sum()
    }

    #[test]
    fn is_empty_after_its_burst() {
        for wishes in [BURST - 1, BURST, BURST + 1] {
            assert_eq!(withdrawals(&RetryBudget::new(), wishes), wishes.min(BURST), "{wishes}");
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
    fn never_holds_more_than_its_burst() {
        let budget = RetryBudget::new();
        (0..1000).for_each(|_| budget.deposit());
        assert_eq!(withdrawals(&budget, 100), BURST);
    }

    #[test]
    fn extreme_settings() {
        assert_eq!(withdrawals(&RetryBudget::new().burst(0), 9), 0);
        assert_eq!(withdrawals(&RetryBudget::new().calls_per_retry(0), 99), 99);
        assert_eq!(withdrawals(&RetryBudget::new().calls_per_retry(0).burst(0), 9), 0);
        let huge = RetryBudget::new().burst(u32::MAX).calls_per_retry(u32::MAX);
        huge.deposit();
        assert_eq!(withdrawals(&huge, 9), 1);
    }

    proptest! {
        #[test]
        fn never_allows_more_than_was_earned(
            burst in 0_u32..20,
            calls_per_retry in 1_u32..20,
            deposits in proptest::collection::vec(any::<bool>(), 0..500),
        ) {
            let budget = RetryBudget::new().burst(burst).calls_per_retry(calls_per_retry);
            let (mut retries, mut answered) = (0, 0);
            for deposit in deposits {
                if deposit {
                    budget.deposit();
                    answered += 1;
                } else {
                    retries += u32::from(budget.withdraw());
                }
                prop_assert!(retries <= burst + answered / calls_per_retry);
            }
        }
    }
}
