//! How far a list has been read.

/// How far a list has been read: the last id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(i64);

impl Cursor {
    /// The start of a list. No id is below it.
    pub const START: Self = Self(-1);

    /// Returns whether no row has been read.
    pub(crate) fn is_start(self) -> bool {
        self == Self::START
    }

    /// Returns the last id, or -1 at the start.
    pub(super) fn after(self) -> i64 {
        self.0
    }

    /// Moves to the next row. Returns `None` if its id is not larger than the last one.
    pub(super) fn pass(self, id: i64) -> Option<Self> {
        (id > self.0).then_some(Self(id))
    }
}
