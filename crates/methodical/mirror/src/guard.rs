//! The deletion guard, which refuses a list in which too many records are missing or replaced. It does no I/O.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};

/// The rules of a sync: what the deletion guard accepts, and what the first sync emits.
///
/// ```
/// use methodical_mirror::Rules;
///
/// // Accept that the 4,812 records that the guard reported are missing.
/// let rules = Rules { accepted_missing: Some(4812), ..Rules::default() };
/// # assert_ne!(rules, Rules::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct Rules {
    /// Accepts a list in which exactly this many records are newly missing or now refer to other people. The deletion
    /// guard still refuses any other number.
    pub accepted_missing: Option<u64>,
    /// Whether a scope's first sync emits its records as added. By default, it emits nothing.
    pub emits_baseline: bool,
}

impl Rules {
    /// Refuses a list in which too many records are missing or replaced. Otherwise, returns whether it was accepted
    /// only because of `accepted_missing`.
    pub(crate) fn check(self, list: Judged) -> Result<bool, Error> {
        let Judged { newly, replaced, present, is_empty, now, lost } = list;
        let is_many = |count: u64, of: u64| count > TOLERATED && count > of / TOLERATED_SHARE;
        let is_replaced = replaced > FEW && replaced > present / 2;
        let replaced = if is_replaced { replaced } else { 0 };
        let missing = newly + replaced;
        let (week_ago, share) = (now + lost, 100 / TOLERATED_SHARE);
        let cause = if newly > 0 && is_empty {
            format!("the list is empty, but the mirror has {present} records")
        } else if is_many(newly, present) {
            format!(
                "{newly} of {present} records are missing from the list (more than {TOLERATED} and more than {share} %)"
            )
        } else if is_replaced {
            format!(
                "{replaced} of {present} records have different personal data, as if their ids now belonged to other \
                 people"
            )
        } else if newly > 0 && is_many(lost, week_ago) {
            format!(
                "only {now} records are left of {week_ago} a week ago (more than {TOLERATED} and more than {share} % were lost)"
            )
        } else {
            return Ok(false);
        };
        if self.accepted_missing == Some(missing) {
            return Ok(true);
        }
        let text = format!("{cause}; check the service, then accept {missing} missing records");
        Err(Error::new(ErrorKind::DeletionGuard, text).with_missing(missing))
    }
}

/// The facts about a list that the deletion guard judges.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judged {
    /// How many records are newly missing.
    pub(crate) newly: u64,
    /// How many records now seem to describe other people.
    pub(crate) replaced: u64,
    /// How many records were present before.
    pub(crate) present: u64,
    pub(crate) is_empty: bool,
    /// How many records would be present after the sync.
    pub(crate) now: u64,
    /// How many records were lost in the last week, including the newly missing ones.
    pub(crate) lost: u64,
}

/// A list's net loss of records on each day, counted in days since 1970. Records that were forgotten, or that left with
/// another record, are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Week(BTreeMap<i64, i64>);

impl Week {
    /// Adds the records that left and arrived at a time, in seconds since 1970, and removes days older than a week.
    pub(crate) fn add(&mut self, at: i64, left: u64, came: u64) {
        let day = at.div_euclid(24 * 3600);
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.retain(|one, _| (day - DAYS..=day).contains(one));
        let lost = self.0.entry(day).or_default();
        *lost = lost.saturating_add(signed(left)).saturating_sub(signed(came));
    }

    /// Returns the list's net loss of records in the last week, or 0 if it gained records.
    pub(crate) fn lost(&self) -> u64 {
        u64::try_from(self.0.values().sum::<i64>()).unwrap_or_default()
    }
}

/// Number of records that may be newly missing, however short the list is.
const TOLERATED: u64 = 50;

/// One in this many records may be newly missing.
const TOLERATED_SHARE: u64 = 10;

/// Number of records that may seem to describe other people, however short the list is.
const FEW: u64 = 10;

const DAYS: i64 = 7;

#[cfg(test)]
mod tests {
    use super::{Judged, Rules};

    #[test]
    fn only_the_exact_number_of_too_many_records_is_accepted() {
        for (newly, replaced, lost, present, expected) in [
            // More than fifty and more than a tenth are missing.
            (0, 0, 0, 0, None),
            (50, 0, 0, 60, None),
            (51, 0, 0, 60, Some(51)),
            (51, 0, 0, 509, Some(51)),
            (51, 0, 0, 510, None),
            (100, 0, 0, 1000, None),
            (101, 0, 0, 1000, Some(101)),
            // More than ten and more than half are other people.
            (0, 10, 0, 12, None),
            (0, 11, 0, 12, Some(11)),
            (0, 11, 0, 22, None),
            (3, 600, 3, 1000, Some(603)),
            // Small losses add up over a week.
            (60, 0, 120, 1000, Some(60)),
            (60, 0, 104, 1000, None),
            (0, 0, 500, 1000, None),
            (5, 0, 50, 100, None),
            // The list became empty.
            (1, 0, 0, 1, Some(1)),
        ] {
            let now = present - newly;
            let judged = Judged { newly, replaced, present, is_empty: now == 0, now, lost };
            let refused =
                |rules: Rules| rules.check(judged).err().and_then(|error| error.missing());
            assert_eq!(refused(Rules::default()), expected, "{judged:?}");
            let Some(number) = expected else { continue };
            let accepting = |number| Rules { accepted_missing: Some(number), ..Rules::default() };
            assert!(accepting(number).check(judged).unwrap(), "{judged:?}");
            assert_eq!(refused(accepting(number + 1)), expected, "{judged:?}");
        }
    }
}
