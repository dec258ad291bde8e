//! Reads pages from PostgreSQL.

use ::postgres::Row;

use crate::error::{Error, ErrorKind};
use crate::store::errors::snapshot_gone;
use crate::store::postgres::link::{Link, Parameter, get, parameter};
use crate::store::{AccountId, CandidateFilter, Page, RecordSink, Snapshot, rendered, sql};

pub(super) fn candidates(
    link: &mut Link,
    snapshot: Snapshot,
    filter: &CandidateFilter,
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<i64>, Error> {
    let AccountId(account) = snapshot.account;
    let limit = i64::from(page.limit);
    let mut parameters: Vec<Parameter<'_>> =
        vec![&account, &page.after, &snapshot.revision, &limit];
    let sql = match filter {
        CandidateFilter::Nothing => return Ok(None),
        CandidateFilter::All => sql::CANDIDATES,
        CandidateFilter::Vacancy(vacancy) => {
            parameters.push(vacancy);
            VACANCY_CANDIDATES
        }
        // A text in the database cannot contain NUL, so no candidate has such a status.
        CandidateFilter::Status(_, status) if status.contains('\0') => return Ok(None),
        CandidateFilter::Status(vacancy, status) => {
            parameters.extend([parameter(vacancy), parameter(status)]);
            STATUS_CANDIDATES
        }
    };
    let rows = link.query(sql, &parameters)?;
    let mut last = None;
    for row in &rows {
        sink(record(row, 1)?);
        last = Some(get(row, 0)?);
    }
    next(link, snapshot, last, rows.len(), page)
}

pub(super) fn vacancies(
    link: &mut Link,
    snapshot: Snapshot,
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<i64>, Error> {
    let limit = i64::from(page.limit);
    let parameters: [Parameter<'_>; 4] =
        [&snapshot.account.0, &page.after, &snapshot.revision, &limit];
    let rows = link.query(sql::VACANCIES, &parameters)?;
    let mut last = None;
    for row in &rows {
        sink(record(row, 1)?);
        last = Some(get(row, 0)?);
    }
    next(link, snapshot, last, rows.len(), page)
}

pub(super) fn credits(
    link: &mut Link,
    account: AccountId,
    sink: RecordSink<'_>,
) -> Result<(), Error> {
    let row = link.optional(sql::CREDITS, &[&account.0])?;
    let gone = || Error::new(ErrorKind::Storage, "the account no longer exists");
    let row = row.ok_or_else(gone)?;
    sink(record(&row, 0)?);
    Ok(())
}

/// Returns a stored record.
fn record(row: &Row, column: usize) -> Result<&[u8], Error> {
    let damaged = || Error::new(ErrorKind::StorageCorrupt, "a stored record is damaged");
    rendered::sendable(get::<&str>(row, column)?.as_bytes()).ok_or_else(damaged)
}

/// Returns the id to continue after; fails if the page was empty because its revision has been removed.
fn next(
    link: &mut Link,
    snapshot: Snapshot,
    last: Option<i64>,
    count: usize,
    page: Page,
) -> Result<Option<i64>, Error> {
    if last.is_none() && snapshot.revision > 0 {
        return if exists(link, snapshot)? { Ok(None) } else { Err(snapshot_gone()) };
    }
    Ok(last.filter(|_| count == usize::try_from(page.limit).unwrap_or(usize::MAX)))
}

/// Returns whether the rows of a snapshot still exist.
pub(super) fn exists(link: &mut Link, snapshot: Snapshot) -> Result<bool, Error> {
    let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
    Ok(link.optional(sql::REVISION_EXISTS, &[&account, &revision])?.is_some())
}

/// The subquery selects the ids of the page first. For a plain join, the planner walks the candidates of the whole
/// account in order and looks up each one in the vacancy.
pub(super) const VACANCY_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";

pub(super) const STATUS_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.status_key = (SELECT key FROM status WHERE account_id = $1 AND name = $6) \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";
