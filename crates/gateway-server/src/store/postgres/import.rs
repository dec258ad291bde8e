//! Writes to PostgreSQL: imports, the removal of superseded rows, and the search for damage.

use std::time::Duration;

use ::postgres::Transaction;

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::check::Deviations;
use crate::store::checksum::{self, Row};
use crate::store::dictionary::{Dictionary, StatusKeys};
use crate::store::merge::merge;
use crate::store::postgres::link::{Link, Parameter, failure, first, get, parameter};
use crate::store::rendered::Kind;
use crate::store::revision::seconds_before;
use crate::store::session::Session;
use crate::store::{
    AccountId, ApplicationRow, CheckReport, Fill, ImportMode, ImportReport, Page, Removals, Stage,
    rendered, sql, tally_sql,
};

/// Runs an import in one transaction. It locks the row of the account first, so imports into one account run one after
/// another.
pub(super) fn run(
    link: &mut Link,
    account: AccountId,
    mode: ImportMode,
    replace: Option<Removals>,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let mut transaction = link.client.transaction().map_err(failed)?;
    transaction.execute(LOCK_ACCOUNT, &[&account.0]).map_err(failed)?;
    transaction.batch_execute(include_str!("staging.sql")).map_err(failed)?;
    let mut stage = Staging::new(transaction, account);
    fill(&mut stage)?;
    stage.flush()?;
    let Staging { mut session, balance, .. } = stage;
    let credits_changed = session.set_credits(&balance)?;
    session.transaction.batch_execute(include_str!("staged.sql")).map_err(failed)?;
    let report = merge(&mut session, account, credits_changed, replace.is_some())?;
    replace.map_or(Ok(()), |removals| removals.check(mode, &report))?;
    match mode {
        ImportMode::DryRun => session.transaction.rollback().map_err(failed)?,
        ImportMode::Commit => {
            if report.changed_anything() {
                session.transaction.batch_execute(ANALYZE).map_err(failed)?;
            }
            session.transaction.commit().map_err(failed)?;
        }
    }
    Ok(report)
}

/// Deletes the row versions that were superseded at least `age` ago.
///
/// Each statement is a transaction, and the revisions are deleted first: a reader that could miss a row finds that its
/// revision is missing too.
pub(super) fn collect(link: &mut Link, age: Duration) -> Result<u64, Error> {
    let mut deleted = 0;
    let now = first(link.optional(NOW, &[])?)?;
    for row in link.query(sql::COLLECTABLE, &[&seconds_before(now, age)])? {
        let (account, revision): (i64, i64) = (get(&row, 0)?, get(&row, 1)?);
        link.execute(sql::COLLECT_REVISIONS, &[&account, &revision])?;
        link.execute(tally_sql::COLLECT_TALLIES, &[&account, &revision])?;
        for sql in [sql::COLLECT_VACANCIES, sql::COLLECT_CANDIDATES, sql::COLLECT_APPLICATIONS] {
            deleted += link.execute(sql, &[&account, &revision])?;
        }
    }
    Ok(deleted)
}

/// Checks the references between the tables, and the stored records. PostgreSQL checks the integrity of its files.
pub(super) fn check(link: &mut Link) -> Result<CheckReport, Error> {
    let mut report = CheckReport::default();
    for (sql, what) in sql::ORPHANS {
        let row = link.optional(sql, &[])?;
        let count = row.map_or(Ok(0), |row| get::<i64>(&row, 0))?;
        if count > 0 {
            report.damage.push(format!("{what}: {count}"));
        }
    }
    let pending = first(link.optional(sql::PENDING_ERASURES, &[])?)?;
    report.pending_erasures = u64::try_from(pending).unwrap_or(0);
    for (kind, sql) in EVERY_RECORD {
        let mut deviations = Deviations::default();
        let mut after = (0_i64, Page::START, 0_i64);
        loop {
            let (account, id, revision) = after;
            let rows = link.query(sql, &[&account, &id, &revision])?;
            for row in &rows {
                after = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
                let record: &str = get(row, 3)?;
                deviations.count((kind.compare)(after.1, record.as_bytes()), get(row, 4)?);
            }
            if rows.is_empty() {
                break;
            }
        }
        deviations.report(&kind, &mut report);
    }
    Ok(report)
}

/// Writes records into the temporary tables, in batches.
struct Staging<'t> {
    session: Open<'t>,
    keys: StatusKeys,
    /// The number of records in the tables, which is also the number of the last one.
    staged: i64,
    vacancies: Records,
    candidates: Records,
    applications: Applications,
    balance: Balance,
}

/// A batch, as columns: each is sent as one array.
#[derive(Default)]
struct Records {
    place: Vec<i64>,
    id: Vec<i64>,
    record: Vec<String>,
    checksum: Vec<i64>,
}

#[derive(Default)]
struct Applications {
    place: Vec<i64>,
    vacancy: Vec<i64>,
    candidate: Vec<i64>,
    status: Vec<i64>,
}

impl<'t> Staging<'t> {
    fn new(transaction: Transaction<'t>, account: AccountId) -> Self {
        Self {
            session: Open { transaction, account: account.0 },
            keys: StatusKeys::default(),
            staged: 0,
            vacancies: Records::default(),
            candidates: Records::default(),
            applications: Applications::default(),
            balance: Balance::default(),
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let Records { place, id, record, checksum } = std::mem::take(&mut self.vacancies);
        let columns: [Parameter<'_>; 5] = [&self.staged, &place, &id, &record, &checksum];
        self.staged += self.session.stage(STAGE_VACANCIES, &columns)?;
        let Records { place, id, record, checksum } = std::mem::take(&mut self.candidates);
        let columns: [Parameter<'_>; 5] = [&self.staged, &place, &id, &record, &checksum];
        self.staged += self.session.stage(STAGE_CANDIDATES, &columns)?;
        let Applications { place, vacancy, candidate, status } =
            std::mem::take(&mut self.applications);
        let columns: [Parameter<'_>; 5] = [&self.staged, &place, &vacancy, &candidate, &status];
        self.staged += self.session.stage(STAGE_APPLICATIONS, &columns)?;
        Ok(())
    }

    fn flush_if(&mut self, waiting: usize) -> Result<(), Error> {
        if waiting >= BATCH { self.flush() } else { Ok(()) }
    }
}

impl Stage for Staging<'_> {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let record = rendered::vacancy(id, row, &mut Vec::new())?.to_owned();
        let account = AccountId(self.session.account);
        let checksum = checksum::of_record(Row::Vacancy, account, id, record.as_bytes());
        self.vacancies.place.push(place.pack());
        self.vacancies.id.push(id);
        self.vacancies.checksum.push(checksum);
        self.vacancies.record.push(record);
        self.flush_if(self.vacancies.id.len())
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut Vec::new())?.to_owned();
        let account = AccountId(self.session.account);
        let checksum = checksum::of_record(Row::Candidate, account, id, record.as_bytes());
        self.candidates.place.push(place.pack());
        self.candidates.id.push(id);
        self.candidates.checksum.push(checksum);
        self.candidates.record.push(record);
        self.flush_if(self.candidates.id.len())
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let status = self.keys.get(&mut self.session, row.status)?;
        self.applications.place.push(place.pack());
        self.applications.vacancy.push(row.vacancy_id);
        self.applications.candidate.push(row.candidate_id);
        self.applications.status.push(status);
        self.flush_if(self.applications.status.len())
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

/// The open transaction of an import or a deletion.
pub(super) struct Open<'t> {
    pub(super) transaction: Transaction<'t>,
    pub(super) account: i64,
}

impl Open<'_> {
    /// Sets the balance and returns whether it changed.
    fn set_credits(&mut self, balance: &Balance) -> Result<bool, Error> {
        let Some(record) = balance.given() else { return Ok(false) };
        let parameters: [Parameter<'_>; 2] = [&record, &self.account];
        let changed = self.transaction.execute(sql::SET_CREDITS, &parameters).map_err(failed)?;
        Ok(changed > 0)
    }

    /// Stages records and returns their number.
    fn stage(&mut self, sql: &'static str, columns: &[Parameter<'_>]) -> Result<i64, Error> {
        let staged = self.transaction.execute(sql, columns).map_err(failed)?;
        Ok(i64::try_from(staged).unwrap_or(i64::MAX))
    }
}

impl Dictionary for Open<'_> {
    fn find(&mut self, name: &str) -> Result<Option<i64>, Error> {
        let parameters: [Parameter<'_>; 2] = [&self.account, &name];
        let row = self.transaction.query_opt(STATUS_KEY, &parameters).map_err(failed)?;
        row.map(|row| get(&row, 0)).transpose()
    }

    fn add(&mut self, name: &str) -> Result<i64, Error> {
        let parameters: [Parameter<'_>; 2] = [&self.account, &name];
        let row = self.transaction.query_one(CREATE_STATUS, &parameters).map_err(failed)?;
        get(&row, 0)
    }
}

impl Session for Open<'_> {
    const NOW: &'static str = NOW;

    fn execute(&mut self, sql: &'static str, parameters: &[i64]) -> Result<u64, Error> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        self.transaction.execute(sql, &parameters).map_err(failed)
    }

    fn first<const COLUMNS: usize>(
        &mut self,
        sql: &'static str,
        parameters: &[i64],
    ) -> Result<Option<[i64; COLUMNS]>, Error> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        let rows = self.transaction.query(sql, &parameters).map_err(failed)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut columns = [0; COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            *column = get(row, index)?;
        }
        Ok(Some(columns))
    }

    fn credits(&mut self, account: i64) -> Result<String, Error> {
        let row = self.transaction.query_one(sql::CREDITS, &[&account]).map_err(failed)?;
        get(&row, 0)
    }
}

fn failed(error: ::postgres::Error) -> Error {
    failure("cannot change the data", error)
}

/// Number of records in a batch.
const BATCH: usize = 4096;

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
        "SELECT id, id, revision, credits, true FROM account \
         WHERE (id, id, revision) > ($1, $2, $3) ORDER BY id LIMIT 4096",
    ),
];

/// The clock of the database, which all servers and imports share. `now()` would return the start of the transaction.
const NOW: &str = "SELECT extract(epoch FROM clock_timestamp())::bigint";

const LOCK_ACCOUNT: &str = "SELECT id FROM account WHERE id = $1 FOR UPDATE";

/// Without statistics, the planner assumes small tables until the next autovacuum.
const ANALYZE: &str = "ANALYZE vacancy, candidate, application, status";

const STATUS_KEY: &str = "SELECT key FROM status WHERE account_id = $1 AND name = $2";

const CREATE_STATUS: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT $1, coalesce(max(key), 0) + 1, $2 FROM status WHERE account_id = $1 RETURNING key";

const STAGE_VACANCIES: &str = "\
    INSERT INTO staged_vacancy SELECT $1 + number, place, id, record, checksum \
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) \
    WITH ORDINALITY AS one(place, id, record, checksum, number)";

const STAGE_CANDIDATES: &str = "\
    INSERT INTO staged_candidate SELECT $1 + number, place, id, record, checksum \
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) \
    WITH ORDINALITY AS one(place, id, record, checksum, number)";

const STAGE_APPLICATIONS: &str = "\
    INSERT INTO staged_application SELECT $1 + number, place, vacancy_id, candidate_id, status_key \
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
    WITH ORDINALITY AS one(place, vacancy_id, candidate_id, status_key, number)";
