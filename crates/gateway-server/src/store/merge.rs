//! The second half of an import: what was staged becomes one new revision. The same steps on every database.

use crate::error::Error;
use crate::store::{AccountId, Changes, ImportReport, Place, draw_tag, sql};

/// An open transaction, as far as this module needs it: every parameter and every column is an integer.
pub(crate) trait Session {
    /// The query for the time, in seconds since 1970.
    const NOW: &'static str;

    /// Runs a statement and returns how many rows it touched.
    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error>;

    /// Runs a query and returns its first row.
    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error>;
}

/// Compares what is staged with what is live, refuses contradictions, and writes the difference as a new revision.
///
/// An import that changes nothing makes no revision, so that caches stay valid.
pub(crate) fn merge<S: Session>(
    session: &mut S,
    account: AccountId,
    credits_changed: bool,
) -> Result<ImportReport, Error> {
    for (sql, what) in CONFLICTS {
        if let Some([id, first, second]) = session.first(sql, &[])? {
            let first = Place::unpack(first);
            return Err(Error::at(
                Place::unpack(second),
                format!("{what} {id} is given again with other data, first in line {}", first.line),
            ));
        }
    }
    let AccountId(account) = account;
    let [current] = session.first(sql::REVISION, &[account])?.unwrap_or([0]);
    let next = current + 1;

    let mut report = ImportReport { credits_changed, revision: current, ..ImportReport::default() };
    // Vacancies and candidates first: the statuses refer to them.
    report.vacancies = apply(session, account, next, &VACANCIES)?;
    report.candidates = apply(session, account, next, &CANDIDATES)?;
    for (sql, what) in UNKNOWN {
        if let Some([id, place]) = session.first(sql, &[account])? {
            return Err(Error::at(Place::unpack(place), format!("there is no {what} {id}")));
        }
    }
    report.applications = apply(session, account, next, &APPLICATIONS)?;

    if report.changed_anything() {
        session.execute(sql::SET_REVISION, &[next, draw_tag()?, account])?;
        // The clock is read last and is the database's own: what this revision supersedes is kept for the answers that
        // began before it, and nobody may take it to be older than it is.
        let [now] = session.first(S::NOW, &[])?.unwrap_or([0]);
        session.execute(sql::CREATE_REVISION, &[account, next, now])?;
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
