//! Decides what a list means for the records that a store knows. It does no I/O.

pub(crate) mod brake;
pub(crate) mod known;
pub(crate) mod seen;
pub(crate) mod week;

use crate::engine::brake::Absent;
use crate::engine::known::{Known, State};
use crate::engine::seen::Seen;
use crate::fields::hash::Hash;

/// The result of comparing a record of a list with the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It has the stored meaning.
    Unchanged,
    /// It has the stored meaning, but the row has other columns than the table.
    Outdated,
    /// It has another meaning, unless only fields differ that one of two shapes does not list.
    Changed,
    /// It was missing, and has the stored meaning.
    Back,
    /// It was missing, and has another meaning.
    BackChanged,
    /// It was gone, so that its meaning is no longer known.
    Returned,
    /// It is forgotten.
    Suppressed,
    /// It has occurred before in this list, with the same meaning.
    Repeated,
    /// It has occurred before in this list, with another meaning.
    Contradicts,
}

/// Compares the records of one list with the store.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// The number of the current columns.
    shape: i64,
    seen: Seen,
    before: Before,
    present: u64,
    missing: u64,
    entries: u64,
    rejected: u64,
}

/// How many records of the scope the store knows before the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) present: u64,
    pub(crate) missing: u64,
}

impl Comparison {
    pub(crate) fn new(shape: i64, before: Before) -> Self {
        let seen = Seen::default();
        Self { shape, seen, before, present: 0, missing: 0, entries: 0, rejected: 0 }
    }

    /// Judges a record that the store knows by its identity.
    pub(crate) fn judge(&mut self, known: Known, hash: Hash) -> Verdict {
        self.entries += 1;
        if !self.seen.insert(known.key) {
            let is_same = known.state == State::Forgotten || known.hash == Some(hash);
            return if is_same { Verdict::Repeated } else { self.contradicts() };
        }
        let is_same = known.hash == Some(hash);
        match known.state {
            State::Forgotten => Verdict::Suppressed,
            State::Gone => Verdict::Returned,
            State::Missing => {
                self.missing += 1;
                if is_same && known.shape == self.shape {
                    Verdict::Back
                } else {
                    Verdict::BackChanged
                }
            }
            State::Present => {
                self.present += 1;
                match (is_same, known.shape == self.shape) {
                    (true, true) => Verdict::Unchanged,
                    (true, false) => Verdict::Outdated,
                    (false, _) => Verdict::Changed,
                }
            }
        }
    }

    /// Counts a record that the store does not know, and that gets this key.
    pub(crate) fn add(&mut self, key: i64) {
        self.entries += 1;
        self.seen.insert(key);
    }

    /// Counts a record whose forgotten identity has no row.
    pub(crate) fn suppress(&mut self) {
        self.entries += 1;
    }

    /// Counts a present or missing record that stays as it is.
    pub(crate) fn keep(&mut self, key: i64, is_missing: bool) {
        if self.seen.insert(key) {
            self.entries += 1;
            *(if is_missing { &mut self.missing } else { &mut self.present }) += 1;
        }
    }

    /// Counts a record that could not be decoded.
    pub(crate) fn reject(&mut self) {
        self.entries += 1;
        self.rejected += 1;
    }

    fn contradicts(&mut self) -> Verdict {
        self.rejected += 1;
        Verdict::Contradicts
    }

    /// Returns how many known records the complete list lacks; none if that is not known because a record was rejected.
    pub(crate) fn absent(&self) -> Absent {
        if self.rejected > 0 {
            return Absent::default();
        }
        Absent {
            newly: self.before.present.saturating_sub(self.present),
            again: self.before.missing.saturating_sub(self.missing),
        }
    }

    /// Returns how many records were present before.
    pub(crate) fn present_before(&self) -> u64 {
        self.before.present
    }

    /// Returns whether the list has no record.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Returns whether the record with this key is in the list.
    pub(crate) fn has(&self, key: i64) -> bool {
        self.seen.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Comparison, Verdict};
    use crate::engine::brake::Absent;
    use crate::engine::known::{Known, State};
    use crate::fields::hash::Hash;

    const OLD: Hash = Hash::from_bytes([1; 16]);
    const NEW: Hash = Hash::from_bytes([2; 16]);

    fn known(key: i64, state: State) -> Known {
        let hash = matches!(state, State::Present | State::Missing).then_some(OLD);
        Known { key, state, misses: 0, shape: 1, hash, text: None }
    }

    #[test]
    fn a_record_is_judged_by_state_meaning_and_shape() {
        for (state, shape, hash, verdict) in [
            (State::Present, 1, OLD, Verdict::Unchanged),
            (State::Present, 2, OLD, Verdict::Outdated),
            (State::Present, 1, NEW, Verdict::Changed),
            (State::Present, 2, NEW, Verdict::Changed),
            (State::Missing, 1, OLD, Verdict::Back),
            (State::Missing, 2, OLD, Verdict::BackChanged),
            (State::Missing, 1, NEW, Verdict::BackChanged),
            (State::Gone, 1, NEW, Verdict::Returned),
            (State::Forgotten, 1, NEW, Verdict::Suppressed),
        ] {
            let mut comparison = Comparison::new(shape, Before::default());
            assert_eq!(comparison.judge(known(1, state), hash), verdict, "{state:?}");
        }
    }

    #[test]
    fn a_repeated_record_counts_once_and_a_contradiction_is_rejected() {
        let mut comparison = Comparison::new(1, Before { present: 2, missing: 0 });
        let record = known(1, State::Present);
        assert_eq!(comparison.judge(record, OLD), Verdict::Unchanged);
        assert_eq!(comparison.judge(record, OLD), Verdict::Repeated);
        assert_eq!(comparison.absent(), Absent { newly: 1, again: 0 });
        assert_eq!(comparison.judge(record, NEW), Verdict::Contradicts);
        assert_eq!(comparison.absent(), Absent::default());
    }

    #[test]
    fn a_list_with_a_rejected_record_makes_nothing_missing() {
        let mut comparison = Comparison::new(1, Before { present: 1000, missing: 3 });
        comparison.reject();
        assert_eq!(comparison.absent(), Absent::default());
    }

    #[test]
    fn records_that_are_missing_again_are_counted_apart() {
        let mut comparison = Comparison::new(1, Before { present: 2, missing: 2 });
        comparison.judge(known(1, State::Missing), OLD);
        comparison.judge(known(2, State::Present), OLD);
        comparison.add(5);
        assert_eq!(comparison.absent(), Absent { newly: 1, again: 1 });
        assert!(comparison.has(5) && !comparison.has(3));
    }
}
