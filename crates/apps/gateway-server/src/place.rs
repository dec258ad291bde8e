//! Positions of records in the input of an import.

/// The position of a record in the input of an import, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The index of the file, from 0.
    pub file: u32,
    /// The line in the file, from 1.
    pub line: u64,
}

impl Place {
    const LINE_BITS: u32 = 40;

    /// Packs the place into one integer, as the staging tables of an import store it.
    pub(crate) fn pack(self) -> i64 {
        let line = self.line & ((1 << Self::LINE_BITS) - 1);
        i64::try_from(u64::from(self.file) << Self::LINE_BITS | line).unwrap_or(i64::MAX)
    }

    /// Reverses [`pack`](Self::pack).
    pub(crate) fn unpack(packed: i64) -> Self {
        let packed = u64::try_from(packed).unwrap_or(0);
        let file = u32::try_from(packed >> Self::LINE_BITS).unwrap_or(u32::MAX);
        Self { file, line: packed & ((1 << Self::LINE_BITS) - 1) }
    }
}
