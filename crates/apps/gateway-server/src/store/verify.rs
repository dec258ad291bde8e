//! Looks at what was read before it is sent.

use bytes::Bytes;

use crate::error::Error;
use crate::store::cursor::Cursor;
use crate::store::errors::damaged;
use crate::store::rendered;
use crate::store::snapshot::{AccountId, Principal, Snapshot, Versions};
use crate::token::TokenDigest;

/// The number of columns of integers in the statement that looks up a token. The column after them is the credit balance. See
/// [`AUTHENTICATE`](crate::store::sql::AUTHENTICATE).
pub(super) const TOKEN_COLUMNS: usize = 7;

/// Returns the account of a token from the columns that were found. A damaged credit balance does not prevent the lists
/// from being read.
pub(super) fn principal(
    token: &TokenDigest,
    columns: [Option<i64>; TOKEN_COLUMNS],
    balance: Option<&[u8]>,
) -> Result<Principal, Error> {
    let [account, revision, tag, candidates, statuses, vacancies, credits] = columns;
    let found = account.zip(revision).zip(tag);
    let Some(((account, revision), tag)) = found else { return Err(damaged("a token")) };
    let account = AccountId(account);
    // A revision and its tag are set together.
    if (revision == 0) != (tag == 0) {
        return Err(damaged("an account"));
    }
    let versions = Versions {
        candidates: candidates.unwrap_or(tag),
        statuses: statuses.unwrap_or(tag),
        vacancies: vacancies.unwrap_or(tag),
        credits: credits.unwrap_or(tag),
    };
    let credits = balance.and_then(rendered::sendable).map(Bytes::copy_from_slice);
    let snapshot = Snapshot { account, revision };
    Ok(Principal { snapshot, versions, credits, token: token.id() })
}

/// Returns a credit balance, if it may be sent.
pub(super) fn credits(record: &[u8]) -> Result<&[u8], Error> {
    rendered::sendable(record).ok_or_else(|| damaged("a credit balance"))
}

/// Returns the record of the next row of a list, if it may be sent, and moves the cursor to it.
pub(super) fn next<'r>(cursor: &mut Cursor, id: i64, record: &'r [u8]) -> Result<&'r [u8], Error> {
    *cursor = cursor.pass(id).ok_or_else(|| damaged("a record"))?;
    rendered::sendable(record).ok_or_else(|| damaged("a record"))
}
