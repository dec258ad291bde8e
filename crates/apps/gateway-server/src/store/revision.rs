//! Creates a revision: the tags of its lists.

use std::time::Duration;

use crate::error::Error;
use crate::store::session::Session;
use crate::store::snapshot::AccountId;
use crate::store::sql;
use crate::token::random;

/// Sets the revision of the account to `next`. Its rows are already written. `changed` says whether it changed the candidates,
/// the statuses, the vacancies and the credit balance, in this order.
pub(crate) fn create_revision<S: Session>(
    session: &mut S,
    account: AccountId,
    next: i64,
    changed: [bool; 4],
) -> Result<(), Error> {
    let AccountId(account) = account;
    let mut tags: [i64; 4] = session.first(sql::LAST_TAGS, &[account])?.unwrap_or_default();
    let tag = draw_tag()?;
    for (own, changed) in tags.iter_mut().zip(changed) {
        if changed {
            *own = tag;
        }
    }
    session.execute(sql::SET_REVISION, &[next, tag, account])?;
    // The time is read last and from the clock of the database. Responses that began before this revision still read
    // the rows that it supersedes, so those rows must not look older than they are.
    let [now] = session.first(S::NOW, &[])?.unwrap_or([0]);
    let [candidates, statuses, vacancies, credits] = tags;
    let row = [account, next, now, tag, candidates, statuses, vacancies, credits];
    session.execute(sql::CREATE_REVISION, &row)?;
    Ok(())
}

/// Draws the tag of a new revision. It is never 0, which is the tag of an account without data.
pub(super) fn draw_tag() -> Result<i64, Error> {
    Ok(i64::from_ne_bytes(random()?) | 1)
}

/// Returns the time `age` before `now`, in seconds since 1970.
pub(super) fn seconds_before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_secs()).unwrap_or(i64::MAX))
}
