//! Tags and ages of revisions.

use std::time::Duration;

use crate::error::Error;
use crate::token::random;

/// Draws the tag of a new revision. It is never 0, which is the tag of an account without data.
pub(super) fn draw_tag() -> Result<i64, Error> {
    Ok(i64::from_ne_bytes(random()?) | 1)
}

/// Returns the time `age` before `now`, in seconds since 1970.
pub(super) fn seconds_before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_secs()).unwrap_or(i64::MAX))
}
