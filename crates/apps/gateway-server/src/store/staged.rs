//! Facts about the staged records of an import, gathered while they are staged.

/// The staged records of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Staged {
    pub(super) vacancies: Sequence,
    pub(super) candidates: Sequence,
    pub(super) applications: Sequence,
}

/// The keys of the staged records of a kind, in the order of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence {
    count: u64,
    last: Option<(i64, i64)>,
    is_ascending: bool,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { count: 0, last: None, is_ascending: true }
    }
}

impl Sequence {
    /// Adds the key of the next record.
    pub(super) fn push(&mut self, key: (i64, i64)) {
        self.is_ascending &= self.last.is_none_or(|last| last < key);
        self.last = Some(key);
        self.count += 1;
    }

    /// Returns the number of records.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether each key is greater than the one before it. Then no key occurs twice.
    pub(super) fn is_ascending(&self) -> bool {
        self.is_ascending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_occurs_twice_is_not_ascending() {
        let sequence = |keys: &[i64]| {
            let mut sequence = Sequence::default();
            for key in keys {
                sequence.push((7, *key));
            }
            (sequence.count(), sequence.is_ascending())
        };
        assert_eq!(sequence(&[]), (0, true));
        assert_eq!(sequence(&[1, 2, 9]), (3, true));
        assert_eq!(sequence(&[1, 2, 2]), (3, false));
        assert_eq!(sequence(&[2, 1, 3]), (3, false));
    }
}
