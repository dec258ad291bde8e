//! The first half of an import: the records go into temporary tables of the connection, and nothing else is touched.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Transaction, params};

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::store::balance::Balance;
use crate::store::dictionary::{Dictionary, StatusKeys};
use crate::store::sqlite::failed;
use crate::store::{AccountId, ApplicationRow, Fill, Place, Stage, rendered};

/// Fills the temporary tables of a connection that has none yet, and returns the balance, which needs none.
pub(super) fn fill(importer: &mut Connection, fill: Fill<'_>) -> Result<Balance, Error> {
    let doing = "importing";
    // A transaction for speed. It locks nothing: only temporary tables are in it.
    let transaction = importer.transaction().map_err(failed(doing))?;
    transaction.execute_batch(include_str!("staging.sql")).map_err(failed(doing))?;
    let mut stage = Staging::new(&transaction)?;
    fill(&mut stage)?;
    let balance = std::mem::take(&mut stage.balance);
    drop(stage);
    transaction.execute_batch(include_str!("staged.sql")).map_err(failed(doing))?;
    transaction.commit().map_err(failed(doing))?;
    Ok(balance)
}

/// Gives the staged statuses the keys they have in the account, new ones included.
pub(super) fn name_statuses(
    transaction: &Transaction<'_>,
    account: AccountId,
) -> Result<(), Error> {
    for sql in [ADD_STATUSES, REFER_TO_STATUSES] {
        transaction.execute(sql, [account.0]).map_err(failed("importing"))?;
    }
    Ok(())
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
    fn new(transaction: &'t Transaction<'t>) -> Result<Self, Error> {
        let prepare = |sql| transaction.prepare_cached(sql).map_err(failed("importing"));
        Ok(Self {
            dictionary: Statuses(transaction),
            keys: StatusKeys::default(),
            record: Vec::new(),
            vacancy: prepare("INSERT INTO staged_vacancy VALUES (NULL, ?, ?, ?)")?,
            candidate: prepare("INSERT INTO staged_candidate VALUES (NULL, ?, ?, ?)")?,
            application: prepare("INSERT INTO staged_application VALUES (NULL, ?, ?, ?, ?)")?,
            balance: Balance::default(),
        })
    }
}

/// The statuses of this import, numbered as they come.
struct Statuses<'t>(&'t Transaction<'t>);

impl Dictionary for Statuses<'_> {
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error> {
        let doing = "importing";
        let find = "SELECT key FROM staged_status WHERE name = ?";
        let mut statement = self.0.prepare_cached(find).map_err(failed(doing))?;
        statement.query_row([name], |row| row.get(0)).optional().map_err(failed(doing))
    }

    fn add(&mut self, name: &str) -> Result<i64, Error> {
        let add = "INSERT INTO staged_status VALUES (NULL, ?)";
        self.0.execute(add, [name]).map_err(failed("importing"))?;
        Ok(self.0.last_insert_rowid())
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

const ADD_STATUSES: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT ?1, (SELECT coalesce(max(key), 0) FROM status WHERE account_id = ?1) \
    + row_number() OVER (ORDER BY n.key), n.name FROM staged_status n \
    WHERE NOT EXISTS (SELECT 1 FROM status s WHERE s.account_id = ?1 AND s.name = n.name)";

const REFER_TO_STATUSES: &str = "\
    UPDATE staged_application SET status_key = (SELECT s.key FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name \
    WHERE n.key = staged_application.status_key)";
