//! Reads pages from PostgreSQL.

use crate::error::{Error, ErrorKind};
use crate::store::checksum::Row;
use crate::store::errors::snapshot_gone;
use crate::store::postgres::link::{Link, Parameter, get};
use crate::store::{
    AccountId, CandidateFilter, Cursor, Page, RecordSink, Snapshot, sql, tally_sql, verify,
};

pub(super) fn candidates(
    link: &mut Link,
    snapshot: Snapshot,
    filter: &CandidateFilter,
    page: Page,
    sink: RecordSink<'_>,
) -> Result<Option<Cursor>, Error> {
    let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
    let (after, limit) = (page.from.after(), i64::from(page.limit));
    let (sql, tally, values): (_, _, Vec<Parameter<'_>>) = match filter {
        CandidateFilter::Nothing => return Ok(None),
        CandidateFilter::All => (sql::CANDIDATES, tally_sql::CANDIDATES, Vec::new()),
        CandidateFilter::Vacancy(vacancy) => {
            (VACANCY_CANDIDATES, tally_sql::VACANCY_CANDIDATES, vec![vacancy])
        }
        // A text in the database cannot contain NUL, so no candidate has such a status.
        CandidateFilter::Status(_, status) if status.contains('\0') => return Ok(None),
        CandidateFilter::Status(vacancy, status) => {
            (STATUS_CANDIDATES, tally_sql::STATUS_CANDIDATES, vec![vacancy, status])
        }
    };
    let mut parameters: Vec<Parameter<'_>> = vec![&account, &after, &revision, &limit];
    parameters.extend(&values);
    let rows = link.query(sql, &parameters)?;
    let filtered = *filter != CandidateFilter::All;
    let verify = verify::Rows::new(Row::Candidate, snapshot.account, filtered, page.from);
    let end = each(&rows, verify, sink)?;
    if is_full(&rows, page) {
        return Ok(Some(end));
    }
    let mut parameters: Vec<Parameter<'_>> = vec![&account, &revision];
    parameters.extend(&values);
    complete(link, snapshot, end, tally, &parameters)
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
    let verify = verify::Rows::new(Row::Vacancy, snapshot.account, false, page.from);
    let end = each(&rows, verify, sink)?;
    if is_full(&rows, page) {
        return Ok(Some(end));
    }
    complete(link, snapshot, end, tally_sql::VACANCIES, &[&account, &revision])
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
    sink(verify::credits(account, get(&row, 1)?, record.as_bytes(), get(&row, 2)?)?);
    Ok(())
}

/// Sends the rows of a page. Returns the cursor after the last one.
fn each(
    rows: &[::postgres::Row],
    mut verify: verify::Rows,
    sink: RecordSink<'_>,
) -> Result<Cursor, Error> {
    for row in rows {
        let record: &str = get(row, 1)?;
        sink(verify.next(get(row, 0)?, record.as_bytes(), get(row, 2)?)?);
    }
    Ok(verify.cursor())
}

fn is_full(rows: &[::postgres::Row], page: Page) -> bool {
    rows.len() == usize::try_from(page.limit).unwrap_or(usize::MAX)
}

/// Verifies a list at its end. Fails if the last page was empty because its revision has been removed.
fn complete(
    link: &mut Link,
    snapshot: Snapshot,
    end: Cursor,
    tally: &'static str,
    parameters: &[Parameter<'_>],
) -> Result<Option<Cursor>, Error> {
    match link.optional(tally, parameters)? {
        Some(row) => verify::complete(end, get(&row, 0)?, get(&row, 1)?).map(|()| None),
        // An account without data has no revision.
        None if snapshot.revision == 0 => Ok(None),
        None => Err(snapshot_gone()),
    }
}

/// The subquery selects the ids of the page first. For a plain join, the planner walks the candidates of the whole
/// account in order and looks up each one in the vacancy.
pub(super) const VACANCY_CANDIDATES: &str = "\
    SELECT c.id, c.record, c.checksum \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";

pub(super) const STATUS_CANDIDATES: &str = "\
    SELECT c.id, c.record, c.checksum \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.status_key = (SELECT key FROM status WHERE account_id = $1 AND name = $6) \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";
