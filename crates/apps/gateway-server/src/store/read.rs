//! The reads that answer requests: the account of a token, the pages of a list, the credit balance.

use crate::config::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::store::db::{Db, Dialect, Value, damaged};
use crate::store::model::{
    AccountId, CandidateFilter, Page, Principal, RecordSink, Snapshot, Versions,
};
use crate::token::TokenDigest;

/// Returns the account of a token, if the token is valid.
pub(super) fn authenticate(
    db: &mut dyn Db,
    token: &TokenDigest,
    now: UnixTime,
) -> Result<Option<Principal>, Error> {
    let mut found = None;
    db.each(AUTHENTICATE, &[Value::Bytes(&token.0), now.0.into()], &mut |row| {
        let (account, revision, tag) = (row.number(0)?, row.number(1)?, row.number(2)?);
        // A revision and its tag are set together.
        if (revision == 0) != (tag == 0) {
            return Err(damaged("an account"));
        }
        let version = |column| Ok::<_, Error>(row.integer(column)?.unwrap_or(tag));
        let versions = Versions {
            candidates: version(3)?,
            statuses: version(4)?,
            vacancies: version(5)?,
            credits: version(6)?,
        };
        let snapshot = Snapshot { account: AccountId(account), revision };
        found = Some(Principal { snapshot, versions, token: token.id() });
        Ok(())
    })?;
    Ok(found)
}

/// Returns the statement that selects a page of candidates, and its values after the first four. `None` means that no
/// candidate can match.
pub(super) fn candidates<'f>(
    dialect: &Dialect,
    filter: &'f CandidateFilter,
) -> Option<(String, Vec<Value<'f>>)> {
    let of_vacancy = |status| dialect.of_vacancy.replace("{status}", status);
    Some(match filter {
        CandidateFilter::Nothing => return None,
        CandidateFilter::All => (list("candidate"), Vec::new()),
        CandidateFilter::Vacancy(vacancy) => (of_vacancy(""), vec![(*vacancy).into()]),
        // Text in the database cannot contain NUL, so no candidate has such a status.
        CandidateFilter::Status(_, status) if status.contains('\0') => return None,
        CandidateFilter::Status(vacancy, status) => {
            (of_vacancy(OF_STATUS), vec![(*vacancy).into(), status.as_str().into()])
        }
    })
}

/// Reads the rows of a page. Advances `page` past these rows, and reduces its limit by their number.
///
/// Fails if nothing was read because the revision has been removed.
pub(super) fn page(
    db: &mut dyn Db,
    snapshot: Snapshot,
    (sql, more): (&str, &[Value<'_>]),
    page: &mut Page,
    sink: RecordSink<'_>,
) -> Result<(), Error> {
    let (account, revision) = (snapshot.account.0, snapshot.revision);
    let mut values = [account, page.from.0, revision, page.limit.into()].map(Value::from).to_vec();
    values.extend(more);
    db.each(sql, &values, &mut |row| {
        let id = row.number(0)?;
        if id <= page.from.0 {
            return Err(damaged("a record"));
        }
        sink(sendable(row.bytes(1)?).ok_or_else(|| damaged("a record"))?);
        page.from.0 = id;
        page.limit = page.limit.saturating_sub(1);
        Ok(())
    })?;
    // An account without data has no revision.
    let is_complete = page.limit == 0
        || revision == 0
        || db.count(REVISION_EXISTS, &[account, revision].map(Value::from))? > 0;
    if is_complete {
        return Ok(());
    }
    Err(Error::new(ErrorKind::SnapshotGone, "the rows of this revision have been removed"))
}

pub(super) fn credits(
    db: &mut dyn Db,
    account: AccountId,
    sink: RecordSink<'_>,
) -> Result<(), Error> {
    let mut is_there = false;
    db.each(CREDITS, &[account.0.into()], &mut |row| {
        sink(sendable(row.bytes(0)?).ok_or_else(|| damaged("a credit balance"))?);
        is_there = true;
        Ok(())
    })?;
    let gone = || Error::new(ErrorKind::Storage, "the account no longer exists");
    is_there.then_some(()).ok_or_else(gone)
}

/// Returns a stored text if it may be sent. Only its first and last bytes are checked, which is enough to keep a torn
/// row out of a response.
fn sendable(record: &[u8]) -> Option<&[u8]> {
    matches!(record, [b'{', .., b'}']).then_some(record)
}

pub(super) const AUTHENTICATE: &str = "\
    SELECT t.account_id, a.revision, a.tag, r.candidates_tag, r.statuses_tag, r.vacancies_tag, \
    r.credits_tag FROM token t JOIN account a ON a.id = t.account_id \
    LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
    WHERE t.sha256 = ?1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?2)";

/// Selects a page of a whole table. It returns rows only while its revision exists, so that a page whose rows are being
/// removed is empty rather than incomplete. [`REVISION_EXISTS`] distinguishes such a page from the end of the list. The
/// revision gives the account, because SQLite would evaluate a separate condition again for every row.
pub(super) fn list(table: &str) -> String {
    format!(
        "SELECT id, record FROM {table} \
         WHERE account_id = (SELECT account_id FROM revision WHERE account_id = ?1 AND rev = ?3) \
         AND id > ?2 AND rev_from <= ?3 AND ?3 < rev_to ORDER BY id LIMIT ?4"
    )
}

/// The condition that selects one status in a vacancy.
const OF_STATUS: &str =
    "AND a.status_key = (SELECT key FROM status WHERE account_id = ?1 AND name = ?6) ";

pub(super) const REVISION_EXISTS: &str =
    "SELECT rev FROM revision WHERE account_id = ?1 AND rev = ?2";

pub(super) const CREDITS: &str = "SELECT credits FROM account WHERE id = ?1";
