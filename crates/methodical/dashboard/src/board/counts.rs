//! The counts of a board, those with the most members first.

use std::cmp::Reverse;

use methodical_mirror::queries::{self, BoardGroup};
use methodical_mirror::{Error, Mirror};

use crate::outline::Board;

/// The counts of all groups.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// The values of the contract, then the others, then `None` for the unknown ones.
    pub(crate) columns: Vec<Option<String>>,
    /// The groups, those with the most members first.
    pub(crate) groups: Vec<BoardGroup>,
    /// The sum of each column.
    pub(crate) sums: Vec<u64>,
}

impl Counts {
    /// Counts a board.
    pub(crate) fn read(mirror: &Mirror, board: &Board) -> Result<Self, Error> {
        let counted = queries::board(mirror, board.placements.table, board.known_values, true)?;
        let (columns, mut groups) = (counted.values, counted.groups);
        groups.sort_by_cached_key(|group| {
            (Reverse(total(group)), title(group).to_lowercase(), group.id.clone())
        });
        let sum = |index: usize| {
            groups.iter().filter_map(|group| group.cells.get(index)).map(|cell| cell.count).sum()
        };
        let sums = (0..columns.len()).map(sum).collect();
        Ok(Self { columns, groups, sums })
    }

    /// Returns how many members have no known value.
    pub(crate) fn unknown(&self) -> u64 {
        let columns = self.columns.iter().zip(&self.sums);
        columns.filter(|(column, _)| column.is_none()).map(|(_, sum)| sum).sum()
    }
}

/// Returns the text of a column.
pub(crate) fn label(column: Option<&str>) -> &str {
    match column {
        None => "Unknown",
        Some("") => "(empty)",
        Some(value) => value,
    }
}

/// Returns the number of members of a group.
pub(crate) fn total(group: &BoardGroup) -> u64 {
    group.cells.iter().map(|cell| cell.count).sum()
}

/// Returns the title of a group, or else its identity.
pub(crate) fn title(group: &BoardGroup) -> &str {
    group.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&group.id)
}
