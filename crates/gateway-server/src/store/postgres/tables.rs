//! Creates and verifies the tables in PostgreSQL.

use ::postgres::Transaction;

use crate::error::{Error, ErrorKind};
use crate::store::postgres::link::{Link, failure, get};
use crate::store::schema;

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

/// Checks the schema version, after calling `missing` if the tables do not exist.
fn run(
    link: &mut Link,
    missing: impl FnOnce(&mut Transaction<'_>) -> Result<(), Error>,
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
    transaction.commit().map_err(failed)
}

fn failed(error: ::postgres::Error) -> Error {
    failure("cannot create or find the tables", error)
}

/// The key of the lock is an arbitrary number that only this program uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5139274821775263047)";

const EXISTS: &str = "\
    SELECT 1 FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_schema'";
