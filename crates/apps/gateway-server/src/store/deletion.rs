//! Deletes records of an account from every revision.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind};
use crate::store::db::{Db, Table, Value, account_gone};
use crate::store::import::create_revision;
use crate::store::model::{AccountId, Deletion, DeletionReport, ImportMode, UnknownIds};

/// Deletes records. Superseded versions and former revisions of the account are removed too. Reading the next page of
/// such a revision fails, so a list in progress is aborted rather than missing a record.
pub(super) fn delete(
    db: &mut dyn Db,
    AccountId(account): AccountId,
    deletion: &Deletion,
    unknown: UnknownIds,
    mode: ImportMode,
) -> Result<DeletionReport, Error> {
    let dialect = db.dialect();
    db.batch(dialect.before_deletion)?;
    db.batch(DOOMED)?;
    db.transaction(mode, |db| {
        let current = db.first(dialect.lock_account, &[account.into()])?;
        let [current] = current.ok_or_else(account_gone)?;
        let mut report = DeletionReport { revision: current, ..DeletionReport::default() };
        match deletion {
            Deletion::Account => delete_account(db, account, &mut report)?,
            Deletion::Candidates(_) | Deletion::Vacancies(_) | Deletion::Statuses(_) => {
                for (number, (vacancy, candidate)) in (1_i64..).zip(keys(deletion)) {
                    db.load(Table::Doomed, &[number, vacancy, candidate].map(Value::from))?;
                }
                db.end_load()?;
                delete_records(db, account, deletion, unknown, &mut report)?;
            }
        }
        db.batch(dialect.lock_erasures)?;
        let now = db.now()?;
        db.execute(CREATE_ERASURE, &[account, now].map(Value::from))?;
        Ok(report)
    })
}

fn delete_records(
    db: &mut dyn Db,
    account: i64,
    deletion: &Deletion,
    unknown: UnknownIds,
    report: &mut DeletionReport,
) -> Result<(), Error> {
    let own = [account.into()];
    let absent = absent(deletion);
    report.unknown = db.count(&format!("SELECT count(*) {absent}"), &own)?;
    if report.unknown > 0 && unknown == UnknownIds::Refuse {
        let first = format!("SELECT d.vacancy_id, d.candidate_id {absent} ORDER BY d.seq LIMIT 1");
        let [vacancy, candidate] = db.first(&first, &own)?.unwrap_or([0, 0]);
        return Err(not_found(deletion, vacancy, candidate));
    }
    let next = report.revision + 1;
    let mut end = |table: &str, key: &str, doomed: &str| {
        let sql = format!(
            "UPDATE {table} SET rev_to = ?1 WHERE account_id = ?2 AND rev_to = 9223372036854775807 \
             AND ({key}) IN (SELECT {doomed} FROM doomed)"
        );
        db.execute(&sql, &[next, account].map(Value::from))
    };
    match deletion {
        Deletion::Candidates(_) => {
            report.applications = end("application", "candidate_id", "candidate_id")?;
            report.candidates = end("candidate", "id", "candidate_id")?;
        }
        Deletion::Vacancies(_) => {
            report.applications = end("application", "vacancy_id", "vacancy_id")?;
            report.vacancies = end("vacancy", "id", "vacancy_id")?;
        }
        Deletion::Statuses(_) | Deletion::Account => {
            let key = "vacancy_id, candidate_id";
            report.applications = end("application", key, key)?;
        }
    }
    let changed =
        [report.candidates, report.applications, report.vacancies, 0].map(|rows| rows > 0);
    if changed.contains(&true) {
        create_revision(db, account, next, changed)?;
        report.revision = next;
    }
    let ended = report.vacancies + report.candidates + report.applications;
    report.superseded = collect(db, account, report.revision)?.saturating_sub(ended);
    db.execute(DELETE_TALLIES, &own)?;
    db.execute(DELETE_UNUSED_STATUS_NAMES, &own)?;
    Ok(())
}

/// Deletes the row versions of an account that are not in `revision`. The revisions are deleted first, so that a reader
/// that might miss a row finds its revision gone.
pub(super) fn collect(db: &mut dyn Db, account: i64, revision: i64) -> Result<u64, Error> {
    let parameters = [account, revision].map(Value::from);
    db.execute(COLLECT_REVISIONS, &parameters)?;
    COLLECT.iter().map(|sql| db.execute(sql, &parameters)).sum()
}

fn delete_account(db: &mut dyn Db, account: i64, report: &mut DeletionReport) -> Result<(), Error> {
    let own = [account.into()];
    for (count, table) in [
        (&mut report.vacancies, "vacancy"),
        (&mut report.candidates, "candidate"),
        (&mut report.applications, "application"),
    ] {
        let all = format!("DELETE FROM {table} WHERE account_id = ?1");
        *count = db.execute(&format!("{all} AND rev_to = 9223372036854775807"), &own)?;
        report.superseded += db.execute(&all, &own)?;
    }
    report.tokens = db.execute("DELETE FROM token WHERE account_id = ?1", &own)?;
    for sql in [
        DELETE_TALLIES,
        "DELETE FROM status WHERE account_id = ?1",
        "DELETE FROM revision WHERE account_id = ?1",
        "DELETE FROM account WHERE id = ?1",
    ] {
        db.execute(sql, &own)?;
    }
    Ok(())
}

/// Returns the distinct keys of the rows, each as the ids of a vacancy and a candidate. An unused id is 0.
fn keys(deletion: &Deletion) -> Vec<(i64, i64)> {
    let mut keys: Vec<_> = match deletion {
        Deletion::Candidates(ids) => ids.iter().map(|id| (0, *id)).collect(),
        Deletion::Vacancies(ids) => ids.iter().map(|id| (*id, 0)).collect(),
        Deletion::Statuses(keys) => keys.clone(),
        Deletion::Account => Vec::new(),
    };
    let mut seen = HashSet::new();
    keys.retain(|key| seen.insert(*key));
    keys
}

/// Selects the keys for which the account has no row version.
fn absent(deletion: &Deletion) -> String {
    let (table, same) = match deletion {
        Deletion::Candidates(_) => ("candidate", "o.id = d.candidate_id"),
        Deletion::Vacancies(_) => ("vacancy", "o.id = d.vacancy_id"),
        Deletion::Statuses(_) | Deletion::Account => {
            ("application", "o.vacancy_id = d.vacancy_id AND o.candidate_id = d.candidate_id")
        }
    };
    format!(
        "FROM doomed d WHERE NOT EXISTS (SELECT 1 FROM {table} o WHERE o.account_id = ?1 AND {same})"
    )
}

/// Returns the error for the first id that the account does not have.
fn not_found(deletion: &Deletion, vacancy: i64, candidate: i64) -> Error {
    let what = match deletion {
        Deletion::Vacancies(_) => format!("vacancy {vacancy}"),
        Deletion::Statuses(_) => format!("a status of candidate {candidate} in vacancy {vacancy}"),
        Deletion::Candidates(_) | Deletion::Account => format!("candidate {candidate}"),
    };
    let text = format!("cannot delete: the account does not have {what}; nothing was deleted");
    Error::new(ErrorKind::NotFound, text)
}

/// The temporary table with the keys to delete.
const DOOMED: &str = "\
    CREATE TEMP TABLE doomed (seq BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, \
    candidate_id BIGINT NOT NULL)";

const COLLECT_REVISIONS: &str = "DELETE FROM revision WHERE account_id = ?1 AND rev < ?2";

pub(super) const COLLECT: [&str; 3] = [
    "DELETE FROM vacancy WHERE account_id = ?1 AND rev_to <= ?2 AND rev_to < 9223372036854775807",
    "DELETE FROM candidate WHERE account_id = ?1 AND rev_to <= ?2 AND rev_to < 9223372036854775807",
    "DELETE FROM application WHERE account_id = ?1 AND rev_to <= ?2 \
     AND rev_to < 9223372036854775807",
];

/// Deletes counts that an earlier release stored, because they contain names of statuses.
const DELETE_TALLIES: &str = "DELETE FROM status_tally WHERE account_id = ?1";

/// Deletes the names of statuses that no row version uses.
const DELETE_UNUSED_STATUS_NAMES: &str = "\
    DELETE FROM status WHERE account_id = ?1 \
    AND key NOT IN (SELECT status_key FROM application WHERE account_id = ?1)";

/// Records a committed erasure, which may have left traces in the files.
const CREATE_ERASURE: &str = "\
    INSERT INTO erasure(id, account_id, at, pending) \
    SELECT coalesce(max(id), 0) + 1, ?1, ?2, 1 FROM erasure";

pub(super) const LAST_ERASURE: &str = "SELECT coalesce(max(id), 0) FROM erasure";

pub(super) const FINISH_ERASURES: &str =
    "UPDATE erasure SET pending = 0 WHERE pending = 1 AND id <= ?1";
