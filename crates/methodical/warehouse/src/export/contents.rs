//! The contents of a table of an export.

use methodical_mirror::model::Table;
use methodical_mirror::{ChangeKind, Snapshot};

use crate::columns::Column;
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;
use crate::export::ranges::Numbered as _;
use crate::export::records::Records;
use crate::export::{changes, samples, spells};

/// The contents of a table of an export.
#[derive(Debug)]
pub(crate) enum Contents {
    /// The records of a table of the mirror.
    Records(Records),
    /// The feed.
    Changes,
    /// The spells of these tables.
    Spells(Vec<&'static str>),
    /// The samples of gauges.
    Samples { gauges: Vec<String>, decimals: bool },
}

impl Contents {
    pub(crate) fn records(table: &'static Table, decimals: bool) -> Self {
        Self::Records(Records::new(table, decimals))
    }

    /// Returns the name of the table, which is that in the mirror.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Records(records) => records.name(),
            Self::Changes => "mirror_change",
            Self::Spells(_) => "mirror_spell",
            Self::Samples { .. } => "mirror_sample",
        }
    }

    /// Returns the columns of the table.
    pub(crate) fn columns(&self) -> Vec<Column> {
        match self {
            Self::Records(records) => records.columns(),
            Self::Changes => changes::columns(),
            Self::Spells(_) => spells::columns(),
            &Self::Samples { decimals, .. } => samples::columns(decimals),
        }
    }

    /// Writes the files that a table lacks. Returns the number of changes that are lost.
    pub(crate) fn write(
        &self,
        snapshot: &mut Snapshot<'_>,
        state: &State,
        is_other: bool,
        draft: &mut Draft,
    ) -> Result<u64, Error> {
        match self {
            Self::Records(records) => records.write(snapshot, state, draft).map(|()| 0),
            Self::Changes => changes::write(snapshot, state, is_other, draft),
            Self::Spells(tables) => spells::write(tables, snapshot, state, draft).map(|()| 0),
            Self::Samples { gauges, decimals } => {
                samples::write(gauges, *decimals, snapshot, state, draft).map(|()| 0)
            }
        }
    }

    /// Returns whether former files have data of records that were deleted or forgotten since.
    pub(crate) fn erases(&self, snapshot: &mut Snapshot<'_>, draft: &Draft) -> Result<bool, Error> {
        if draft.erases {
            return Ok(true);
        }
        let (Self::Records(records), Some(mut after)) = (self, draft.before) else {
            return Ok(false);
        };
        if !draft.has_removed() {
            return Ok(false);
        }
        if after < snapshot.last_removed_change() {
            // Nobody knows which records are gone since.
            return Ok(true);
        }
        loop {
            let page = snapshot.changes(after, PAGE)?;
            let Some(last) = page.last() else { return Ok(false) };
            after = last.number;
            let is_gone = |kind| kind == ChangeKind::Gone;
            if page.iter().any(|one| one.table == records.name() && is_gone(one.kind)) {
                return Ok(true);
            }
        }
    }
}

/// Number of changes that are read together.
const PAGE: usize = 4096;
