//! Looks for damage in PostgreSQL.

use crate::error::Error;
use crate::store::check::Deviations;
use crate::store::postgres::link::{Link, get};
use crate::store::rendered::{self, Kind};
use crate::store::{AccountId, CheckReport, sql};

/// Checks the references between the tables, and the stored records. PostgreSQL checks the integrity of its
/// files, if it was set up with checksums.
pub(super) fn check(link: &mut Link) -> Result<CheckReport, Error> {
    let mut report = CheckReport::default();
    for (sql, what) in sql::ORPHANS {
        let count = count(link, sql)?;
        if count > 0 {
            report.damage.push(format!("{what}: {count}"));
        }
    }
    report.pending_erasures = u64::try_from(count(link, sql::PENDING_ERASURES)?).unwrap_or(0);
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
                let account = AccountId(account);
                deviations.count(&kind, account, id, record.as_bytes(), get(row, 4)?);
            }
            if rows.is_empty() {
                break;
            }
        }
        deviations.report(&kind, &mut report, |account| name(link, account));
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
        "SELECT account_id, id, rev_from, record, rev_to = 9223372036854775807 FROM candidate \
         WHERE (account_id, id, rev_from) > ($1, $2, $3) ORDER BY account_id, id, rev_from LIMIT 4096",
    ),
    (
        rendered::VACANCIES,
        "SELECT account_id, id, rev_from, record, rev_to = 9223372036854775807 FROM vacancy \
         WHERE (account_id, id, rev_from) > ($1, $2, $3) ORDER BY account_id, id, rev_from LIMIT 4096",
    ),
    (
        rendered::CREDITS,
        "SELECT id, 0::bigint, revision, credits, true FROM account \
         WHERE (id, 0::bigint, revision) > ($1, $2, $3) ORDER BY id LIMIT 4096",
    ),
];
