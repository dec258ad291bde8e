//! Looks for damage in SQLite.

use rusqlite::Connection;

use crate::error::Error;
use crate::store::check::{Deviations, StoredToken};
use crate::store::rendered::{self, Kind};
use crate::store::sqlite::failure::failed;
use crate::store::{AccountId, CheckReport, sql, tally_sql};
use crate::token::TokenDigest;

/// Checks the integrity of the file, the references between the tables, the stored records, and the tallies.
pub(super) fn check(writer: &Connection) -> Result<CheckReport, Error> {
    let context = "cannot check the database";
    let mut report = CheckReport::default();
    let mut statement = writer.prepare("PRAGMA integrity_check(20)").map_err(failed(context))?;
    report.damage = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(failed(context))?;
    report.damage.retain(|line| line != "ok");
    let count = |sql| writer.query_row(sql, [], |row| row.get::<_, i64>(0));
    for (sql, what) in sql::ORPHANS.into_iter().chain(tally_sql::DAMAGE) {
        let count = count(sql).map_err(failed(context))?;
        if count > 0 {
            report.damage.push(format!("{what}: {count}"));
        }
    }
    let pending = count(sql::PENDING_ERASURES).map_err(failed(context))?;
    report.pending_erasures = u64::try_from(pending).unwrap_or(0);
    report.uncounted(count(tally_sql::UNCOUNTED).map_err(failed(context))?);
    for (kind, select) in EVERY_RECORD {
        let mut statement = writer.prepare(select).map_err(failed(context))?;
        let mut rows = statement.query([]).map_err(failed(context))?;
        let mut deviations = Deviations::default();
        while let Some(row) = rows.next().map_err(failed(context))? {
            let account = AccountId(row.get(0).map_err(failed(context))?);
            let id = row.get(1).map_err(failed(context))?;
            let record = row.get_ref(2).map_err(failed(context))?;
            let is_live = row.get(3).map_err(failed(context))?;
            let own = row.get(4).map_err(failed(context))?;
            deviations.count(
                &kind,
                account,
                id,
                record.as_bytes().unwrap_or_default(),
                own,
                is_live,
            );
        }
        deviations.report(&kind, &mut report);
    }
    let mut statement = writer.prepare(sql::EVERY_TOKEN).map_err(failed(context))?;
    let tokens = statement.query_map([], |row| {
        Ok(StoredToken {
            digest: TokenDigest(row.get(0)?),
            account: AccountId(row.get(1)?),
            created_at: row.get(2)?,
            expires_at: row.get(3)?,
            revoked_at: row.get(4)?,
            checksum: row.get(5)?,
        })
    });
    for token in tokens.map_err(failed(context))? {
        report.token(&token.map_err(failed(context))?);
    }
    Ok(report)
}

/// All row versions of all accounts.
const EVERY_RECORD: [(Kind, &str); 3] = [
    (
        rendered::CANDIDATES,
        "SELECT account_id, id, record, rev_to = 9223372036854775807, checksum FROM candidate",
    ),
    (
        rendered::VACANCIES,
        "SELECT account_id, id, record, rev_to = 9223372036854775807, checksum FROM vacancy",
    ),
    (
        rendered::CREDITS,
        "SELECT a.id, 0, a.credits, true, r.credits_checksum FROM account a \
         LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision",
    ),
];
