//! The counts of a sync.

/// The result of a [`Run`](crate::Run). Each record of the list counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Whether this was the first complete list of the scope.
    pub is_baseline: bool,
    /// Records that were not known before.
    pub added: u64,
    /// Records with another meaning.
    pub changed: u64,
    /// Records with the stored meaning.
    pub unchanged: u64,
    /// Records that were missing or gone, and are in the list again.
    pub returned: u64,
    /// Records that are absent from the list for the first time.
    pub missing: u64,
    /// Records that count as deleted since this list. In a recovered table, also those that left since its last recovery
    /// because their member or group did.
    pub gone: u64,
    /// Records that could not be read, or contradict another record of the list. If there are any, no record becomes
    /// missing or gone.
    pub rejected: u64,
    /// The first of them, at most three.
    pub rejections: Vec<Rejection>,
    /// Records that occurred before in the list, with the same meaning.
    pub repeated: u64,
    /// Records that are forgotten.
    pub suppressed: u64,
    /// Rows whose contents did not have their hash, because a bit flipped or another program changed them. Those of them that are
    /// in the list were written again. Counted only with [`Rules::check_rows`](crate::Rules::check_rows).
    pub damaged: u64,
}

/// A record that was rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The position of the record in its list, counted from 0.
    pub index: u64,
    /// Why it was rejected. The text has no values of the record.
    pub reason: String,
}
