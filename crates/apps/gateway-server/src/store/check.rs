//! The result of the check of a database.

use crate::store::rendered::{Kind, Stored};
use crate::store::snapshot::AccountId;

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
    /// The first damaged records.
    first: Vec<(AccountId, i64)>,
    outdated: u64,
}

impl Deviations {
    /// Counts a record. `is_live` says whether new responses contain it.
    pub(super) fn count(
        &mut self,
        kind: &Kind,
        account: AccountId,
        id: i64,
        record: &[u8],
        is_live: bool,
    ) {
        match (kind.compare)(id, record) {
            Stored::Damaged => {
                self.damaged += 1;
                if self.first.len() < NAMED {
                    self.first.push((account, id));
                }
            }
            Stored::Outdated if is_live => self.outdated += 1,
            Stored::Outdated | Stored::Whole => {}
        }
    }

    /// Adds a line to the report for each number that is not 0, and for each of the first damaged records. `account`
    /// returns the name of an account, if it can be read.
    pub(super) fn report(
        self,
        kind: &Kind,
        report: &mut CheckReport,
        mut account: impl FnMut(AccountId) -> Option<String>,
    ) {
        let Self { damaged, first, outdated } = self;
        let name = kind.name;
        if damaged > 0 {
            report
                .damage
                .push(format!("{name} that are not stored as responses send them: {damaged}"));
        }
        for (owner, id) in first {
            let owner = account(owner).unwrap_or_else(|| format!("number {owner}"));
            report.damage.push(format!("account {owner}: {} is damaged", (kind.one)(id)));
        }
        if outdated > 0 {
            report.outdated.push(format!(
                "{name} imported before a field was added: {outdated}; import them again"
            ));
        }
    }
}

/// Maximum number of damaged records of a kind that a report names.
const NAMED: usize = 20;
