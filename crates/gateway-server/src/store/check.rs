//! The result of the check of a database.

use crate::store::rendered::{Kind, Stored};

/// The result of the check of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// One line for each kind of damage.
    pub damage: Vec<String>,
    /// One line for each kind of records that lack a field of the contract, because they were imported before it was
    /// added. Responses send these records without the field until they are imported again.
    pub outdated: Vec<String>,
    /// Number of deletions whose traces were not removed from the files. [`erase_traces`] removes them.
    ///
    /// [`erase_traces`]: crate::StoreAdmin::erase_traces
    pub pending_erasures: u64,
}

/// The numbers of stored records of one kind that are not as an import writes them now.
#[derive(Debug, Default)]
pub(super) struct Deviations {
    damaged: u64,
    outdated: u64,
}

impl Deviations {
    /// Counts a record. `is_live` says whether new responses contain it.
    pub(super) fn count(&mut self, stored: Stored, is_live: bool) {
        match stored {
            Stored::Damaged => self.damaged += 1,
            Stored::Outdated if is_live => self.outdated += 1,
            Stored::Outdated | Stored::Whole => {}
        }
    }

    /// Adds a line to the report for each number that is not 0.
    pub(super) fn report(self, kind: &Kind, report: &mut CheckReport) {
        let Self { damaged, outdated } = self;
        let name = kind.name;
        if damaged > 0 {
            report
                .damage
                .push(format!("{name} that are not stored as responses send them: {damaged}"));
        }
        if outdated > 0 {
            report.outdated.push(format!(
                "{name} imported before a field was added: {outdated}; import them again"
            ));
        }
    }
}
