//! Reads pages from PostgreSQL.

use crate::error::{Error, ErrorKind};
use crate::store::errors::snapshot_gone;
use crate::store::postgres::link::{Link, Parameter, get};
use crate::store::{AccountId, CandidateFilter, Cursor, Page, RecordSink, Snapshot, sql, verify};

pub(super) fn candidates(
    link: &mut Link,
    snapshot: Snapshot,
    filter: &CandidateFilter,
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<Cursor>, Error> {
    let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
    let (after, limit) = (page.from.after(), i64::from(page.limit));
    let (sql, values): (_, Vec<Parameter<'_>>) = match filter {
        CandidateFilter::Nothing => return Ok(None),
        CandidateFilter::All => (sql::CANDIDATES, Vec::new()),
        CandidateFilter::Vacancy(vacancy) => (VACANCY_CANDIDATES, vec![vacancy]),
        // A text in the database cannot contain NUL, so no candidate has such a status.
        CandidateFilter::Status(_, status) if status.contains('\0') => return Ok(None),
        CandidateFilter::Status(vacancy, status) => (STATUS_CANDIDATES, vec![vacancy, status]),
    };
    let mut parameters: Vec<Parameter<'_>> = vec![&account, &after, &revision, &limit];
    parameters.extend(&values);
    let rows = link.query(sql, &parameters)?;
    let read = each(&rows, page, sink)?;
    complete(link, snapshot, read)
}

pub(super) fn vacancies(
    link: &mut Link,
    snapshot: Snapshot,
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<Cursor>, Error> {
    let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
    let (after, limit) = (page.from.after(), i64::from(page.limit));
    let rows = link.query(sql::VACANCIES, &[&account, &after, &revision, &limit])?;
    let read = each(&rows, page, sink)?;
    complete(link, snapshot, read)
}

pub(super) fn credits(
    link: &mut Link,
    account: AccountId,
    sink: RecordSink<'_>,
) -> Result<(), Error> {
    let row = link.optional(sql::CREDITS, &[&account.0])?;
    let gone = || Error::new(ErrorKind::Storage, "the account no longer exists");
    let row = row.ok_or_else(gone)?;
    let record: &str = get(&row, 0)?;
    sink(verify::credits(record.as_bytes())?);
    Ok(())
}

/// Sends the rows of a page. Returns where the list continues, if the page was full.
fn each(
    rows: &[::postgres::Row],
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<Cursor>, Error> {
    let mut cursor = page.from;
    for row in rows {
        let record: &str = get(row, 1)?;
        sink(verify::next(&mut cursor, get(row, 0)?, record.as_bytes())?);
    }
    let is_full = u32::try_from(rows.len()).is_ok_and(|rows| rows == page.limit);
    Ok(is_full.then_some(cursor))
}

/// Returns where the list continues. Fails if the last page was empty because its revision has been removed.
fn complete(
    link: &mut Link,
    snapshot: Snapshot,
    read: Option<Cursor>,
) -> Result<Option<Cursor>, Error> {
    let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
    // An account without data has no revision.
    let is_there = read.is_some()
        || revision == 0
        || link.optional(sql::REVISION_EXISTS, &[&account, &revision])?.is_some();
    if is_there { Ok(read) } else { Err(snapshot_gone()) }
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
