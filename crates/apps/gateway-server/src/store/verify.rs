//! Verifies what is read before it is sent: each row by its checksum, and each list by its tally.

use bytes::Bytes;

use crate::error::Error;
use crate::store::checksum::{self, Row};
use crate::store::cursor::{Cursor, Tally};
use crate::store::errors::damaged;
use crate::store::rendered;
use crate::store::snapshot::{AccountId, Principal, Snapshot, Versions};
use crate::token::TokenDigest;

/// The number of columns of integers in the statement that looks up a token. The column after them is the credit balance. See
/// [`AUTHENTICATE`](crate::store::sql::AUTHENTICATE).
pub(super) const TOKEN_COLUMNS: usize = 12;

/// Returns the account of a token from the columns that were found. A damaged credit balance does not prevent the lists
/// from being read.
pub(super) fn principal(
    token: &TokenDigest,
    columns: [Option<i64>; TOKEN_COLUMNS],
    balance: Option<&[u8]>,
) -> Result<Principal, Error> {
    let [
        account,
        revision,
        tag,
        created_at,
        expires_at,
        own,
        revision_tag,
        candidates,
        statuses,
        vacancies,
        credits,
        credits_checksum,
    ] = columns;
    let found = account.zip(revision).zip(tag).zip(created_at);
    let Some((((account, revision), tag), created_at)) = found else {
        return Err(damaged("a token"));
    };
    let account = AccountId(account);
    let expected = checksum::of_token(token, account, created_at, expires_at);
    if own.is_some_and(|own| own != expected) {
        return Err(damaged("a token"));
    }
    // A revision and its tag are set together. A former release leaves the tag in the revision empty.
    if (revision == 0) != (tag == 0) || revision_tag.is_some_and(|own| own != tag) {
        return Err(damaged("an account"));
    }
    let versions = Versions {
        candidates: candidates.unwrap_or(tag),
        statuses: statuses.unwrap_or(tag),
        vacancies: vacancies.unwrap_or(tag),
        credits: credits.unwrap_or(tag),
    };
    let balance =
        balance.and_then(|record| self::credits(account, revision, record, credits_checksum).ok());
    let credits = balance.map(Bytes::copy_from_slice);
    let snapshot = Snapshot { account, revision };
    Ok(Principal { snapshot, versions, credits, token: token.id() })
}

/// Verifies a credit balance. An account without a revision still has the one that it was created with.
pub(super) fn credits(
    account: AccountId,
    revision: i64,
    record: &[u8],
    own: Option<i64>,
) -> Result<&[u8], Error> {
    let is_whole = match own {
        Some(own) => own == checksum::of_record(Row::Credits, account, 0, record),
        None => revision > 0 || rendered::is_no_credits(record),
    };
    rendered::sendable(record).filter(|_| is_whole).ok_or_else(|| damaged("a credit balance"))
}

/// Verifies the rows of one page, in the order of the list.
pub(super) struct Rows {
    records: checksum::Records,
    /// Whether the list has a filter: the sum of such a list is over ids.
    filtered: bool,
    cursor: Cursor,
}

impl Rows {
    pub(super) fn new(row: Row, account: AccountId, filtered: bool, cursor: Cursor) -> Self {
        Self { records: checksum::Records::of(row, account), filtered, cursor }
    }

    /// Returns the record of the next row. A row of a former release has no checksum.
    pub(super) fn next<'r>(
        &mut self,
        id: i64,
        record: &'r [u8],
        own: Option<i64>,
    ) -> Result<&'r [u8], Error> {
        let is_whole = own.is_none_or(|own| own == self.records.checksum(id, record));
        let weight =
            if self.filtered { checksum::id_weight(id) } else { checksum::weight(id, own) };
        let passed = self.cursor.pass(id, weight).filter(|_| is_whole);
        self.cursor = passed.ok_or_else(|| damaged("a record"))?;
        rendered::sendable(record).ok_or_else(|| damaged("a record"))
    }

    /// Returns the cursor after the last row.
    pub(super) fn cursor(&self) -> Cursor {
        self.cursor
    }
}

/// Verifies that a list was read completely. A revision of a former release has no tally.
pub(super) fn complete(cursor: Cursor, number: Option<i64>, sum: Option<i64>) -> Result<(), Error> {
    let tally = number.zip(sum).map(|(number, sum)| Tally { number, sum });
    if tally.is_none_or(|tally| tally == cursor.seen()) { Ok(()) } else { Err(damaged("a list")) }
}
