//! The first half of an import: it writes the records into temporary tables of the connection and touches nothing else.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Transaction, params};

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::checksum::{self, Row};
use crate::store::dictionary::{Dictionary, StatusKeys};
use crate::store::sqlite::failure::failed;
use crate::store::{AccountId, ApplicationRow, Fill, Stage, rendered};

/// Creates and fills the temporary tables, and returns the credit balance, which has no table.
pub(super) fn fill(
    importer: &mut Connection,
    account: AccountId,
    fill: Fill<'_>,
) -> Result<Balance, Error> {
    let context = "cannot import";
    // A transaction for speed. It locks nothing, because it writes only to temporary tables.
    let transaction = importer.transaction().map_err(failed(context))?;
    transaction.execute_batch(include_str!("staging.sql")).map_err(failed(context))?;
    let mut stage = Staging::new(&transaction, account)?;
    fill(&mut stage)?;
    let balance = std::mem::take(&mut stage.balance);
    drop(stage);
    transaction.execute_batch(include_str!("staged.sql")).map_err(failed(context))?;
    transaction.commit().map_err(failed(context))?;
    Ok(balance)
}

/// Replaces the status keys of this import by those of the account, and adds new statuses to the account.
pub(super) fn name_statuses(
    transaction: &Transaction<'_>,
    account: AccountId,
) -> Result<(), Error> {
    for sql in [ADD_STATUSES, REFER_TO_STATUSES] {
        transaction.execute(sql, [account.0]).map_err(failed("cannot import"))?;
    }
    Ok(())
}

/// Writes records into the temporary tables.
struct Staging<'t> {
    account: AccountId,
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
        let prepare = |sql| transaction.prepare_cached(sql).map_err(failed("cannot import"));
        Ok(Self {
            account,
            dictionary: Statuses(transaction),
            keys: StatusKeys::default(),
            record: Vec::new(),
            vacancy: prepare("INSERT INTO staged_vacancy VALUES (NULL, ?, ?, ?, ?)")?,
            candidate: prepare("INSERT INTO staged_candidate VALUES (NULL, ?, ?, ?, ?)")?,
            application: prepare("INSERT INTO staged_application VALUES (NULL, ?, ?, ?, ?)")?,
            balance: Balance::default(),
        })
    }
}

/// The statuses of this import, numbered in the order of their appearance.
struct Statuses<'t>(&'t Transaction<'t>);

impl Dictionary for Statuses<'_> {
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error> {
        let context = "cannot import";
        let find = "SELECT key FROM staged_status WHERE name = ?";
        let mut statement = self.0.prepare_cached(find).map_err(failed(context))?;
        statement.query_row([name], |row| row.get(0)).optional().map_err(failed(context))
    }

    fn add(&mut self, name: &str) -> Result<i64, Error> {
        let add = "INSERT INTO staged_status VALUES (NULL, ?)";
        self.0.execute(add, [name]).map_err(failed("cannot import"))?;
        Ok(self.0.last_insert_rowid())
    }
}

impl Stage for Staging<'_> {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let record = rendered::vacancy(id, row, &mut self.record)?;
        let checksum = checksum::of_record(Row::Vacancy, self.account, id, record.as_bytes());
        let inserted = self.vacancy.execute(params![place.pack(), id, record, checksum]);
        inserted.map(drop).map_err(failed("cannot import"))
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut self.record)?;
        let checksum = checksum::of_record(Row::Candidate, self.account, id, record.as_bytes());
        let inserted = self.candidate.execute(params![place.pack(), id, record, checksum]);
        inserted.map(drop).map_err(failed("cannot import"))
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let status = self.keys.get(&mut self.dictionary, row.status)?;
        let parameters = [place.pack(), row.vacancy_id, row.candidate_id, status];
        self.application.execute(parameters).map(drop).map_err(failed("cannot import"))
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

const ADD_STATUSES: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT ?1, (SELECT coalesce(max(key), 0) FROM status WHERE account_id = ?1) \
    + row_number() OVER (ORDER BY n.key), n.name FROM staged_status n \
    WHERE NOT EXISTS (SELECT 1 FROM status s WHERE s.account_id = ?1 AND s.name = n.name)";

const REFER_TO_STATUSES: &str = "\
    UPDATE staged_application SET status_key = (SELECT s.key FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name \
    WHERE n.key = staged_application.status_key)";
