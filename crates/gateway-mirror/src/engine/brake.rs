//! The rules about records that a list lacks, and the brake.

use crate::error::{Error, ErrorKind};

/// The rules of a sync.
///
/// ```
/// use gateway_mirror::Rules;
///
/// // A deletion counts after three complete lists, and the 4,812 records that the brake reported may be missing.
/// let rules = Rules::new().confirm(3).accept_missing(4812);
/// # assert_ne!(rules, Rules::new());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Rules {
    pub(crate) confirm: u32,
    pub(crate) accepted: Option<u64>,
    pub(crate) emits_baseline: bool,
}

impl Rules {
    /// Creates the default rules.
    pub const fn new() -> Self {
        Self { confirm: 2, accepted: None, emits_baseline: false }
    }

    /// Sets after how many complete lists in a row without it a record is gone. Default: 2. With 1, it is never
    /// missing, and gone in the first such list.
    pub const fn confirm(self, lists: u32) -> Self {
        Self { confirm: if lists == 0 { 1 } else { lists }, ..self }
    }

    /// Accepts a list in which exactly this many records are newly missing. The brake refuses any other number as before.
    pub const fn accept_missing(self, records: u64) -> Self {
        Self { accepted: Some(records), ..self }
    }

    /// Emits the records of the first sync of a scope as added. By default, the first sync emits nothing.
    pub const fn emit_baseline(self) -> Self {
        Self { emits_baseline: true, ..self }
    }

    /// Refuses a list that lacks too many records.
    pub(crate) fn check(self, absent: Absent, present: u64, is_empty: bool) -> Result<(), Error> {
        let is_too_many = absent.newly > 0
            && (is_empty || absent.newly > TOLERATED && absent.newly > present / TOLERATED_SHARE);
        if !is_too_many || self.accepted == Some(absent.newly) {
            return Ok(());
        }
        let newly = absent.newly;
        let cause = if is_empty {
            format!("it is empty, but the mirror has {present} records")
        } else {
            let share = 100 / TOLERATED_SHARE;
            format!(
                "{newly} of {present} records are missing from it (more than {TOLERATED} and more than {share} %)"
            )
        };
        let text = format!(
            "cannot commit the list: {cause}; check the service, then accept {newly} missing records"
        );
        Err(Error::new(ErrorKind::Brake, text).with_missing(absent.newly))
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

/// How many known records a complete list lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// Those that were present before.
    pub(crate) newly: u64,
    /// Those that were missing before.
    pub(crate) again: u64,
}

/// How many records may be newly missing in a list of any length.
const TOLERATED: u64 = 50;

/// The share of the records that may be newly missing is one in this many.
const TOLERATED_SHARE: u64 = 10;

#[cfg(test)]
mod tests {
    use super::{Absent, Rules};

    fn refused(rules: Rules, newly: u64, present: u64, is_empty: bool) -> Option<u64> {
        let result = rules.check(Absent { newly, again: 7 }, present, is_empty);
        result.err().and_then(|error| error.missing())
    }

    #[test]
    fn more_than_fifty_and_more_than_a_tenth_are_refused() {
        let rules = Rules::new();
        for (newly, present, is_refused) in [
            (0, 0, false),
            (50, 60, false),
            (51, 60, true),
            (51, 509, true),
            (51, 510, false),
            (100, 1000, false),
            (101, 1000, true),
        ] {
            let expected = is_refused.then_some(newly);
            assert_eq!(refused(rules, newly, present, false), expected, "{newly} of {present}");
        }
    }

    #[test]
    fn a_list_that_became_empty_is_refused() {
        assert_eq!(refused(Rules::new(), 1, 1, true), Some(1));
        assert_eq!(refused(Rules::new(), 0, 0, true), None);
    }

    #[test]
    fn only_the_exact_number_is_accepted() {
        let rules = Rules::new().accept_missing(101);
        assert_eq!(refused(rules, 101, 1000, false), None);
        assert_eq!(refused(rules, 102, 1000, false), Some(102));
        assert_eq!(refused(rules, 1000, 1000, true), Some(1000));
    }
}
