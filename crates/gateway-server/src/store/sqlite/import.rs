//! Writing: imports, the removal of superseded rows, and the search for damage.

use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params, params_from_iter};

use crate::error::Error;
use crate::store::balance::Balance;
use crate::store::merge::{Session, merge};
use crate::store::sqlite::{failed, stage};
use crate::store::{AccountId, Fill, ImportMode, ImportReport, rendered, seconds_before, sql};

/// Runs an import over a connection of its own.
///
/// Reading the files takes as long as they are large, and happens before the transaction: other writers wait for the
/// second half only. Those of this process wait for `turn`, without a limit of time.
pub(super) fn run<T>(
    importer: &mut Connection,
    turn: impl FnOnce() -> T,
    account: AccountId,
    mode: ImportMode,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let doing = "importing";
    let balance = stage::fill(importer, fill)?;
    let _turn = turn();
    // IMMEDIATE: a transaction that begins with reading could not become a writing one later.
    let transaction = importer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(doing))?;
    stage::name_statuses(&transaction, account)?;
    let credits_changed = set_credits(&transaction, account, &balance)?;
    let report = merge(&mut OpenTransaction(&transaction), account, credits_changed)?;
    match mode {
        ImportMode::DryRun => transaction.rollback().map_err(failed(doing))?,
        ImportMode::Commit => transaction.commit().map_err(failed(doing))?,
    }
    Ok(report)
}

/// Sets the balance and tells whether it is another than before.
fn set_credits(
    transaction: &Transaction<'_>,
    account: AccountId,
    balance: &Balance,
) -> Result<bool, Error> {
    let Some((number, currency)) = balance.given() else { return Ok(false) };
    let changed = transaction.execute(sql::SET_CREDITS, params![number, currency, account.0]);
    Ok(changed.map_err(failed("importing"))? > 0)
}

/// Deletes the row versions that were superseded at least so long ago.
pub(super) fn collect(writer: &mut Connection, age: Duration) -> Result<u64, Error> {
    let doing = "removing superseded rows";
    let transaction =
        writer.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed(doing))?;
    let mut deleted = 0;
    {
        let now: i64 = transaction.query_row(NOW, [], |row| row.get(0)).map_err(failed(doing))?;
        let mut statement = transaction.prepare(sql::COLLECTABLE).map_err(failed(doing))?;
        let accounts: Vec<(i64, i64)> = statement
            .query_map([seconds_before(now, age)], |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(Iterator::collect)
            .map_err(failed(doing))?;
        for (account, revision) in accounts {
            transaction
                .execute(sql::COLLECT_REVISIONS, [account, revision])
                .map_err(failed(doing))?;
            for sql in [sql::COLLECT_VACANCIES, sql::COLLECT_CANDIDATES, sql::COLLECT_APPLICATIONS]
            {
                let count = transaction.execute(sql, [account, revision]).map_err(failed(doing))?;
                deleted += u64::try_from(count).unwrap_or(0);
            }
        }
    }
    transaction.commit().map_err(failed(doing))?;
    Ok(deleted)
}

/// Lets SQLite verify the whole file, and the references between the tables.
pub(super) fn check(writer: &Connection) -> Result<Vec<String>, Error> {
    let doing = "checking the database";
    let mut statement = writer.prepare("PRAGMA integrity_check(20)").map_err(failed(doing))?;
    let mut found: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(failed(doing))?;
    found.retain(|line| line != "ok");
    for (sql, what) in sql::ORPHANS {
        let count: i64 = writer.query_row(sql, [], |row| row.get(0)).map_err(failed(doing))?;
        if count > 0 {
            found.push(format!("{count} {what}"));
        }
    }
    let mut statement =
        writer.prepare("SELECT id, record FROM candidate").map_err(failed(doing))?;
    let mut rows = statement.query([]).map_err(failed(doing))?;
    let mut count = 0_u64;
    while let Some(row) = rows.next().map_err(failed(doing))? {
        let id = row.get(0).map_err(failed(doing))?;
        let record = row.get_ref(1).map_err(failed(doing))?;
        let whole = record.as_bytes().is_ok_and(|record| rendered::is_whole(id, record));
        count += u64::from(!whole);
    }
    found.extend((count > 0).then(|| format!("{count} {}", rendered::NOT_WHOLE)));
    Ok(found)
}

struct OpenTransaction<'t>(&'t Transaction<'t>);

impl Session for OpenTransaction<'_> {
    const NOW: &'static str = NOW;

    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error> {
        let count =
            self.0.execute(sql, params_from_iter(parameters)).map_err(failed("importing"))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error> {
        let mut statement = self.0.prepare(sql).map_err(failed("importing"))?;
        let mut rows =
            statement.query(params_from_iter(parameters)).map_err(failed("importing"))?;
        let Some(row) = rows.next().map_err(failed("importing"))? else { return Ok(None) };
        let mut columns = [0; COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            *column = row.get(index).map_err(failed("importing"))?;
        }
        Ok(Some(columns))
    }
}

/// The clock of this machine: all who have the file open are on it.
const NOW: &str = "SELECT unixepoch()";
