//! Deletions on SQLite, and the removal of their traces from the file and its log.
//!
//! A deleted row remains readable in free pages, in the gaps of pages, and in the log. Building the file again removes
//! the first two. The log is emptied when no program reads an older state from it.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};

use crate::error::{Error, ErrorKind};
use crate::store::sqlite::failure::{failed, failure};
use crate::store::sqlite::import::OpenTransaction;
use crate::store::sqlite::open;
use crate::store::{AccountId, Deletion, DeletionReport, ImportMode, UnknownIds, deletion, sql};

/// Deletes records in one transaction.
pub(super) fn delete(
    writer: &mut Connection,
    account: AccountId,
    deletion: &Deletion,
    unknown: UnknownIds,
    mode: ImportMode,
) -> Result<DeletionReport, Error> {
    writer.execute_batch("PRAGMA secure_delete = ON").map_err(failed(CONTEXT))?;
    let transaction = writer
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(CONTEXT))?;
    transaction.execute_batch(DOOMED).map_err(failed(CONTEXT))?;
    {
        let insert = "INSERT INTO doomed(vacancy_id, candidate_id) VALUES (?, ?)";
        let mut insert = transaction.prepare(insert).map_err(failed(CONTEXT))?;
        for (vacancy, candidate) in deletion.keys() {
            insert.execute(params![vacancy, candidate]).map_err(failed(CONTEXT))?;
        }
    }
    let mut session = OpenTransaction(&transaction, CONTEXT);
    let report = deletion::delete(&mut session, account, deletion, unknown)?;
    transaction.execute_batch("DROP TABLE temp.doomed").map_err(failed(CONTEXT))?;
    match mode {
        ImportMode::DryRun => transaction.rollback().map_err(failed(CONTEXT))?,
        ImportMode::Commit => transaction.commit().map_err(failed(CONTEXT))?,
    }
    Ok(report)
}

/// Builds the file again and empties its log. Waits at most `timeout` for other programs.
pub(super) fn erase_traces(path: &Path, timeout: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + timeout;
    let writer = open::writer(path)?;
    let wait = |writer: &Connection| {
        let left = deadline.saturating_duration_since(Instant::now());
        writer.busy_timeout(left).map_err(failed(CONTEXT))
    };
    wait(&writer)?;
    let last: i64 =
        writer.query_row(sql::LAST_ERASURE, [], |row| row.get(0)).map_err(failed(CONTEXT))?;
    writer.execute_batch("VACUUM").map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => remains(
            path,
            "",
            "another program writes to it",
            timeout,
        ),
        Some(ErrorCode::DiskFull) => {
            let text = format!(
                "the records are deleted, but bytes of them remain in {}: the disk is full; free as much space as the \
                 database takes, also in the folder for temporary files, and run `gateway-server delete traces`",
                path.display()
            );
            Error::caused(ErrorKind::ErasurePending, text, error)
        }
        _ => failure(CONTEXT, error),
    })?;
    wait(&writer)?;
    if !is_log_empty(&writer)? {
        return Err(remains(
            path,
            "-wal",
            "another program still reads an older state of it",
            timeout,
        ));
    }
    writer.execute(sql::FINISH_ERASURES, [last]).map_err(failed(CONTEXT))?;
    Ok(())
}

/// Writes the log into the file and empties it. Returns false if a reader of an older state prevents it.
fn is_log_empty(writer: &Connection) -> Result<bool, Error> {
    let busy: i64 =
        writer.query_one(open::EMPTY_LOG, [], |row| row.get(0)).map_err(failed(CONTEXT))?;
    Ok(busy == 0)
}

fn remains(path: &Path, suffix: &str, cause: &str, timeout: Duration) -> Error {
    let (path, seconds) = (path.display(), timeout.as_secs());
    let text = format!(
        "the records are deleted, but bytes of them remain in {path}{suffix}: {cause} after {seconds} s (--timeout); end that program and run `gateway-server delete traces`"
    );
    Error::new(ErrorKind::ErasurePending, text)
}

/// The keys of the records to delete.
const DOOMED: &str = "\
    CREATE TEMP TABLE doomed (seq INTEGER PRIMARY KEY, vacancy_id INTEGER NOT NULL, \
    candidate_id INTEGER NOT NULL)";

const CONTEXT: &str = "cannot delete";
