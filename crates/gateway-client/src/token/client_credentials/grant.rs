//! A token of an authorisation server, and for how long it is used.

use std::fmt;
use std::time::{Duration, Instant};

use crate::AccessToken;

/// What the authorisation server gave last.
pub(super) struct Grant {
    pub(super) token: AccessToken,
    /// From here on, another one is asked for.
    renewal: Instant,
    /// From here on, this one is no good; `None` if the server did not say.
    end: Option<Instant>,
}

impl Grant {
    /// A token that was asked for at a moment, and lasts so long from then on.
    pub(super) fn new(token: AccessToken, lifetime: Option<Duration>, asked: Instant) -> Self {
        // Half of a short life, so that a token of half a minute serves more than one call.
        let use_of = |lifetime: Duration| lifetime.saturating_sub(RENEWED_BEFORE).max(lifetime / 2);
        let used = lifetime.map_or(LONGEST_USE, |lifetime| use_of(lifetime).min(LONGEST_USE));
        // An end that no clock can hold is none.
        let end = lifetime.and_then(|lifetime| asked.checked_add(lifetime));
        Self { token, renewal: asked + used, end }
    }

    /// Whether it is too early to ask for another one.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        now < self.renewal
    }

    /// Whether the service should still accept it.
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        self.end.is_none_or(|end| now < end)
    }

    /// Makes do with it while another one is asked for, and for a while if there is none. Returns when to give up.
    pub(super) fn put_off(&mut self, now: Instant) -> Instant {
        let left = self.end.map_or(RENEWAL_PAUSE, |end| end.saturating_duration_since(now));
        let pause = left.min(RENEWAL_PAUSE);
        self.renewal = now + pause;
        now + pause / 2
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").finish_non_exhaustive()
    }
}

/// How long before its end a token is replaced, if it lasts at least twice as long.
const RENEWED_BEFORE: Duration = Duration::from_secs(30);

/// How long a token is used at most, even if it lasts longer, or if the server did not say how long.
const LONGEST_USE: Duration = Duration::from_secs(24 * 60 * 60);

/// From one try to replace a token that is still good to the next. A try lasts half as long.
const RENEWAL_PAUSE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Grant, LONGEST_USE, RENEWAL_PAUSE, RENEWED_BEFORE};
    use crate::AccessToken;

    fn grant(lifetime: Option<Duration>, asked: Instant) -> Grant {
        Grant::new(AccessToken::new("gwt_x").unwrap(), lifetime, asked)
    }

    fn just_before(end: Instant) -> Instant {
        end.checked_sub(Duration::from_nanos(1)).unwrap()
    }

    #[test]
    fn is_used_until_shortly_before_its_end_for_half_of_a_short_life_and_for_a_day_at_most() {
        let (lead, day) = (RENEWED_BEFORE.as_secs(), LONGEST_USE.as_secs());
        for (lifetime, milliseconds) in [
            (Some(1), 500),
            (Some(lead), lead * 500),
            (Some(2 * lead - 1), lead * 1000 - 500),
            (Some(2 * lead), lead * 1000),
            (Some(2 * lead + 1), (lead + 1) * 1000),
            (Some(day + lead - 1), (day - 1) * 1000),
            (Some(day + lead), day * 1000),
            (Some(day + lead + 1), day * 1000),
            (Some(u64::MAX), day * 1000),
            (None, day * 1000),
        ] {
            let asked = Instant::now();
            let grant = grant(lifetime.map(Duration::from_secs), asked);
            let renewal = asked + Duration::from_millis(milliseconds);
            assert!(grant.is_fresh(just_before(renewal)), "{lifetime:?}");
            assert!(!grant.is_fresh(renewal), "{lifetime:?}");
        }
    }

    #[test]
    fn is_valid_until_its_end() {
        let asked = Instant::now();
        let hour = Duration::from_secs(60 * 60);
        assert!(grant(Some(hour), asked).is_valid(just_before(asked + hour)));
        assert!(!grant(Some(hour), asked).is_valid(asked + hour));
        assert!(grant(None, asked).is_valid(asked + 1000 * hour));
        let over = grant(Some(Duration::ZERO), asked);
        assert!(!over.is_valid(asked) && !over.is_fresh(asked));
    }

    #[test]
    fn a_renewal_is_put_off_for_a_while_but_never_beyond_the_end() {
        let asked = Instant::now();
        let mut grant = grant(Some(2 * RENEWED_BEFORE), asked);
        let due = asked + RENEWED_BEFORE;
        assert_eq!(grant.put_off(due), due + RENEWAL_PAUSE / 2);
        assert!(grant.is_fresh(just_before(due + RENEWAL_PAUSE)));
        assert!(!grant.is_fresh(due + RENEWAL_PAUSE));

        let (second, end) = (Duration::from_secs(1), asked + 2 * RENEWED_BEFORE);
        let late = end.checked_sub(second).unwrap();
        assert_eq!(grant.put_off(late), late + second / 2);
        assert!(grant.is_fresh(just_before(end)));
        assert!(!grant.is_fresh(end));
    }
}
