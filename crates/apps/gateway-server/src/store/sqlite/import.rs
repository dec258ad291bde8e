//! Writes to SQLite: imports, and the removal of superseded rows.

use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params, params_from_iter};

use crate::error::Error;
use crate::store::balance::Balance;
use crate::store::merge::merge;
use crate::store::revision::seconds_before;
use crate::store::session::Session;
use crate::store::sqlite::failure::failed;
use crate::store::sqlite::stage;
use crate::store::{AccountId, Fill, ImportMode, ImportReport, Removals, sql};

/// Runs an import over its own connection.
///
/// Large files take long to read, so they are read before the transaction begins: other writers wait only for the
/// second half. Writers of this process wait for what `turn` returns, without a timeout.
pub(super) fn run<T>(
    importer: &mut Connection,
    turn: impl FnOnce() -> T,
    account: AccountId,
    mode: ImportMode,
    replace: Option<Removals>,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let context = "cannot import";
    let (staged, balance) = stage::fill(importer, account, fill)?;
    let _turn = turn();
    // IMMEDIATE, because a transaction that begins with a read may fail to become a writing one.
    let transaction = importer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(context))?;
    stage::name_statuses(&transaction, account)?;
    let credits_changed = set_credits(&transaction, account, &balance)?;
    let mut session = OpenTransaction(&transaction, context);
    let report = merge(&mut session, account, &staged, credits_changed, replace.is_some())?;
    replace.map_or(Ok(()), |removals| removals.check(mode, &report))?;
    match mode {
        ImportMode::DryRun => transaction.rollback().map_err(failed(context))?,
        ImportMode::Commit => transaction.commit().map_err(failed(context))?,
    }
    Ok(report)
}

/// Sets the balance and returns whether it changed.
fn set_credits(
    transaction: &Transaction<'_>,
    account: AccountId,
    balance: &Balance,
) -> Result<bool, Error> {
    let Some(record) = balance.given() else { return Ok(false) };
    let changed = transaction.execute(sql::SET_CREDITS, params![record, account.0]);
    Ok(changed.map_err(failed("cannot import"))? > 0)
}

/// Deletes the row versions that were superseded at least `age` ago.
pub(super) fn collect(writer: &mut Connection, age: Duration) -> Result<u64, Error> {
    let context = "cannot remove superseded rows";
    let transaction = writer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(context))?;
    let mut deleted = 0;
    {
        let now: i64 = transaction.query_row(NOW, [], |row| row.get(0)).map_err(failed(context))?;
        let mut statement = transaction.prepare(sql::COLLECTABLE).map_err(failed(context))?;
        let accounts: Vec<(i64, i64)> = statement
            .query_map([seconds_before(now, age)], |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(Iterator::collect)
            .map_err(failed(context))?;
        for (account, revision) in accounts {
            transaction
                .execute(sql::COLLECT_REVISIONS, [account, revision])
                .map_err(failed(context))?;
            for sql in [sql::COLLECT_VACANCIES, sql::COLLECT_CANDIDATES, sql::COLLECT_APPLICATIONS]
            {
                let count =
                    transaction.execute(sql, [account, revision]).map_err(failed(context))?;
                deleted += u64::try_from(count).unwrap_or(0);
            }
        }
    }
    transaction.commit().map_err(failed(context))?;
    Ok(deleted)
}

/// An open transaction, and the message of its errors.
pub(super) struct OpenTransaction<'t>(pub(super) &'t Transaction<'t>, pub(super) &'static str);

impl Session for OpenTransaction<'_> {
    const NOW: &'static str = NOW;

    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error> {
        let count = self.0.execute(sql, params_from_iter(parameters)).map_err(failed(self.1))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error> {
        let mut statement = self.0.prepare(sql).map_err(failed(self.1))?;
        let mut rows = statement.query(params_from_iter(parameters)).map_err(failed(self.1))?;
        let Some(row) = rows.next().map_err(failed(self.1))? else { return Ok(None) };
        let mut columns = [0; COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            *column = row.get(index).map_err(failed(self.1))?;
        }
        Ok(Some(columns))
    }
}

/// The clock of this machine, on which every process with the file open runs.
const NOW: &str = "SELECT unixepoch()";
