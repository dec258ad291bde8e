//! Deletions on PostgreSQL, and the removal of their rows from the files of the tables.

use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::store::postgres::link::{Link, failure, first, get};
use crate::store::postgres::session::Open;
use crate::store::{AccountId, Deletion, DeletionReport, ImportMode, UnknownIds, deletion, sql};

/// Deletes records in one transaction. It locks the row of the account first, so it waits for imports into the account.
pub(super) fn delete(
    link: &mut Link,
    account: AccountId,
    deletion: &Deletion,
    unknown: UnknownIds,
    mode: ImportMode,
) -> Result<DeletionReport, Error> {
    let mut transaction = link.client.transaction().map_err(failed)?;
    transaction.batch_execute(PREPARE).map_err(failed)?;
    transaction.execute(LOCK_ACCOUNT, &[&account.0]).map_err(failed)?;
    let (vacancies, candidates): (Vec<i64>, Vec<i64>) = deletion.keys().into_iter().unzip();
    transaction.execute(FILL, &[&vacancies, &candidates]).map_err(failed)?;
    let mut session = Open { transaction, account: account.0 };
    let report = deletion::delete(&mut session, account, deletion, unknown)?;
    let Open { transaction, .. } = session;
    match mode {
        ImportMode::DryRun => transaction.rollback().map_err(failed)?,
        ImportMode::Commit => transaction.commit().map_err(failed)?,
    }
    Ok(report)
}

/// Waits for transactions that may still read the deleted rows, and builds the tables again without them.
pub(super) fn erase_traces(link: &mut Link, timeout: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + timeout;
    let last = first(link.optional(sql::LAST_ERASURE, &[])?)?;
    let now = link.optional(CLOCK, &[])?;
    let now: f64 = now.map_or(Ok(0.0), |row| get(&row, 0))?;
    while first(link.optional(OLDER_READERS, &[&now])?)? > 0 {
        if Instant::now() >= deadline {
            return Err(remains("a transaction that began before still runs", timeout));
        }
        link.optional("SELECT pg_sleep(0.1)::text", &[])?;
    }
    for table in ["candidate", "vacancy", "application", "status", "account", "token"] {
        let owns = link.optional(OWNS, &[&table])?.map_or(Ok(true), |row| get(&row, 0))?;
        if !owns {
            let text = format!(
                "the records are deleted, but bytes of them remain in the files of the tables: only the owner of the \
                 table {table} may run VACUUM; run `gateway-server delete traces` as that role"
            );
            return Err(Error::new(ErrorKind::ErasurePending, text));
        }
    }
    link.client.batch_execute(VACUUM).map_err(|error| match failed(error) {
        late if late.kind() == ErrorKind::StorageSlow => {
            remains("another program still uses the tables", timeout)
        }
        other => other,
    })?;
    link.execute(sql::FINISH_ERASURES, &[&last])?;
    Ok(())
}

fn failed(error: ::postgres::Error) -> Error {
    failure(CONTEXT, error)
}

fn remains(cause: &str, timeout: Duration) -> Error {
    let text = format!(
        "the records are deleted, but bytes of them remain in the files of the tables: {cause} after {} s (--timeout); \
         run `gateway-server delete traces` later",
        timeout.as_secs()
    );
    Error::new(ErrorKind::ErasurePending, text)
}

const CONTEXT: &str = "cannot delete";

/// Creates the table of the keys to delete. Erasures are numbered one after another.
const PREPARE: &str = "\
    CREATE TEMP TABLE doomed (seq BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, \
    candidate_id BIGINT NOT NULL) ON COMMIT DROP; \
    LOCK TABLE erasure IN EXCLUSIVE MODE";

const LOCK_ACCOUNT: &str = "SELECT id FROM account WHERE id = $1 FOR UPDATE";

const FILL: &str = "\
    INSERT INTO doomed SELECT number, vacancy_id, candidate_id \
    FROM unnest($1::bigint[], $2::bigint[]) \
    WITH ORDINALITY AS one(vacancy_id, candidate_id, number)";

const CLOCK: &str = "SELECT extract(epoch FROM clock_timestamp())::float8";

/// Counts the other sessions that may read rows deleted before `$1`. Without the role `pg_read_all_stats`, only those of
/// the same role are seen.
const OLDER_READERS: &str = "\
    SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
    AND datname = current_database() AND backend_xmin IS NOT NULL \
    AND xact_start < to_timestamp($1)";

const OWNS: &str = "\
    SELECT pg_has_role(relowner, 'USAGE') FROM pg_class \
    WHERE oid = to_regclass($1::text)";

/// One statement, because several would be one transaction, in which VACUUM does not run.
const VACUUM: &str = "VACUUM candidate, vacancy, application, status, account, token";
