//! Reading: one connection and its prepared statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OptionalExtension as _, Row, Rows, params};

use crate::clock::UnixTime;
use crate::error::Error;
use crate::generated::record::{CreditsRow, VacancyRow};
use crate::store::sqlite::{failed, failure};
use crate::store::{
    AccountId, CandidateFilter, CandidateSink, CreditsSink, Page, Principal, Snapshot, VacancySink,
    rendered, snapshot_gone, sql,
};
use crate::token::TokenDigest;

/// A read-only connection.
pub(super) struct Reader {
    connection: Connection,
    begun: Instant,
    /// In nanoseconds since `begun`: when the statement that runs is too late.
    late: Arc<AtomicU64>,
}

impl Reader {
    pub(super) fn new(mut connection: Connection) -> Result<Self, Error> {
        let (begun, late) = (Instant::now(), Arc::new(AtomicU64::new(u64::MAX)));
        let watched = Arc::clone(&late);
        let is_late = move || nanoseconds(begun.elapsed()) > watched.load(Ordering::Relaxed);
        connection.progress_handler(STEPS, Some(is_late)).map_err(failed("setting up a reader"))?;
        Ok(Self { connection, begun, late })
    }

    /// Gives what is read next so long.
    pub(super) fn give(&mut self, budget: Duration) {
        self.late.store(nanoseconds(self.begun.elapsed() + budget), Ordering::Relaxed);
    }

    pub(super) fn authenticate(
        &mut self,
        token: &TokenDigest,
        now: UnixTime,
    ) -> Result<Option<Principal>, Error> {
        let found = self
            .connection
            .prepare_cached(sql::AUTHENTICATE)
            .and_then(|mut statement| {
                statement
                    .query_row(params![token.0, now.0], |row| {
                        Ok(Snapshot {
                            account: AccountId(row.get(0)?),
                            revision: row.get(1)?,
                            tag: row.get(2)?,
                        })
                    })
                    .optional()
            })
            .map_err(failed("looking up a token"))?;
        Ok(found.map(|snapshot| Principal { snapshot, token: token.id() }))
    }

    pub(super) fn candidates(
        &mut self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: CandidateSink<'_>,
    ) -> Result<Option<i64>, Error> {
        let AccountId(account) = snapshot.account;
        let sql = match filter {
            CandidateFilter::Nothing => return Ok(None),
            CandidateFilter::All => sql::CANDIDATES,
            CandidateFilter::Vacancy(_) => VACANCY_CANDIDATES,
            CandidateFilter::Status(..) => STATUS_CANDIDATES,
        };
        let doing = "reading candidates";
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(doing))?;
        let (after, limit, revision) = (page.after, page.limit, snapshot.revision);
        let rows = match filter {
            CandidateFilter::Vacancy(vacancy) => {
                statement.query(params![account, after, revision, limit, vacancy])
            }
            CandidateFilter::Status(vacancy, status) => {
                statement.query(params![account, after, revision, limit, vacancy, status])
            }
            CandidateFilter::All | CandidateFilter::Nothing => {
                statement.query(params![account, after, revision, limit])
            }
        };
        let page = each(rows.map_err(failed(doing))?, page.limit, doing, |row| {
            // As bytes: an import wrote it as UTF-8, and nobody need look at every character of it again.
            let record = rendered::sendable(row.get_ref(1)?.as_bytes()?);
            sink(record.ok_or(FromSqlError::InvalidType)?);
            row.get(0)
        })?;
        self.next(snapshot, page)
    }

    pub(super) fn vacancies(
        &mut self,
        snapshot: Snapshot,
        page: Page,
        sink: VacancySink<'_>,
    ) -> Result<Option<i64>, Error> {
        let doing = "reading vacancies";
        let mut statement =
            self.connection.prepare_cached(sql::VACANCIES).map_err(failed(doing))?;
        let rows = statement
            .query(params![snapshot.account.0, page.after, snapshot.revision, page.limit])
            .map_err(failed(doing))?;
        let mut digits = itoa::Buffer::new();
        let page = each(rows, page.limit, doing, |row| {
            let id = row.get(0)?;
            sink(&VacancyRow { id: digits.format(id), project: row.get_ref(1)?.as_str()? });
            Ok(id)
        })?;
        self.next(snapshot, page)
    }

    /// Returns the id to continue after, unless the page was empty because the snapshot is gone.
    fn next(&self, snapshot: Snapshot, page: Read) -> Result<Option<i64>, Error> {
        match page {
            Read::Rows(next) => Ok(next),
            Read::Nothing if snapshot.revision == 0 => Ok(None),
            Read::Nothing => {
                let there = self
                    .connection
                    .prepare_cached(sql::REVISION_IS_THERE)
                    .and_then(|mut statement| {
                        statement.exists(params![snapshot.account.0, snapshot.revision])
                    })
                    .map_err(failed("reading the database"))?;
                if there { Ok(None) } else { Err(snapshot_gone()) }
            }
        }
    }

    pub(super) fn credits(
        &mut self,
        account: AccountId,
        sink: CreditsSink<'_>,
    ) -> Result<(), Error> {
        self.connection
            .prepare_cached(sql::CREDITS)
            .and_then(|mut statement| {
                statement.query_row([account.0], |row| {
                    sink(&CreditsRow {
                        credits_number: row.get_ref(0)?.as_str()?,
                        currency: row.get_ref(1)?.as_str()?,
                    });
                    Ok(())
                })
            })
            .map_err(failed("reading the credit balance"))
    }

    pub(super) fn health(&mut self) -> Result<(), Error> {
        self.connection
            .prepare_cached(sql::HEALTH)
            .and_then(|mut statement| statement.query_row([], |_row| Ok(())))
            .map_err(failed("reading the database"))
    }
}

/// What a page held.
#[derive(Clone, Copy)]
enum Read {
    /// Rows, and the id to continue after unless it was the last page.
    Rows(Option<i64>),
    /// Not one row.
    Nothing,
}

/// Walks a page.
fn each(
    mut rows: Rows<'_>,
    limit: u32,
    doing: &'static str,
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<i64>,
) -> Result<Read, Error> {
    let mut last = None;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(failed(doing))? {
        last = Some(visit(row).map_err(|error| failure(doing, error))?);
        count += 1;
    }
    Ok(match last {
        None => Read::Nothing,
        last => Read::Rows(last.filter(|_| count == limit)),
    })
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The clock is looked at after so many steps of the database, which is some ten times in a page of 512 records.
const STEPS: i32 = 1000;

/// `CROSS JOIN` and the unary plus hold the plan: from the applications of the vacancy to each candidate by its key.
pub(super) const VACANCY_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM application a CROSS JOIN candidate c ON c.account_id = ?1 AND c.id = +a.candidate_id \
    WHERE a.account_id = ?1 AND a.candidate_id > ?2 AND a.rev_from <= ?3 AND ?3 < a.rev_to \
    AND c.rev_from <= ?3 AND ?3 < c.rev_to AND a.vacancy_id = ?5 \
    AND ?3 = (SELECT rev FROM revision WHERE account_id = ?1 AND rev = ?3) \
    ORDER BY a.candidate_id LIMIT ?4";

pub(super) const STATUS_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM application a CROSS JOIN candidate c ON c.account_id = ?1 AND c.id = +a.candidate_id \
    WHERE a.account_id = ?1 AND a.candidate_id > ?2 AND a.rev_from <= ?3 AND ?3 < a.rev_to \
    AND c.rev_from <= ?3 AND ?3 < c.rev_to AND a.vacancy_id = ?5 \
    AND a.status_key = (SELECT key FROM status WHERE account_id = ?1 AND name = ?6) \
    AND ?3 = (SELECT rev FROM revision WHERE account_id = ?1 AND rev = ?3) \
    ORDER BY a.candidate_id LIMIT ?4";

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::store::sqlite::open;

    /// A statement is planned once per connection, whatever values it is given.
    #[test]
    fn no_value_makes_a_new_plan() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        open::make(&path).unwrap();
        let connection = open::reader(&path).unwrap();
        for sql in [
            sql::AUTHENTICATE,
            sql::CREDITS,
            sql::CANDIDATES,
            VACANCY_CANDIDATES,
            STATUS_CANDIDATES,
        ] {
            let mut statement = connection.prepare_cached(sql).unwrap();
            for value in 0..5_i64 {
                let values = vec![value; statement.parameter_count()];
                let mut rows = statement.query(rusqlite::params_from_iter(values)).unwrap();
                assert!(rows.next().unwrap().is_none());
            }
            assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0, "{sql}");
            drop(statement);
            let statement = connection.prepare_cached(sql).unwrap();
            assert_eq!(
                statement.get_status(rusqlite::StatementStatus::Run),
                5,
                "{sql} was not kept"
            );
        }
    }

    /// The plan of every statement that serves requests or cleans up. One that scans a table is a mistake.
    #[test]
    fn every_read_goes_by_a_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        open::make(&path).unwrap();
        let connection = open::writer(&path).unwrap();
        let mut plans = String::new();
        for (name, sql) in [
            ("token", sql::AUTHENTICATE),
            ("all candidates", sql::CANDIDATES),
            ("of a vacancy", VACANCY_CANDIDATES),
            ("of a vacancy and status", STATUS_CANDIDATES),
            ("vacancies", sql::VACANCIES),
            ("is a revision there", sql::REVISION_IS_THERE),
            ("credits", sql::CREDITS),
            ("collect revisions", sql::COLLECT_REVISIONS),
            ("collect candidates", sql::COLLECT_CANDIDATES),
            ("collect applications", sql::COLLECT_APPLICATIONS),
        ] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let parameters = vec![0_i64; statement.parameter_count()];
            let steps = statement
                .query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3))
                .unwrap();
            writeln!(plans, "{name}").unwrap();
            for step in steps {
                let step = step.unwrap();
                assert!(
                    !step.starts_with("SCAN") && !step.contains("TEMP B-TREE"),
                    "{name}: {step}"
                );
                writeln!(plans, "    {step}").unwrap();
            }
        }
        insta::assert_snapshot!(plans);
    }
}
