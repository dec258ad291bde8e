//! Looks for damage in PostgreSQL.

use crate::error::{Error, ErrorKind};
use crate::store::check::{Deviations, StoredToken};
use crate::store::postgres::link::{Link, get};
use crate::store::rendered::{self, Kind};
use crate::store::{AccountId, CheckReport, sql, tally_sql};
use crate::token::TokenDigest;

/// Checks the references between the tables, the stored records, and the tallies. PostgreSQL checks the integrity of its
/// files, if it was set up with checksums.
pub(super) fn check(link: &mut Link) -> Result<CheckReport, Error> {
    let mut report = CheckReport::default();
    for (sql, what) in sql::ORPHANS.into_iter().chain(tally_sql::DAMAGE) {
        let count = count(link, sql)?;
        if count > 0 {
            report.damage.push(format!("{what}: {count}"));
        }
    }
    report.pending_erasures = u64::try_from(count(link, sql::PENDING_ERASURES)?).unwrap_or(0);
    report.uncounted(count(link, tally_sql::UNCOUNTED)?);
    for (kind, sql) in EVERY_RECORD {
        let mut deviations = Deviations::default();
        let mut after = (0_i64, -1_i64, 0_i64);
        loop {
            let (account, id, revision) = after;
            let rows = link.query(sql, &[&account, &id, &revision])?;
            for row in &rows {
                after = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
                let (account, id, _revision) = after;
                let record: &str = get(row, 3)?;
                let (is_live, own) = (get(row, 4)?, get(row, 5)?);
                let account = AccountId(account);
                deviations.count(&kind, account, id, record.as_bytes(), own, is_live);
            }
            if rows.is_empty() {
                break;
            }
        }
        deviations.report(&kind, &mut report, |account| name(link, account));
    }
    for row in link.query(sql::EVERY_TOKEN, &[])? {
        let digest: &[u8] = get(&row, 0)?;
        let odd = |error| {
            let text = "the hash of a token does not have 32 bytes";
            Error::caused(ErrorKind::StorageCorrupt, text, error)
        };
        report.token(&StoredToken {
            digest: digest.try_into().map(TokenDigest).map_err(odd)?,
            account: AccountId(get(&row, 1)?),
            created_at: get(&row, 2)?,
            expires_at: get(&row, 3)?,
            revoked_at: get(&row, 4)?,
            checksum: get(&row, 5)?,
        });
    }
    Ok(report)
}

/// Returns the name of an account, if it can be read.
fn name(link: &mut Link, account: AccountId) -> Option<String> {
    let row = link.optional("SELECT name FROM account WHERE id = $1", &[&account.0]).ok()??;
    get(&row, 0).ok()
}

fn count(link: &mut Link, sql: &'static str) -> Result<i64, Error> {
    link.optional(sql, &[])?.map_or(Ok(0), |row| get(&row, 0))
}

/// One page of all row versions of all accounts, in the order of the key.
const EVERY_RECORD: [(Kind, &str); 3] = [
    (
        rendered::CANDIDATES,
        "SELECT account_id, id, rev_from, record, rev_to = 9223372036854775807, checksum FROM candidate \
         WHERE (account_id, id, rev_from) > ($1, $2, $3) ORDER BY account_id, id, rev_from LIMIT 4096",
    ),
    (
        rendered::VACANCIES,
        "SELECT account_id, id, rev_from, record, rev_to = 9223372036854775807, checksum FROM vacancy \
         WHERE (account_id, id, rev_from) > ($1, $2, $3) ORDER BY account_id, id, rev_from LIMIT 4096",
    ),
    (
        rendered::CREDITS,
        "SELECT a.id, 0::bigint, a.revision, a.credits, true, r.credits_checksum FROM account a \
         LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision \
         WHERE (a.id, 0::bigint, a.revision) > ($1, $2, $3) ORDER BY a.id LIMIT 4096",
    ),
];
