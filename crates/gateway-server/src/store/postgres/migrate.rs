//! Making the tables, once, however many servers start at the same time, and bringing those of an earlier release up
//! to date.

use ::postgres::{Row, Transaction};

use crate::error::{Error, ErrorKind};
use crate::generated::record::{CandidateRow, PortalRow};
use crate::store::postgres::get;
use crate::store::postgres::link::{Link, failure};
use crate::store::{Page, rendered};

/// Makes the schema of this release, or finds that it is there.
pub(super) fn make(link: &mut Link) -> Result<(), Error> {
    run(link, |transaction| transaction.batch_execute(include_str!("schema.sql")).map_err(failed))
}

/// Finds the schema, of this release or brought up to it.
pub(super) fn find(link: &mut Link) -> Result<(), Error> {
    run(link, |_transaction| {
        let text = "the database has no tables of this program";
        Err(Error::new(ErrorKind::NotFound, text))
    })
}

/// Brings the schema to the version of this release; where there is none, `missing` says what happens.
fn run(
    link: &mut Link,
    missing: impl FnOnce(&mut Transaction<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut transaction = link.client.transaction().map_err(failed)?;
    // Held until the transaction ends: who comes second finds the tables made.
    transaction.batch_execute(LOCK).map_err(failed)?;
    let exists = transaction.query(EXISTS, &[]).map_err(failed)?;
    if exists.is_empty() {
        missing(&mut transaction)?;
    }
    let row = transaction.query_one("SELECT max(version) FROM gateway_schema", &[]);
    match get::<Option<i64>>(&row.map_err(failed)?, 0)? {
        Some(VERSION) => {}
        Some(version @ 1..VERSION) => {
            if version == 1 {
                to_version_2(&mut transaction)?;
            }
            transaction.batch_execute(TO_VERSION_3).map_err(failed)?;
        }
        Some(newer) if newer > VERSION => {
            let text = "the database was written by a newer release";
            return Err(Error::new(ErrorKind::StorageNewer, text));
        }
        _ => {
            let text = "the database has no known version";
            return Err(Error::new(ErrorKind::StorageForeign, text));
        }
    }
    transaction.commit().map_err(failed)
}

/// Version 1 kept the fields of a candidate in columns of their own, version 2 keeps the JSON text of the record.
fn to_version_2(transaction: &mut Transaction<'_>) -> Result<(), Error> {
    transaction.batch_execute(BEFORE).map_err(failed)?;
    let mut after = (0_i64, Page::START, 0_i64);
    loop {
        let (account, id, revision) = after;
        let rows = transaction.query(READ, &[&account, &id, &revision]).map_err(failed)?;
        let Some(last) = rows.last() else { break };
        after = (get(last, 0)?, get(last, 1)?, get(last, 2)?);
        let column =
            |index| rows.iter().map(|row| get(row, index)).collect::<Result<Vec<i64>, _>>();
        let records = rows.iter().map(render).collect::<Result<Vec<String>, _>>()?;
        let columns = [column(0)?, column(1)?, column(2)?, column(3)?];
        let [account, id, rev_from, rev_to] = &columns;
        transaction.execute(WRITE, &[account, id, rev_from, rev_to, &records]).map_err(failed)?;
    }
    transaction.batch_execute(AFTER).map_err(failed)
}

fn render(row: &Row) -> Result<String, Error> {
    let id = get(row, 1)?;
    let row = CandidateRow {
        id: "",
        name: get(row, 4)?,
        email: get(row, 5)?,
        phone: get(row, 6)?,
        phone_mobile: get(row, 7)?,
        date: get(row, 8)?,
        portal: PortalRow { id: get(row, 10)?, name: get(row, 11)? },
        kind: get(row, 9)?,
    };
    rendered::text(id, &row, &mut Vec::new()).map(str::to_owned)
}

fn failed(error: ::postgres::Error) -> Error {
    failure("making the tables", error)
}

/// An arbitrary number that only this program uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5139274821775263047)";

const EXISTS: &str = "\
    SELECT 1 FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_schema'";

/// The version of the schema this release writes.
const VERSION: i64 = 3;

const BEFORE: &str = "\
    DROP INDEX candidate_superseded; \
    ALTER TABLE candidate RENAME TO candidate_1; \
    CREATE TABLE candidate (\
      account_id BIGINT NOT NULL, \
      id BIGINT NOT NULL CHECK (id >= 0), \
      rev_from BIGINT NOT NULL, \
      rev_to BIGINT NOT NULL, \
      record TEXT NOT NULL, \
      PRIMARY KEY (account_id, id, rev_from))";

const READ: &str = "\
    SELECT c.account_id, c.id, c.rev_from, c.rev_to, c.name, c.email, c.phone, c.phone_mobile, \
    c.date, c.type, p.id, p.name FROM candidate_1 c \
    JOIN portal p ON p.account_id = c.account_id AND p.key = c.portal_key \
    WHERE (c.account_id, c.id, c.rev_from) > ($1, $2, $3) \
    ORDER BY c.account_id, c.id, c.rev_from LIMIT 4096";

const WRITE: &str = "\
    INSERT INTO candidate(account_id, id, rev_from, rev_to, record) \
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])";

const AFTER: &str = "\
    DROP TABLE candidate_1; \
    DROP TABLE portal; \
    CREATE INDEX candidate_superseded ON candidate(account_id, rev_to) \
      WHERE rev_to < 9223372036854775807";

/// Version 3 draws a tag for every revision. `+ 1`, because 0 stands for no data.
const TO_VERSION_3: &str = "\
    ALTER TABLE account ADD COLUMN tag BIGINT NOT NULL DEFAULT 0; \
    UPDATE account SET tag = floor(random() * 4503599627370496)::bigint + 1 WHERE revision > 0; \
    INSERT INTO gateway_schema VALUES (3)";
