//! The first half of an import: it writes the records into temporary tables of the connection and touches nothing else.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Transaction, params};

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::dictionary::{Dictionary, StatusKeys};
use crate::store::sqlite::failure::failed;
use crate::store::staged::Staged;
use crate::store::{AccountId, ApplicationRow, Fill, Stage, rendered};

/// Creates and fills the temporary tables. Returns the facts about the records, and the credit balance, which has no
/// table.
pub(super) fn fill(
    importer: &mut Connection,
    account: AccountId,
    fill: Fill<'_>,
) -> Result<(Staged, Balance), Error> {
    let context = "cannot import";
    importer.execute_batch(include_str!("staging.sql")).map_err(failed(context))?;
    // Before the transaction, which would read the state of the database at its beginning until it ends.
    importer.execute(KNOWN_STATUSES, [account.0]).map_err(failed(context))?;
    // A transaction for speed. It locks nothing, because it uses only temporary tables.
    let transaction = importer.transaction().map_err(failed(context))?;
    let mut stage = Staging::new(&transaction)?;
    fill(&mut stage)?;
    let (staged, balance) = stage.end();
    transaction.execute_batch(include_str!("staged.sql")).map_err(failed(context))?;
    transaction.commit().map_err(failed(context))?;
    Ok((staged, balance))
}

/// Adds new statuses to the account. Replaces the keys of this import by those of the account where they differ: another
/// import may have added statuses meanwhile.
pub(super) fn name_statuses(
    transaction: &Transaction<'_>,
    account: AccountId,
) -> Result<(), Error> {
    let context = "cannot import";
    transaction.execute(ADD_STATUSES, [account.0]).map_err(failed(context))?;
    let differ = transaction
        .query_row(DIFFERENT_STATUSES, [account.0], |row| row.get::<_, bool>(0))
        .map_err(failed(context))?;
    if differ {
        transaction.execute(REFER_TO_STATUSES, [account.0]).map_err(failed(context))?;
    }
    Ok(())
}

/// Writes records into the temporary tables.
struct Staging<'t> {
    dictionary: Statuses<'t>,
    keys: StatusKeys,
    record: Vec<u8>,
    vacancy: CachedStatement<'t>,
    candidate: CachedStatement<'t>,
    application: CachedStatement<'t>,
    staged: Staged,
    balance: Balance,
}

impl<'t> Staging<'t> {
    fn new(transaction: &'t Transaction<'t>) -> Result<Self, Error> {
        let prepare = |sql| transaction.prepare_cached(sql).map_err(failed("cannot import"));
        Ok(Self {
            dictionary: Statuses(transaction),
            keys: StatusKeys::default(),
            record: Vec::new(),
            vacancy: prepare("INSERT INTO staged_vacancy VALUES (NULL, ?, ?, ?)")?,
            candidate: prepare("INSERT INTO staged_candidate VALUES (NULL, ?, ?, ?)")?,
            application: prepare("INSERT INTO staged_application VALUES (NULL, ?, ?, ?, ?)")?,
            staged: Staged::default(),
            balance: Balance::default(),
        })
    }

    fn end(self) -> (Staged, Balance) {
        (self.staged, self.balance)
    }
}

/// The statuses of the account, followed by the new ones of this import in the order of their appearance.
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
        self.staged.vacancies.push((id, 0));
        let inserted = self.vacancy.execute(params![place.pack(), id, record]);
        inserted.map(drop).map_err(failed("cannot import"))
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut self.record)?;
        self.staged.candidates.push((id, 0));
        let inserted = self.candidate.execute(params![place.pack(), id, record]);
        inserted.map(drop).map_err(failed("cannot import"))
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let status = self.keys.get(&mut self.dictionary, row.status)?;
        self.staged.applications.push((row.vacancy_id, row.candidate_id));
        let parameters = [place.pack(), row.vacancy_id, row.candidate_id, status];
        self.application.execute(parameters).map(drop).map_err(failed("cannot import"))
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

const KNOWN_STATUSES: &str = "\
    INSERT INTO staged_status SELECT key, name FROM status WHERE account_id = ?1";

/// A known status that no record has may have been erased meanwhile.
const ADD_STATUSES: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT ?1, (SELECT coalesce(max(key), 0) FROM status WHERE account_id = ?1) \
    + row_number() OVER (ORDER BY n.key), n.name FROM staged_status n \
    WHERE NOT EXISTS (SELECT 1 FROM status s WHERE s.account_id = ?1 AND s.name = n.name) \
    AND EXISTS (SELECT 1 FROM staged_application a WHERE a.status_key = n.key)";

const DIFFERENT_STATUSES: &str = "\
    SELECT EXISTS (SELECT 1 FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name WHERE s.key <> n.key)";

const REFER_TO_STATUSES: &str = "\
    UPDATE staged_application SET status_key = (SELECT s.key FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name \
    WHERE n.key = staged_application.status_key)";
