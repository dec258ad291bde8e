//! Writing: imports, the removal of superseded rows, and the search for damage.

use std::time::Duration;

use rusqlite::{
    CachedStatement, Connection, OptionalExtension as _, Transaction, TransactionBehavior, params,
    params_from_iter,
};

use super::super::balance::Balance;
use super::super::dictionary::{Dictionary, StatusKeys};
use super::super::merge::{Session, merge};
use super::super::{
    AccountId, ApplicationRow, Fill, ImportMode, ImportReport, Place, Stage, rendered,
    seconds_before, sql,
};
use super::failed;
use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};

/// Runs an import in one transaction.
pub(super) fn run(
    writer: &mut Connection,
    account: AccountId,
    mode: ImportMode,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let doing = "importing";
    // IMMEDIATE: a transaction that begins with reading could not become a writing one later.
    let transaction =
        writer.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed(doing))?;
    transaction.execute_batch(include_str!("staging.sql")).map_err(failed(doing))?;
    let mut stage = Staging::new(&transaction, account)?;
    fill(&mut stage)?;
    let balance = std::mem::take(&mut stage.balance);
    drop(stage);
    let credits_changed = set_credits(&transaction, account, &balance)?;
    transaction.execute_batch(include_str!("staged.sql")).map_err(failed(doing))?;
    let report = merge(&mut OpenTransaction(&transaction), account, credits_changed)?;
    match mode {
        ImportMode::DryRun => transaction.rollback().map_err(failed(doing))?,
        ImportMode::Commit => {
            transaction.execute_batch(EMPTY_STAGE).map_err(failed(doing))?;
            transaction.commit().map_err(failed(doing))?;
        }
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

/// Records on their way into the temporary tables.
struct Staging<'t> {
    dictionary: Statuses<'t>,
    keys: StatusKeys,
    record: Vec<u8>,
    vacancy: CachedStatement<'t>,
    candidate: CachedStatement<'t>,
    application: CachedStatement<'t>,
    balance: Balance,
}

impl<'t> Staging<'t> {
    fn new(transaction: &'t Transaction<'t>, account: AccountId) -> Result<Self, Error> {
        let prepare = |sql| transaction.prepare_cached(sql).map_err(failed("importing"));
        Ok(Self {
            dictionary: Statuses { transaction, account: account.0 },
            keys: StatusKeys::default(),
            record: Vec::new(),
            vacancy: prepare("INSERT INTO staged_vacancy VALUES (NULL, ?, ?, ?)")?,
            candidate: prepare("INSERT INTO staged_candidate VALUES (NULL, ?, ?, ?)")?,
            application: prepare("INSERT INTO staged_application VALUES (NULL, ?, ?, ?, ?)")?,
            balance: Balance::default(),
        })
    }
}

/// The dictionary of the account, inside the transaction.
struct Statuses<'t> {
    transaction: &'t Transaction<'t>,
    account: i64,
}

impl Dictionary for Statuses<'_> {
    fn query(&mut self, sql: &'static str, name: &str) -> Result<Option<i64>, Error> {
        let doing = "importing";
        let mut statement = self.transaction.prepare_cached(sql).map_err(failed(doing))?;
        statement
            .query_row(params![self.account, name], |row| row.get(0))
            .optional()
            .map_err(failed(doing))
    }
}

impl Stage for Staging<'_> {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let inserted = self.vacancy.execute(params![place.pack(), id, row.project]);
        inserted.map(drop).map_err(failed("importing"))
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::text(id, row, &mut self.record)?;
        let inserted = self.candidate.execute(params![place.pack(), id, record]);
        inserted.map(drop).map_err(failed("importing"))
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let status = self.keys.get(&mut self.dictionary, row.status)?;
        let parameters = [place.pack(), row.vacancy_id, row.candidate_id, status];
        self.application.execute(parameters).map(drop).map_err(failed("importing"))
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
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

const EMPTY_STAGE: &str =
    "DELETE FROM staged_vacancy; DELETE FROM staged_candidate; DELETE FROM staged_application";
