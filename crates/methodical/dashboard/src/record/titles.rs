//! The titles of groups.

use std::collections::HashMap;

use crate::cells::{cell, fields};
use crate::outline::{Board, title};
use crate::shared::{Problem, Shared};

/// The titles of groups. One query reads them.
#[derive(Default)]
pub(crate) struct Titles(HashMap<String, String>);

impl Titles {
    pub(crate) fn read(
        shared: &Shared,
        board: &Board,
        mut groups: Vec<&str>,
    ) -> Result<Self, Problem> {
        let column = title(board.groups).filter(|column| !(shared.masks && column.is_personal()));
        let Some(column) = column else { return Ok(Self::default()) };
        groups.sort_unstable();
        groups.dedup();
        let found = shared.mirror.records_of(board.groups.name(), &groups)?;
        let titled = |(id, record): (String, methodical_mirror::Record)| {
            Some((id, cell(&fields(&record.json), column)?))
        };
        Ok(Self(found.into_iter().filter_map(titled).collect()))
    }

    /// Returns the title of a group; the identity of one without a title.
    pub(crate) fn of(&self, id: &str) -> String {
        self.0.get(id).map_or_else(|| id.to_owned(), String::clone)
    }
}
