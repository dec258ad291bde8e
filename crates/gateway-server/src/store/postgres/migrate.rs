//! Making the tables, once, however many servers start at the same time.

use super::link::{Link, failure};
use crate::error::{Error, ErrorKind};

/// Makes the schema of this release, or finds that it is there.
pub(super) fn run(link: &mut Link) -> Result<(), Error> {
    let failed = |error| failure("making the tables", error);
    let mut transaction = link.client.transaction().map_err(failed)?;
    // Held until the transaction ends: who comes second finds the tables made.
    transaction.batch_execute(LOCK).map_err(failed)?;
    let exists = transaction.query(EXISTS, &[]).map_err(failed)?;
    if exists.is_empty() {
        transaction.batch_execute(include_str!("schema.sql")).map_err(failed)?;
    }
    let row = transaction.query_one("SELECT max(version) FROM gateway_schema", &[]);
    let version: Option<i64> = row.and_then(|row| row.try_get(0)).map_err(failed)?;
    match version {
        Some(VERSION) => transaction.commit().map_err(failed),
        Some(newer) if newer > VERSION => {
            Err(Error::new(ErrorKind::StorageNewer, "the database was written by a newer release"))
        }
        _ => Err(Error::new(ErrorKind::StorageForeign, "the database has no known version")),
    }
}

/// An arbitrary number that only this program uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5139274821775263047)";

const EXISTS: &str = "\
    SELECT 1 FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_schema'";

/// The version of the schema this release writes.
const VERSION: i64 = 1;
