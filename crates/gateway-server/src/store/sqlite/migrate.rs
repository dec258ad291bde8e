//! Bringing a file of an earlier release up to date.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::error::Error;
use crate::generated::record::{CandidateRow, PortalRow};
use crate::store::rendered;
use crate::store::sqlite::failed;

/// Brings the file to the version of this release.
///
/// All or nothing, in one transaction: whoever opens the file at the same time waits and finds it done.
pub(super) fn run(connection: &mut Connection) -> Result<(), Error> {
    let doing = "bringing the database up to date";
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed(doing))?;
    let version: i64 = transaction
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(failed(doing))?;
    if version == 1 {
        to_version_2(&transaction)?;
    }
    if version <= 2 {
        transaction.execute_batch(TO_VERSION_3).map_err(failed(doing))?;
    }
    transaction.commit().map_err(failed(doing))
}

/// Version 1 kept the fields of a candidate in columns of their own, version 2 keeps the JSON text of the record.
fn to_version_2(transaction: &Transaction<'_>) -> Result<(), Error> {
    let doing = "bringing the database up to date";
    transaction.execute_batch(BEFORE).map_err(failed(doing))?;
    render(transaction)?;
    transaction.execute_batch(AFTER).map_err(failed(doing))
}

fn render(transaction: &Transaction<'_>) -> Result<(), Error> {
    let doing = "bringing the database up to date";
    let mut read = transaction.prepare(READ).map_err(failed(doing))?;
    let mut write = transaction
        .prepare("INSERT INTO candidate VALUES (?, ?, ?, ?, ?)")
        .map_err(failed(doing))?;
    let mut rows = read.query([]).map_err(failed(doing))?;
    let mut buffer = Vec::new();
    while let Some(row) = rows.next().map_err(failed(doing))? {
        let number = |column| row.get::<_, i64>(column).map_err(failed(doing));
        let text = |column| {
            let value = row.get_ref(column).map_err(failed(doing))?;
            value.as_str().map_err(|error| failed(doing)(error.into()))
        };
        let id = number(1)?;
        let row = CandidateRow {
            id: "",
            name: text(4)?,
            email: text(5)?,
            phone: text(6)?,
            phone_mobile: text(7)?,
            date: text(8)?,
            portal: PortalRow { id: text(10)?, name: text(11)? },
            kind: text(9)?,
        };
        let record = rendered::text(id, &row, &mut buffer)?;
        write
            .execute(params![number(0)?, id, number(2)?, number(3)?, record])
            .map_err(failed(doing))?;
    }
    Ok(())
}

const BEFORE: &str = "\
    DROP INDEX candidate_superseded; \
    ALTER TABLE candidate RENAME TO candidate_1; \
    CREATE TABLE candidate (\
      account_id INTEGER NOT NULL, \
      id INTEGER NOT NULL CHECK (id >= 0), \
      rev_from INTEGER NOT NULL, \
      rev_to INTEGER NOT NULL, \
      record TEXT NOT NULL, \
      PRIMARY KEY (account_id, id, rev_from)\
    ) STRICT, WITHOUT ROWID";

const READ: &str = "\
    SELECT c.account_id, c.id, c.rev_from, c.rev_to, c.name, c.email, c.phone, c.phone_mobile, \
    c.date, c.type, p.id, p.name FROM candidate_1 c \
    JOIN portal p ON p.account_id = c.account_id AND p.key = c.portal_key \
    ORDER BY c.account_id, c.id, c.rev_from";

const AFTER: &str = "\
    DROP TABLE candidate_1; \
    DROP TABLE portal; \
    CREATE INDEX candidate_superseded ON candidate(account_id, rev_to) \
      WHERE rev_to < 9223372036854775807";

/// Version 3 draws a tag for every revision. `| 1`, because 0 stands for no data.
const TO_VERSION_3: &str = "\
    ALTER TABLE account ADD COLUMN tag INTEGER NOT NULL DEFAULT 0; \
    UPDATE account SET tag = random() | 1 WHERE revision > 0; \
    PRAGMA user_version = 3";
