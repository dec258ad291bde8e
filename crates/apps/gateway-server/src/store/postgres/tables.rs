//! Creates, verifies and upgrades the tables in PostgreSQL.

use std::time::Duration;

use ::postgres::Transaction;
use ::postgres::error::SqlState;

use crate::error::{Error, ErrorKind};
use crate::store::postgres::link::{Link, failure, get};
use crate::store::{additions, schema};

/// Creates the tables unless they exist. Concurrent callers wait for one another.
pub(super) fn create_if_missing(link: &mut Link) -> Result<(), Error> {
    run(link, |transaction| transaction.batch_execute(include_str!("schema.sql")).map_err(failed))
}

/// Fails unless the tables exist.
pub(super) fn find(link: &mut Link) -> Result<(), Error> {
    run(link, |_transaction| {
        let text = "the database has no tables of this program; \
                    `serve` and `account create` create them";
        Err(Error::new(ErrorKind::NotFound, text))
    })
}

/// Checks the schema version, after calling `missing` if the tables do not exist. Then applies missing additions.
fn run(
    link: &mut Link,
    missing: impl Fn(&mut Transaction<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    for _ in 1..ATTEMPTS {
        match attempt(link, &missing) {
            Err(error) if error.kind() == ErrorKind::StorageBusy => {
                std::thread::park_timeout(PAUSE);
            }
            other => return other,
        }
    }
    attempt(link, &missing)
}

fn attempt(
    link: &mut Link,
    missing: &impl Fn(&mut Transaction<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut transaction = link.client.transaction().map_err(failed)?;
    // Held until the transaction ends, so that only one of several concurrent callers creates the tables.
    transaction.batch_execute(LOCK).map_err(failed)?;
    let exists = transaction.query(EXISTS, &[]).map_err(failed)?;
    if exists.is_empty() {
        missing(&mut transaction)?;
    }
    let row = transaction.query_one("SELECT max(version) FROM gateway_schema", &[]);
    schema::check("the database", get(&row.map_err(failed)?, 0)?)?;
    upgrade(&mut transaction)?;
    transaction.commit().map_err(failed)
}

/// Applies the additions to the schema that the database does not have.
fn upgrade(transaction: &mut Transaction<'_>) -> Result<(), Error> {
    let exists = transaction.query(ADDITIONS_EXIST, &[]).map_err(failed)?;
    let last = if exists.is_empty() {
        0
    } else {
        get(&transaction.query_one(additions::LAST, &[]).map_err(failed)?, 0)?
    };
    for addition in additions::after(last) {
        let sql = format!("{LOCK_TIMEOUT}; {}; {}", additions::CREATE_TABLE, addition.postgres);
        transaction.batch_execute(&sql).map_err(not_upgraded)?;
        transaction.execute(additions::ADD, &[&addition.number]).map_err(not_upgraded)?;
    }
    Ok(())
}

fn not_upgraded(error: ::postgres::Error) -> Error {
    if error.code() != Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return failure("cannot upgrade the tables", error);
    }
    let text = "cannot upgrade the tables: the role does not own them; run `gateway-server account list` with the role \
                that does, then start again";
    Error::caused(ErrorKind::Storage, text, failure("the database refused", error))
}

fn failed(error: ::postgres::Error) -> Error {
    failure("cannot create or find the tables", error)
}

/// The key of the lock is an arbitrary number that only this program uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5139274821775263047)";

const EXISTS: &str = "\
    SELECT 1 FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_schema'";

const ADDITIONS_EXIST: &str = "\
    SELECT 1 FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_addition'";

/// While an upgrade waits for a lock on a table, readers of other servers wait behind it. So it waits for a short time and
/// tries again later.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = 2000";

/// Pause between two attempts of an upgrade.
const PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of attempts of an upgrade. An import of a former release, which locks the tables, has about a minute.
const ATTEMPTS: u32 = 20;
