//! How far a list has been read.

/// The number of rows in a list, and the sum of their checksums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) number: i64,
    pub(super) sum: i64,
}

/// How far a list has been read: the last id, and a tally of the rows up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    after: i64,
    seen: Tally,
}

impl Cursor {
    /// The start of a list. No id is below it.
    pub const START: Self = Self { after: -1, seen: Tally { number: 0, sum: 0 } };

    /// Returns whether no row has been read.
    pub(crate) fn is_start(self) -> bool {
        self == Self::START
    }

    /// Returns the last id, or -1 at the start.
    pub(super) fn after(self) -> i64 {
        self.after
    }

    /// Returns the tally of the rows that have been read.
    pub(super) fn seen(self) -> Tally {
        self.seen
    }

    /// Moves to the next row. Returns `None` if its id is not larger than the last one.
    pub(super) fn pass(self, id: i64, weight: i64) -> Option<Self> {
        let Self { after, seen: Tally { number, sum } } = self;
        let seen = Tally { number: number.wrapping_add(1), sum: sum.wrapping_add(weight) };
        (id > after).then_some(Self { after: id, seen })
    }
}
