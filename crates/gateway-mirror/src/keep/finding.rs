//! The results of a check of a mirror.

use std::fmt;

/// The result of [`Mirror::check`](crate::Mirror::check).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// The damage that was found: at most 1,000 findings, in the order of the tables and their rows.
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub more: u64,
    /// How many records were checked.
    pub records: u64,
    /// How many changes of the feed were checked.
    pub changes: u64,
    /// Whether changes of the feed were removed. The state of a record whose changes were all removed is not compared with
    /// the feed.
    pub is_pruned: bool,
}

impl Check {
    pub(crate) fn add(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }
}

/// Something wrong in a mirror. Its text names the table, the record and what to do next, and has no personal value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The table; `None` if the finding concerns the whole mirror.
    pub table: Option<String>,
    /// The identity of the record; `None` if the finding concerns the whole table.
    pub id: Option<String>,
    /// The cause.
    pub cause: String,
}

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// The database reports damage.
    Damage,
    /// The counts of a table differ from its rows.
    Counts,
    /// The state of a record is not the one that the feed leads to.
    Feed,
    /// The hash of a record is not that of its contents: another program changed the row.
    Hash,
    /// A record that is gone or forgotten has a personal or an unlisted value.
    Erasure,
    /// A record whose identity is forgotten is present or missing.
    Forgotten,
    /// A consumer is at a position that the feed has not reached.
    Consumer,
}

impl FindingKind {
    /// Returns the name of the kind.
    ///
    /// ```
    /// assert_eq!(gateway_mirror::FindingKind::Hash.as_str(), "hash");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Damage => "damage",
            Self::Counts => "counts",
            Self::Feed => "feed",
            Self::Hash => "hash",
            Self::Erasure => "erasure",
            Self::Forgotten => "forgotten",
            Self::Consumer => "consumer",
        }
    }

    /// Returns what to do next.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::Damage | Self::Counts => "restore a backup, or sync into a new mirror",
            Self::Hash => "a sync does not repair it: restore a backup, or sync into a new mirror",
            Self::Feed => {
                "restore a backup, or sync into a new mirror; consumers need a new snapshot"
            }
            Self::Erasure | Self::Forgotten => "forget the record again",
            Self::Consumer => "take a new snapshot, and move the consumer",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(table) = &self.table {
            write!(f, "`{table}`")?;
            if let Some(id) = &self.id {
                write!(f, " {}", id.escape_debug())?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}; {}", self.cause, self.kind.next_step())
    }
}

/// Maximum number of findings that are kept.
const MAX_FINDINGS: usize = 1000;
