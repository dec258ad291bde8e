//! The result of the check of a database.

use crate::store::checksum;
use crate::store::rendered::{Kind, Stored};
use crate::store::snapshot::AccountId;
use crate::token::TokenDigest;

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
    /// One line for each kind of data that a former release wrote without a checksum. Responses send it unverified.
    pub unverified: Vec<String>,
}

impl CheckReport {
    /// Adds a line for the accounts whose newest revision has no tallies.
    pub(super) fn uncounted(&mut self, accounts: i64) {
        if accounts > 0 {
            self.unverified.push(format!(
                "accounts that a former release wrote last: {accounts}; their next import counts the rows"
            ));
        }
    }

    /// Checks a token.
    pub(super) fn token(&mut self, token: &StoredToken) {
        let StoredToken { digest, account, created_at, expires_at, revoked_at, checksum } = token;
        let expected = checksum::of_token(digest, *account, *created_at, *expires_at);
        let is_whole =
            checksum.is_none_or(|own| own == expected || revoked_at.is_some() && own < 0);
        if !is_whole {
            self.damage.push(format!("token {} is not as it was written", digest.id()));
        }
    }
}

/// A token, as it is stored.
#[derive(Debug)]
pub(super) struct StoredToken {
    pub(super) digest: TokenDigest,
    pub(super) account: AccountId,
    pub(super) created_at: i64,
    pub(super) expires_at: Option<i64>,
    pub(super) revoked_at: Option<i64>,
    pub(super) checksum: Option<i64>,
}

/// The numbers of stored records of one kind that are not as an import writes them now.
#[derive(Debug, Default)]
pub(super) struct Deviations {
    damaged: u64,
    /// The first damaged records.
    first: Vec<(AccountId, i64)>,
    outdated: u64,
    unverified: u64,
}

impl Deviations {
    /// Counts a record and its checksum. `is_live` says whether new responses contain it.
    pub(super) fn count(
        &mut self,
        kind: &Kind,
        account: AccountId,
        id: i64,
        record: &[u8],
        own: Option<i64>,
        is_live: bool,
    ) {
        let is_whole =
            own.is_none_or(|own| own == checksum::of_record(kind.row, account, id, record));
        let stored = if is_whole { (kind.compare)(id, record) } else { Stored::Damaged };
        match stored {
            Stored::Damaged => {
                self.damaged += 1;
                if self.first.len() < NAMED {
                    self.first.push((account, id));
                }
            }
            Stored::Outdated if is_live => self.outdated += 1,
            Stored::Outdated | Stored::Whole => {}
        }
        self.unverified += u64::from(own.is_none() && is_live);
    }

    /// Adds a line to the report for each number that is not 0, and for each of the first damaged records. `account`
    /// returns the name of an account, if it can be read.
    pub(super) fn report(
        self,
        kind: &Kind,
        report: &mut CheckReport,
        mut account: impl FnMut(AccountId) -> Option<String>,
    ) {
        let Self { damaged, first, outdated, unverified } = self;
        let name = kind.name;
        if damaged > 0 {
            report
                .damage
                .push(format!("{name} that are not stored as responses send them: {damaged}"));
        }
        for (owner, id) in first {
            let owner = account(owner).unwrap_or_else(|| format!("number {owner}"));
            report.damage.push(match kind.row {
                checksum::Row::Candidate => format!("account {owner}: candidate {id} is damaged"),
                checksum::Row::Vacancy => format!("account {owner}: vacancy {id} is damaged"),
                checksum::Row::Credits => format!("account {owner}: the credit balance is damaged"),
            });
        }
        if outdated > 0 {
            report.outdated.push(format!(
                "{name} imported before a field was added: {outdated}; import them again"
            ));
        }
        // A balance is verified from the next revision on.
        if unverified > 0 && kind.row != checksum::Row::Credits {
            report
                .unverified
                .push(format!("{name} of a former release: {unverified}; they are not verified until an import changes them"));
        }
    }
}

/// Maximum number of damaged records of a kind that a report names.
const NAMED: usize = 20;
