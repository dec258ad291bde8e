//! The counts of a board.

/// The counts of all groups.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// The values of the contract, then the others, then the unknown ones.
    pub(crate) columns: Vec<Column>,
    /// The groups, those with the most members first.
    pub(crate) groups: Vec<Group>,
    /// The sum of each column.
    pub(crate) sums: Vec<u64>,
}

/// A column of a board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Column {
    Value(String),
    /// The members whose value is unknown.
    Unknown,
}

impl Column {
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Value(value) if value.is_empty() => "(empty)",
            Self::Value(value) => value,
            Self::Unknown => "Unknown",
        }
    }
}

/// The counts of a group.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) id: String,
    title: Option<String>,
    /// For each column.
    pub(crate) sums: Vec<Sum>,
}

/// The members of a group with one value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) count: u64,
    /// Since when the first one has the value.
    pub(crate) since: i64,
    /// Since when half of them have it, at least.
    pub(crate) median: i64,
}

impl Group {
    pub(crate) fn new(id: String, title: Option<String>) -> Self {
        Self { id, title, sums: Vec::new() }
    }

    pub(crate) fn total(&self) -> u64 {
        self.sums.iter().map(|sum| sum.count).sum()
    }

    /// Returns the title, or else the identity.
    pub(crate) fn title(&self, is_hidden: bool) -> &str {
        self.title.as_deref().filter(|_| !is_hidden).unwrap_or(&self.id)
    }

    pub(crate) fn has_title(&self, is_hidden: bool) -> bool {
        self.title.is_some() && !is_hidden
    }
}

impl Counts {
    /// Returns how many members have no known value.
    pub(crate) fn unknown(&self) -> u64 {
        let columns = self.columns.iter().zip(&self.sums);
        columns.filter(|(column, _)| **column == Column::Unknown).map(|(_, sum)| sum).sum()
    }
}
