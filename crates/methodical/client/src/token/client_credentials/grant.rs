//! A token of an authorisation server, and how long it is used.

use std::fmt;
use std::time::Duration;

use gateway_transport::Instant;

use crate::AccessToken;

/// The last token of the authorisation server.
pub(super) struct Grant {
    pub(super) token: AccessToken,
    /// The time from which the next token is requested.
    renewal: Instant,
    /// The time at which this token expires; `None` if the server did not send it.
    end: Option<Instant>,
}

impl Grant {
    /// Creates a grant of a token that was requested at `asked` and has this lifetime from then on.
    pub(super) fn new(token: AccessToken, lifetime: Option<Duration>, asked: Instant) -> Self {
        // Half of a short lifetime, so that a token of half a minute is used for more than one call.
        let use_of = |lifetime: Duration| lifetime.saturating_sub(RENEWAL_LEAD).max(lifetime / 2);
        let used = lifetime.map_or(MAX_USE, |lifetime| use_of(lifetime).min(MAX_USE));
        // An end beyond the range of the clock counts as no end.
        let end = lifetime.and_then(|lifetime| asked.checked_add(lifetime));
        Self { token, renewal: asked + used, end }
    }

    /// Whether it is too early to request the next token.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        now < self.renewal
    }

    /// Whether the service should still accept it.
    pub(super) fn is_valid(&self, now: Instant) -> bool {
        self.end.is_none_or(|end| now < end)
    }

    /// Keeps using the token while the next one is requested. Returns the deadline of that request.
    ///
    /// If the request fails, the token is used until the next request is due.
    pub(super) fn postpone_renewal(&mut self, now: Instant) -> Instant {
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

/// Time before its end at which a token is replaced, if its lifetime is at least twice as long.
const RENEWAL_LEAD: Duration = Duration::from_secs(30);

/// Maximum time that a token is used, even if its lifetime is longer or unknown.
const MAX_USE: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between two requests to replace a token that is still valid. A request may take half as long.
const RENEWAL_PAUSE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Grant, MAX_USE, RENEWAL_LEAD, RENEWAL_PAUSE};
    use crate::AccessToken;

    fn grant(lifetime: Option<Duration>, asked: Instant) -> Grant {
        Grant::new(AccessToken::new("gwt_x").unwrap(), lifetime, asked)
    }

    fn just_before(end: Instant) -> Instant {
        end.checked_sub(Duration::from_nanos(1)).unwrap()
    }

    #[test]
    fn renewal_is_shortly_before_the_end_or_after_half_a_short_life_or_after_a_day() {
        let (lead, day) = (RENEWAL_LEAD.as_secs(), MAX_USE.as_secs());
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
    fn a_renewal_is_postponed_but_never_beyond_the_end() {
        let asked = Instant::now();
        let mut grant = grant(Some(2 * RENEWAL_LEAD), asked);
        let due = asked + RENEWAL_LEAD;
        assert_eq!(grant.postpone_renewal(due), due + RENEWAL_PAUSE / 2);
        assert!(grant.is_fresh(just_before(due + RENEWAL_PAUSE)));
        assert!(!grant.is_fresh(due + RENEWAL_PAUSE));

        let (second, end) = (Duration::from_secs(1), asked + 2 * RENEWAL_LEAD);
        let late = end.checked_sub(second).unwrap();
        assert_eq!(grant.postpone_renewal(late), late + second / 2);
        assert!(grant.is_fresh(just_before(end)));
        assert!(!grant.is_fresh(end));
    }
}
