//! Reads from SQLite, over one connection and its prepared statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::clock::UnixTime;
use crate::error::Error;
use crate::store::errors::snapshot_gone;
use crate::store::sqlite::failure::{failed, failure};
use crate::store::{
    AccountId, CandidateFilter, Cursor, Page, Principal, RecordSink, Snapshot, sql, verify,
};
use crate::token::TokenDigest;

/// A read-only connection.
pub(super) struct Reader {
    connection: Connection,
    begun: Instant,
    /// The deadline of the running statement, in nanoseconds since `begun`.
    deadline: Arc<AtomicU64>,
}

impl Reader {
    pub(super) fn new(mut connection: Connection) -> Result<Self, Error> {
        let (begun, deadline) = (Instant::now(), Arc::new(AtomicU64::new(u64::MAX)));
        let watched = Arc::clone(&deadline);
        let is_late = move || nanoseconds(begun.elapsed()) > watched.load(Ordering::Relaxed);
        connection
            .progress_handler(STEPS, Some(is_late))
            .map_err(failed("cannot set up a reader"))?;
        Ok(Self { connection, begun, deadline })
    }

    /// Sets the time limit of the next read.
    pub(super) fn set_budget(&mut self, budget: Duration) {
        self.deadline.store(nanoseconds(self.begun.elapsed() + budget), Ordering::Relaxed);
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
                let read = |row: &rusqlite::Row<'_>| {
                    let balance = text(row, verify::TOKEN_COLUMNS).ok();
                    Ok(verify::principal(token, columns(row)?, balance))
                };
                statement.query_row(params![token.0, now.0], read).optional()
            })
            .map_err(failed("cannot look up the token"))?;
        found.transpose()
    }

    pub(super) fn candidates(
        &mut self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let AccountId(account) = snapshot.account;
        let sql = match filter {
            CandidateFilter::Nothing => return Ok(None),
            CandidateFilter::All => sql::CANDIDATES,
            CandidateFilter::Vacancy(_) => VACANCY_CANDIDATES,
            CandidateFilter::Status(..) => STATUS_CANDIDATES,
        };
        let context = "cannot read the candidates";
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(context))?;
        let (after, limit, revision) = (page.from.after(), page.limit, snapshot.revision);
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
        let read = each(rows.map_err(failed(context))?, page, context, sink)?;
        self.complete(snapshot, read)
    }

    pub(super) fn vacancies(
        &mut self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let context = "cannot read the vacancies";
        let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
        let mut statement =
            self.connection.prepare_cached(sql::VACANCIES).map_err(failed(context))?;
        let rows = statement
            .query(params![account, page.from.after(), revision, page.limit])
            .map_err(failed(context))?;
        let read = each(rows, page, context, sink)?;
        self.complete(snapshot, read)
    }

    /// Returns where the list continues. Fails if the last page was empty because its revision has been removed.
    fn complete(&self, snapshot: Snapshot, read: Option<Cursor>) -> Result<Option<Cursor>, Error> {
        // An account without data has no revision.
        if read.is_some() || snapshot.revision == 0 {
            return Ok(read);
        }
        let exists = self
            .connection
            .prepare_cached(sql::REVISION_EXISTS)
            .and_then(|mut statement| {
                statement.exists(params![snapshot.account.0, snapshot.revision])
            })
            .map_err(failed("cannot read the database"))?;
        if exists { Ok(None) } else { Err(snapshot_gone()) }
    }

    pub(super) fn credits(
        &mut self,
        account: AccountId,
        sink: RecordSink<'_>,
    ) -> Result<(), Error> {
        let context = "cannot read the credit balance";
        let mut statement =
            self.connection.prepare_cached(sql::CREDITS).map_err(failed(context))?;
        let mut rows = statement.query([account.0]).map_err(failed(context))?;
        let row = rows.next().map_err(failed(context))?;
        let row = row.ok_or_else(|| failure(context, rusqlite::Error::QueryReturnedNoRows))?;
        let record = text(row, 0).map_err(failed(context))?;
        sink(verify::credits(record)?);
        Ok(())
    }

    pub(super) fn health(&mut self) -> Result<(), Error> {
        self.connection
            .prepare_cached(sql::HEALTH)
            .and_then(|mut statement| statement.query_row([], |_row| Ok(())))
            .map_err(failed("cannot read the database"))
    }

    pub(super) fn newest_revision(&mut self) -> Result<Option<UnixTime>, Error> {
        self.connection
            .prepare_cached(sql::NEWEST_REVISION)
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map(|time: Option<i64>| time.map(UnixTime))
            .map_err(failed("cannot read the newest revision"))
    }
}

/// Reads the rows of a page. Returns where the list continues, if the page was full.
fn each(
    mut rows: rusqlite::Rows<'_>,
    page: Page,
    context: &'static str,
    sink: RecordSink<'_>,
) -> Result<Option<Cursor>, Error> {
    let (mut count, mut cursor) = (0, page.from);
    while let Some(row) = rows.next().map_err(failed(context))? {
        let id = row.get(0).map_err(failed(context))?;
        let record = text(row, 1).map_err(failed(context))?;
        sink(verify::next(&mut cursor, id, record)?);
        count += 1;
    }
    Ok((count == page.limit).then_some(cursor))
}

/// Returns a stored text. As bytes, because the import wrote UTF-8 and validating it again would only cost time.
fn text<'r>(row: &'r rusqlite::Row<'_>, column: usize) -> rusqlite::Result<&'r [u8]> {
    Ok(row.get_ref(column)?.as_bytes()?)
}

/// Returns the columns of a row, which are all integers.
fn columns<const COUNT: usize>(row: &rusqlite::Row<'_>) -> rusqlite::Result<[Option<i64>; COUNT]> {
    let mut columns = [None; COUNT];
    for (index, column) in columns.iter_mut().enumerate() {
        *column = row.get(index)?;
    }
    Ok(columns)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Number of steps of the database between two looks at the clock, about ten times in a page of 512 records.
const STEPS: i32 = 1000;

/// `CROSS JOIN` and the unary plus fix the plan: from the applications of the vacancy to each candidate by its key.
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

    /// SQLite plans a statement once per connection, regardless of the values it gets.
    #[test]
    fn a_new_value_does_not_cause_a_new_plan() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        open::create_if_missing(&path).unwrap();
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
                "{sql} was not cached"
            );
        }
    }

    /// The plan of every statement that answers requests or cleans up. None may scan a table.
    #[test]
    fn every_read_uses_a_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        open::create_if_missing(&path).unwrap();
        let connection = open::writer(&path).unwrap();
        let mut plans = String::new();
        for (name, sql) in [
            ("token", sql::AUTHENTICATE),
            ("all candidates", sql::CANDIDATES),
            ("of a vacancy", VACANCY_CANDIDATES),
            ("of a vacancy and status", STATUS_CANDIDATES),
            ("vacancies", sql::VACANCIES),
            ("revision", sql::REVISION_EXISTS),
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
