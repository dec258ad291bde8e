//! Deletes records of an account from every revision. The steps are the same on every database.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind};
use crate::store::errors::account_gone;
use crate::store::revision::create_revision;
use crate::store::session::Session;
use crate::store::{AccountId, sql};

/// The records that a deletion removes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deletion {
    /// The candidates with these ids, and their statuses.
    Candidates(Vec<i64>),
    /// The vacancies with these ids, and the statuses of candidates in them.
    Vacancies(Vec<i64>),
    /// Statuses, each given by the id of the vacancy and the id of the candidate.
    Statuses(Vec<(i64, i64)>),
    /// The account with its records, credit balance and tokens. Its number is not used again.
    Account,
}

/// How a deletion treats an id that the account does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownIds {
    /// Fail with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), and delete nothing.
    #[default]
    Refuse,
    /// Delete the others.
    Ignore,
}

/// The rows that a deletion removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletionReport {
    /// Vacancies.
    pub vacancies: u64,
    /// Candidates.
    pub candidates: u64,
    /// Statuses of candidates in vacancies.
    pub applications: u64,
    /// Tokens of a deleted account.
    pub tokens: u64,
    /// Versions of records that had been superseded, of the whole account.
    pub superseded: u64,
    /// Ids that the account did not have.
    pub unknown: u64,
    /// The revision after the deletion. A deleted account has none, and this is its last one.
    pub revision: i64,
}

impl DeletionReport {
    /// Returns whether a list of the account changed.
    pub fn changed_anything(&self) -> bool {
        self.vacancies + self.candidates + self.applications > 0
    }
}

impl Deletion {
    /// Returns the different keys of the rows, each as a vacancy and a candidate; 0 where a kind has only one of them.
    pub(super) fn keys(&self) -> Vec<(i64, i64)> {
        let mut keys: Vec<_> = match self {
            Self::Candidates(ids) => ids.iter().map(|id| (0, *id)).collect(),
            Self::Vacancies(ids) => ids.iter().map(|id| (*id, 0)).collect(),
            Self::Statuses(keys) => keys.clone(),
            Self::Account => Vec::new(),
        };
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(*key));
        keys
    }

    /// Returns the error for an id that the account does not have.
    pub(super) fn unknown(&self, (vacancy, candidate): (i64, i64), others: u64) -> Error {
        let what = match self {
            Self::Vacancies(_) => format!("vacancy {vacancy}"),
            Self::Statuses(_) => format!("a status of candidate {candidate} in vacancy {vacancy}"),
            Self::Candidates(_) | Self::Account => format!("candidate {candidate}"),
        };
        let others = match others {
            0 => String::new(),
            1 => ", nor 1 other id".to_owned(),
            others => format!(", nor {others} other ids"),
        };
        let text =
            format!("cannot delete: the account does not have {what}{others}; nothing was deleted");
        Error::new(ErrorKind::NotFound, text)
    }
}

/// Deletes the records whose keys are in the temporary table `doomed`.
///
/// Superseded versions and former revisions of the account are removed too. Reading the next page of such a revision
/// fails, so a list in progress is cut and never lacks a record.
pub(super) fn delete<S: Session>(
    session: &mut S,
    account: AccountId,
    deletion: &Deletion,
    unknown: UnknownIds,
) -> Result<DeletionReport, Error> {
    let AccountId(account) = account;
    let [current] = session.first(sql::REVISION, &[account])?.ok_or_else(account_gone)?;
    let next = current + 1;
    let mut report = DeletionReport { revision: current, ..DeletionReport::default() };
    match deletion {
        Deletion::Account => return delete_account(session, account, report),
        Deletion::Candidates(_) => {
            report.unknown = count_unknown(session, account, deletion, &CANDIDATES, unknown)?;
            report.applications =
                session.execute(sql::END_STATUSES_OF_CANDIDATES, &[next, account])?;
            report.candidates = session.execute(sql::END_CANDIDATES, &[next, account])?;
        }
        Deletion::Vacancies(_) => {
            report.unknown = count_unknown(session, account, deletion, &VACANCIES, unknown)?;
            report.applications =
                session.execute(sql::END_STATUSES_OF_VACANCIES, &[next, account])?;
            report.vacancies = session.execute(sql::END_VACANCIES, &[next, account])?;
        }
        Deletion::Statuses(_) => {
            report.unknown = count_unknown(session, account, deletion, &STATUSES, unknown)?;
            report.applications = session.execute(sql::END_STATUSES, &[next, account])?;
        }
    }
    if report.changed_anything() {
        let changed = [report.candidates > 0, report.applications > 0, report.vacancies > 0, false];
        create_revision(session, AccountId(account), next, changed)?;
        report.revision = next;
    }
    session.execute(sql::COLLECT_REVISIONS, &[account, report.revision])?;
    for (ended, sql) in [
        (report.vacancies, sql::COLLECT_VACANCIES),
        (report.candidates, sql::COLLECT_CANDIDATES),
        (report.applications, sql::COLLECT_APPLICATIONS),
    ] {
        let removed = session.execute(sql, &[account, report.revision])?;
        report.superseded += removed.saturating_sub(ended);
    }
    session.execute(sql::DELETE_TALLIES, &[account])?;
    session.execute(sql::DELETE_UNUSED_STATUS_NAMES, &[account])?;
    let [now] = session.first(S::NOW, &[])?.unwrap_or([0]);
    session.execute(sql::CREATE_ERASURE, &[account, now])?;
    Ok(report)
}

/// Finds the keys that no version of a record has. Fails at the first one, unless they are ignored.
fn count_unknown(
    session: &mut impl Session,
    account: i64,
    deletion: &Deletion,
    [count, first]: &[&'static str; 2],
    unknown: UnknownIds,
) -> Result<u64, Error> {
    let [found] = session.first(count, &[account])?.unwrap_or([0]);
    let found = u64::try_from(found).unwrap_or(0);
    match (found, unknown) {
        (0, _) | (_, UnknownIds::Ignore) => Ok(found),
        (_, UnknownIds::Refuse) => {
            let [vacancy, candidate] = session.first(first, &[account])?.unwrap_or([0, 0]);
            Err(deletion.unknown((vacancy, candidate), found.saturating_sub(1)))
        }
    }
}

fn delete_account<S: Session>(
    session: &mut S,
    account: i64,
    mut report: DeletionReport,
) -> Result<DeletionReport, Error> {
    for (count, sql) in [
        (&mut report.vacancies, sql::DELETE_ALL_VACANCIES),
        (&mut report.candidates, sql::DELETE_ALL_CANDIDATES),
        (&mut report.applications, sql::DELETE_ALL_STATUSES),
        (&mut report.tokens, sql::DELETE_TOKENS),
    ] {
        *count = session.execute(sql, &[account])?;
    }
    for sql in [
        sql::DELETE_SUPERSEDED_VACANCIES,
        sql::DELETE_SUPERSEDED_CANDIDATES,
        sql::DELETE_SUPERSEDED_STATUSES,
    ] {
        report.superseded += session.execute(sql, &[account])?;
    }
    for sql in
        [sql::DELETE_TALLIES, sql::DELETE_STATUS_NAMES, sql::DELETE_REVISIONS, sql::DELETE_ACCOUNT]
    {
        session.execute(sql, &[account])?;
    }
    let [now] = session.first(S::NOW, &[])?.unwrap_or([0]);
    session.execute(sql::CREATE_ERASURE, &[account, now])?;
    Ok(report)
}

const CANDIDATES: [&str; 2] = [sql::COUNT_UNKNOWN_CANDIDATES, sql::FIRST_UNKNOWN_CANDIDATE];

const VACANCIES: [&str; 2] = [sql::COUNT_UNKNOWN_VACANCIES, sql::FIRST_UNKNOWN_VACANCY];

const STATUSES: [&str; 2] = [sql::COUNT_UNKNOWN_STATUSES, sql::FIRST_UNKNOWN_STATUS];
