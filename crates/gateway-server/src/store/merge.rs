//! The second half of an import: the staged records become one new revision. The steps are the same on every database.

use crate::error::Error;
use crate::place::Place;
use crate::store::errors::{account_gone, contradiction, dangling};
use crate::store::session::Session;
use crate::store::tally::{Difference, create_revision};
use crate::store::{AccountId, Changes, ImportReport, replace, sql};

/// Compares the staged records with the live ones, refuses contradictions, and writes the difference as a new revision.
///
/// With `replaces`, live records that are not staged end, see [`replace`]. An import without changes creates no revision, so that caches stay valid.
pub(crate) fn merge<S: Session>(
    session: &mut S,
    account: AccountId,
    credits_changed: bool,
    replaces: bool,
) -> Result<ImportReport, Error> {
    for (sql, what) in CONFLICTS {
        if let Some([id, first, second]) = session.first(sql, &[])? {
            let (first, second) = (Place::unpack(first), Place::unpack(second));
            return Err(contradiction(second, &format!("{what} {id}"), first));
        }
    }
    let AccountId(account) = account;
    let [current] = session.first(sql::REVISION, &[account])?.ok_or_else(account_gone)?;
    let next = current + 1;

    let mut report = ImportReport { credits_changed, revision: current, ..ImportReport::default() };
    // Vacancies and candidates first: the statuses refer to them.
    report.vacancies = apply(session, account, next, &VACANCIES)?;
    report.candidates = apply(session, account, next, &CANDIDATES)?;
    if replaces {
        replace::remove_records(session, account, next, &mut report)?;
    }
    for (sql, kind) in UNKNOWN {
        if let Some([id, place]) = session.first(sql, &[account])? {
            return Err(dangling(Place::unpack(place), kind, id));
        }
    }
    let applications = apply(session, account, next, &APPLICATIONS)?;
    if replaces {
        replace::remove_statuses(session, account, next, applications, &mut report)?;
    } else {
        report.applications = applications;
    }

    if report.changed_anything() {
        let difference = Difference {
            candidates: report.candidates.into(),
            vacancies: report.vacancies.into(),
            statuses: report.applications.into(),
            credits_changed,
        };
        create_revision(session, AccountId(account), next, &difference)?;
        report.revision = next;
    }
    Ok(report)
}

struct Kind {
    staged: &'static str,
    supersede: &'static str,
    insert: &'static str,
}

fn apply(
    session: &mut impl Session,
    account: i64,
    revision: i64,
    kind: &Kind,
) -> Result<Changes, Error> {
    let [staged] = session.first(kind.staged, &[])?.unwrap_or([0]);
    if staged == 0 {
        return Ok(Changes::default());
    }
    let changed = session.execute(kind.supersede, &[revision, account])?;
    let inserted = session.execute(kind.insert, &[account, revision])?;
    Ok(Changes {
        added: inserted.saturating_sub(changed),
        changed,
        unchanged: u64::try_from(staged).unwrap_or(0).saturating_sub(inserted),
        removed: 0,
    })
}

const VACANCIES: Kind = Kind {
    staged: sql::STAGED_VACANCIES,
    supersede: sql::SUPERSEDE_VACANCIES,
    insert: sql::INSERT_VACANCIES,
};

const CANDIDATES: Kind = Kind {
    staged: sql::STAGED_CANDIDATES,
    supersede: sql::SUPERSEDE_CANDIDATES,
    insert: sql::INSERT_CANDIDATES,
};

const APPLICATIONS: Kind = Kind {
    staged: sql::STAGED_APPLICATIONS,
    supersede: sql::SUPERSEDE_APPLICATIONS,
    insert: sql::INSERT_APPLICATIONS,
};

const CONFLICTS: [(&str, &str); 3] = [
    (sql::CONFLICTING_VACANCIES, "vacancy"),
    (sql::CONFLICTING_CANDIDATES, "candidate"),
    (sql::CONFLICTING_APPLICATIONS, "the status of candidate"),
];

const UNKNOWN: [(&str, &str); 2] =
    [(sql::UNKNOWN_VACANCY, "vacancy"), (sql::UNKNOWN_CANDIDATE, "candidate")];
