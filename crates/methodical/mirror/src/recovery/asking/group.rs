//! One group of a recovery: what is known of it, and what was answered.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::error::Error;

/// The knowledge of a mirror about a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) members: Digest,
    /// How many members have each value.
    pub(crate) values: BTreeMap<String, u64>,
    /// How many members have no known value.
    pub(crate) unknown: u64,
    /// Its values are asked for even if its members did not change.
    pub(crate) is_due: bool,
}

/// The number of some identities, and the sum of their hashes: a set in 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    count: u64,
    sum: u64,
}

impl Digest {
    pub(crate) fn add(&mut self, hash: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// The result of a group.
#[derive(Debug)]
pub(crate) enum Fate {
    /// The number of the value of each member, if it is known.
    Placed(HashMap<String, Option<usize>>),
    /// Its members did not change, and it was not due.
    Kept,
    /// An answer failed, so that nothing changes.
    Failed(Error),
}

/// A group that is being asked.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) known: Known,
    /// The values that were not asked for, the next one last.
    order: Vec<usize>,
    all: Vec<usize>,
    pub(crate) received: Option<Digest>,
    pub(crate) members: HashMap<String, Option<usize>>,
    pub(crate) unplaced: usize,
    /// Its answers contradicted each other once.
    pub(crate) is_again: bool,
    pub(crate) fate: Option<Fate>,
}

impl Group {
    pub(crate) fn new(known: Known, values: &[String]) -> Self {
        let mut all: Vec<usize> = (0..values.len()).collect();
        // The sort is stable, so that the general order decides between equals.
        let count = |index: &usize| values.get(*index).and_then(|value| known.values.get(value));
        all.sort_by_key(|index| Reverse(count(index).copied().unwrap_or_default()));
        all.reverse();
        Self {
            known,
            order: all.clone(),
            all,
            received: None,
            members: HashMap::new(),
            unplaced: 0,
            is_again: false,
            fate: None,
        }
    }

    /// Returns the value to ask for.
    pub(crate) fn next_value(&mut self) -> Option<usize> {
        self.order.pop()
    }

    /// Returns whether no value has to be asked for.
    pub(crate) fn is_finished(&self) -> bool {
        self.unplaced == 0 || self.order.is_empty()
    }

    /// Returns whether there is a value that was not asked for.
    pub(crate) fn has_next(&self) -> bool {
        !self.order.is_empty()
    }

    /// Returns how many values its members have; 2 for more than one.
    pub(crate) fn values_found(&self) -> usize {
        let mut values = self.members.values().flatten();
        match values.next() {
            None => 0,
            Some(first) => {
                if values.all(|value| value == first) {
                    1
                } else {
                    2
                }
            }
        }
    }

    /// Gives members their value. Fails if the answers contradict each other.
    pub(crate) fn place(&mut self, value: usize, ids: &[String]) -> Result<(), &'static str> {
        for id in ids {
            match self.members.get_mut(id) {
                None => return Err("a value has records that its group lacks"),
                Some(Some(other)) if *other != value => {
                    return Err("two values have the same record");
                }
                Some(Some(_)) => {}
                Some(place) => {
                    *place = Some(value);
                    self.unplaced = self.unplaced.saturating_sub(1);
                }
            }
        }
        Ok(())
    }

    /// Forgets the answers.
    pub(crate) fn begin_again(&mut self) {
        self.is_again = true;
        self.order.clone_from(&self.all);
        self.members.clear();
    }

    pub(crate) fn finish(self) -> (Known, Fate) {
        (self.known, self.fate.unwrap_or(Fate::Kept))
    }
}
