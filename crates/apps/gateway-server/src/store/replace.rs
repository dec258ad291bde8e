//! The removals of an import whose files are the whole truth: records that are not among the staged ones are ended.

use crate::error::{Error, ErrorKind};
use crate::store::session::Session;
use crate::store::{Changes, ImportMode, ImportReport};

/// The removals that a replacing import may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Removals {
    /// At most 50 records, or 10 % of the records of a kind if that is more.
    #[default]
    Few,
    /// Exactly this number of records, of all kinds together.
    Exactly(u64),
}

impl Removals {
    /// Fails with [`ErrorKind::RemovalsRefused`](crate::ErrorKind::RemovalsRefused) if an import that is to be kept
    /// removes another number of records.
    pub(super) fn check(self, mode: ImportMode, report: &ImportReport) -> Result<(), Error> {
        let removed = report.removed();
        let is_accepted = match self {
            Self::Few => !report.removes_many(),
            Self::Exactly(number) => number == removed,
        };
        if is_accepted || mode == ImportMode::DryRun {
            return Ok(());
        }
        let ImportReport { vacancies, candidates, applications, .. } = report;
        let limit = match self {
            Self::Few => "more than 50 and more than 10 % of a kind".to_owned(),
            Self::Exactly(number) => format!("not {number}"),
        };
        let text = format!(
            "the import would remove {removed} records, {limit}: {} vacancies, {} candidates, {} statuses; nothing was \
             imported; to accept exactly this, run the same command with --accept-removals {removed}",
            vacancies.removed, candidates.removed, applications.removed
        );
        Err(Error::new(ErrorKind::RemovalsRefused, text))
    }
}

/// Ends the vacancies and candidates that were not staged, if others of their kind were, and the statuses of all that
/// were ended.
pub(super) fn remove_records(
    session: &mut impl Session,
    account: i64,
    revision: i64,
    report: &mut ImportReport,
) -> Result<(), Error> {
    let parameters = [revision, account];
    for (changes, sql) in
        [(&mut report.vacancies, REMOVE_VACANCIES), (&mut report.candidates, REMOVE_CANDIDATES)]
    {
        if is_given(*changes) {
            changes.removed = session.execute(sql, &parameters)?;
        }
    }
    if report.vacancies.removed + report.candidates.removed == 0 {
        return Ok(());
    }
    let removed = session.execute(REMOVE_STATUSES_OF_OTHERS, &parameters)?;
    let [left] = session.first(COUNT_STATUSES, &[account])?.unwrap_or([0]);
    let unchanged = u64::try_from(left).unwrap_or(0);
    report.applications = Changes { unchanged, removed, ..Changes::default() };
    Ok(())
}

/// Ends the statuses that were not staged, if others were. `changes` are those of the staged ones.
pub(super) fn remove_statuses(
    session: &mut impl Session,
    account: i64,
    revision: i64,
    changes: Changes,
    report: &mut ImportReport,
) -> Result<(), Error> {
    if is_given(changes) {
        let removed = session.execute(REMOVE_STATUSES, &[revision, account])?;
        let removed = removed + report.applications.removed;
        report.applications = Changes { removed, ..changes };
    }
    Ok(())
}

/// Returns whether records of the kind were staged.
fn is_given(changes: Changes) -> bool {
    changes.added + changes.changed + changes.unchanged > 0
}

/// `EXCEPT` needs no index on the staged records.
const REMOVE_VACANCIES: &str = "\
    UPDATE vacancy SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND id IN (SELECT id FROM vacancy WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    EXCEPT SELECT id FROM staged_vacancy)";

const REMOVE_CANDIDATES: &str = "\
    UPDATE candidate SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND id IN (SELECT id FROM candidate WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    EXCEPT SELECT id FROM staged_candidate)";

const REMOVE_STATUSES: &str = "\
    UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND (vacancy_id, candidate_id) IN (SELECT vacancy_id, candidate_id FROM application \
    WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    EXCEPT SELECT vacancy_id, candidate_id FROM staged_application)";

/// Ends the statuses whose vacancy or candidate was ended.
const REMOVE_STATUSES_OF_OTHERS: &str = "\
    UPDATE application SET rev_to = $1 WHERE account_id = $2 AND rev_to = 9223372036854775807 \
    AND (NOT EXISTS (SELECT 1 FROM vacancy v WHERE v.account_id = $2 \
    AND v.id = application.vacancy_id AND v.rev_to = 9223372036854775807) \
    OR NOT EXISTS (SELECT 1 FROM candidate c WHERE c.account_id = $2 \
    AND c.id = application.candidate_id AND c.rev_to = 9223372036854775807))";

const COUNT_STATUSES: &str = "\
    SELECT count(*) FROM application WHERE account_id = $1 AND rev_to = 9223372036854775807";

/// All statements above, for the tests of the rules.
#[cfg(test)]
pub(super) const ALL: &[&str] = &[
    REMOVE_VACANCIES,
    REMOVE_CANDIDATES,
    REMOVE_STATUSES,
    REMOVE_STATUSES_OF_OTHERS,
    COUNT_STATUSES,
];
