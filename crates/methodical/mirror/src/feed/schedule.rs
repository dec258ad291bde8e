//! The times of repeated syncs.

use std::time::{Duration, Instant};

use crate::feed::stop::Stop;
use crate::fields::hash::fill;

/// The times of repeated syncs: immediately, and then at multiples of an interval after the first one, however long a sync
/// takes. A time that passes during a sync is skipped. Each time but the first is delayed at random, so that many programs do not
/// call a service together.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use methodical_mirror::{Due, Schedule, Stop};
///
/// let (mut schedule, stop) = (Schedule::every(Duration::from_secs(900)), Stop::new());
/// assert_eq!(schedule.wait(&stop, None), Due::Sync);
/// stop.request();
/// assert_eq!(schedule.wait(&stop, None), Due::Stop);
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    interval: Duration,
    jitter: Duration,
    /// The time of the first sync, and that of the next one.
    times: Option<(Instant, Instant)>,
}

/// The reason for the end of a [wait](Schedule::wait).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Due {
    /// A sync is due, and a delivery after it.
    Sync,
    /// A delivery is due that failed before.
    Delivery,
    /// The request to stop was sent.
    Stop,
}

impl Schedule {
    /// Creates a schedule with this interval, from 1 second to one year. A shorter or longer one becomes the limit.
    pub fn every(interval: Duration) -> Self {
        let interval = interval.clamp(SHORTEST, LONGEST);
        Self { interval, jitter: interval / 10, times: None }
    }

    /// Sets the maximum random delay of a sync, at most half of the interval. Default: a tenth of the interval.
    #[must_use]
    pub fn jitter(self, jitter: Duration) -> Self {
        Self { jitter: jitter.min(self.interval / 2), ..self }
    }

    /// Waits until the next sync is due, or for `early`, if that is shorter, or until the request to stop is sent.
    pub fn wait(&mut self, stop: &Stop, early: Option<Duration>) -> Due {
        let now = Instant::now();
        let (_, next) = *self.times.get_or_insert((now, now));
        let early = early.and_then(|early| now.checked_add(early)).filter(|early| *early < next);
        if stop.wait_until(early.unwrap_or(next)) {
            return Due::Stop;
        }
        if early.is_some() {
            return Due::Delivery;
        }
        let mut random = [0; 4];
        // Without random numbers, the sync is not delayed.
        let _not_random = fill(&mut random);
        self.advance(Instant::now(), u32::from_le_bytes(random));
        Due::Sync
    }

    /// Sets the time of the next sync.
    fn advance(&mut self, now: Instant, random: u32) {
        let Some((first, next)) = &mut self.times else { return };
        let passed = now.saturating_duration_since(*first).as_nanos() / self.interval.as_nanos();
        let count = u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1);
        let delay = self.jitter.mul_f64(f64::from(random) / f64::from(u32::MAX));
        let after = self.interval.saturating_mul(count).saturating_add(delay);
        *next = first.checked_add(after).unwrap_or(now + self.interval);
    }
}

/// Minimum interval.
const SHORTEST: Duration = Duration::from_secs(1);

/// Maximum interval.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Schedule;

    /// Returns when the next sync is due. Times are seconds after the first sync.
    fn next(schedule: &Schedule, began: u64, random: u32) -> u64 {
        let first = Instant::now();
        let mut schedule = Schedule { times: Some((first, first)), ..schedule.clone() };
        schedule.advance(first + Duration::from_secs(began), random);
        schedule.times.unwrap().1.duration_since(first).as_secs()
    }

    #[test]
    fn syncs_do_not_drift_and_passed_times_are_skipped() {
        let schedule = Schedule::every(Duration::from_secs(60)).jitter(Duration::ZERO);
        let began = [0, 1, 59, 60, 61, 119, 120, 1000];
        assert_eq!(
            began.map(|began| next(&schedule, began, u32::MAX)),
            [60, 60, 60, 120, 120, 120, 180, 1020]
        );
    }

    #[test]
    fn a_random_delay_does_not_add_up() {
        let schedule = Schedule::every(Duration::from_secs(60));
        assert_eq!(
            [0, u32::MAX / 2, u32::MAX].map(|random| next(&schedule, 0, random)),
            [60, 62, 66]
        );
        assert_eq!(next(&schedule, 66, 0), 120);
        let most = Schedule::every(Duration::from_secs(60)).jitter(Duration::MAX);
        assert_eq!(next(&most, 90, u32::MAX), 150);
    }

    #[test]
    fn intervals_have_limits() {
        assert_eq!(next(&Schedule::every(Duration::ZERO), 0, 0), 1);
        assert_eq!(next(&Schedule::every(Duration::MAX), 0, 0), 366 * 24 * 60 * 60);
    }
}
