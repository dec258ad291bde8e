//! The delay before a failed delivery is attempted again.

use std::time::Duration;

/// Returns the delay after this number of failures in a row: 5 seconds, tripled with each failure, at most one hour, and
/// shortened at random by up to half.
pub(crate) fn delay(failures: u32, random: u32) -> Duration {
    let exponent = failures.saturating_sub(1).min(MAX_EXPONENT);
    let longest = FIRST.saturating_mul(FACTOR.saturating_pow(exponent)).min(LONGEST);
    let half = longest / 2;
    half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Returns the delay that a receiver asked for, within limits.
pub(crate) fn asked(delay: Duration) -> Duration {
    delay.min(LONGEST_ASKED)
}

/// Delay after the first failure.
const FIRST: Duration = Duration::from_secs(5);

const FACTOR: u32 = 3;

/// Keeps the power within `u32`.
const MAX_EXPONENT: u32 = 10;

/// Maximum delay.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Maximum delay that a receiver can ask for.
pub(crate) const LONGEST_ASKED: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::delay;

    #[test]
    fn the_delay_grows_up_to_one_hour() {
        let seconds = |failures| delay(failures, u32::MAX).as_secs();
        let delays = [1, 2, 3, 4, 5, 6, 7, 8, u32::MAX].map(seconds);
        assert_eq!(delays, [5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
    }

    #[test]
    fn chance_shortens_the_delay_by_up_to_half() {
        assert_eq!(delay(3, 0).as_millis(), 22_500);
        assert_eq!(delay(3, u32::MAX / 2).as_millis(), 33_749);
    }
}
