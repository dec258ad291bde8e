//! The second half of an import: the staged records become one new revision. The steps are the same on every database.

use crate::error::Error;
use crate::place::Place;
use crate::store::errors::{account_gone, contradiction, dangling};
use crate::store::merge_sql::{self, APPLICATIONS, CANDIDATES, Kind, VACANCIES};
use crate::store::revision::create_revision;
use crate::store::session::Session;
use crate::store::staged::{Sequence, Staged};
use crate::store::{AccountId, Changes, ImportReport, replace, sql};

/// Compares the staged records with the live ones, refuses contradictions, and writes the difference as a new revision.
///
/// With `replaces`, live records that are not staged end, see [`replace`]. An import without changes creates no revision,
/// so that caches stay valid.
pub(super) fn merge<S: Session>(
    session: &mut S,
    account: AccountId,
    staged: &Staged,
    credits_changed: bool,
    replaces: bool,
) -> Result<ImportReport, Error> {
    let vacancies = Keys::count(session, &VACANCIES, staged.vacancies, "vacancy")?;
    let candidates = Keys::count(session, &CANDIDATES, staged.candidates, "candidate")?;
    let applications =
        Keys::count(session, &APPLICATIONS, staged.applications, "the status of candidate")?;
    let AccountId(account) = account;
    let [current] = session.first(sql::REVISION, &[account])?.ok_or_else(account_gone)?;
    let next = current + 1;

    let mut report = ImportReport { credits_changed, revision: current, ..ImportReport::default() };
    // Vacancies and candidates first: the statuses refer to them.
    report.vacancies = apply(session, account, next, &VACANCIES, vacancies)?;
    report.candidates = apply(session, account, next, &CANDIDATES, candidates)?;
    if replaces {
        replace::remove_records(session, account, next, &mut report)?;
    }
    for (sql, kind) in UNKNOWN {
        if let Some([id, place]) = session.first(sql, &[account])? {
            return Err(dangling(Place::unpack(place), kind, id));
        }
    }
    let applications = apply(session, account, next, &APPLICATIONS, applications)?;
    if replaces {
        replace::remove_statuses(session, account, next, applications, &mut report)?;
    } else {
        report.applications = applications;
    }

    if report.changed_anything() {
        let ImportReport { candidates, applications, vacancies, .. } = &report;
        let [candidates, statuses, vacancies] =
            [candidates, applications, vacancies].map(Changes::changed_anything);
        let changed = [candidates, statuses, vacancies, credits_changed];
        create_revision(session, AccountId(account), next, changed)?;
        report.revision = next;
    }
    Ok(report)
}

/// The keys of the staged records of a kind.
#[derive(Clone, Copy)]
enum Keys {
    Ascending(u64),
    Unique(u64),
    Repeated(u64),
}

impl Keys {
    /// Counts the keys, and refuses different records with one key.
    fn count(
        session: &mut impl Session,
        kind: &Kind,
        staged: Sequence,
        what: &str,
    ) -> Result<Self, Error> {
        let records = staged.count();
        if staged.is_ascending() {
            return Ok(Self::Ascending(records));
        }
        let [keys] = session.first(kind.keys, &[])?.unwrap_or([0]);
        let keys = u64::try_from(keys).unwrap_or(0);
        if keys == records {
            return Ok(Self::Unique(records));
        }
        if let Some([id, first, second]) = session.first(kind.conflict, &[])? {
            let (first, second) = (Place::unpack(first), Place::unpack(second));
            return Err(contradiction(second, &format!("{what} {id}"), first));
        }
        Ok(Self::Repeated(keys))
    }
}

fn apply(
    session: &mut impl Session,
    account: i64,
    revision: i64,
    kind: &Kind,
    keys: Keys,
) -> Result<Changes, Error> {
    let (staged, [only, beside_live]) = match keys {
        Keys::Ascending(0) => return Ok(Changes::default()),
        Keys::Ascending(keys) => (keys, kind.insert.ascending),
        Keys::Unique(keys) => (keys, kind.insert.unique),
        Keys::Repeated(keys) => (keys, kind.insert.any),
    };
    let [live] = session.first(kind.live, &[account])?.unwrap_or([1]);
    if live == 0 {
        let added = session.execute(only, &[account, revision])?;
        return Ok(Changes { added, ..Changes::default() });
    }
    let changed = session.execute(kind.supersede, &[revision, account])?;
    let inserted = session.execute(beside_live, &[account, revision])?;
    Ok(Changes {
        added: inserted.saturating_sub(changed),
        changed,
        unchanged: staged.saturating_sub(inserted),
        removed: 0,
    })
}

const UNKNOWN: [(&str, &str); 2] =
    [(merge_sql::UNKNOWN_VACANCY, "vacancy"), (merge_sql::UNKNOWN_CANDIDATE, "candidate")];
