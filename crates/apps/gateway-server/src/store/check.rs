//! Checks for damage: broken references between tables, and stored records that no import would have written.

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};
use crate::fields::{Field, Kind, Record as _, find};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::store::db::Db;
use crate::store::model::CheckReport;

/// Checks everything that the database itself cannot check. Continues after a table that cannot be read.
pub(super) fn check(db: &mut dyn Db) -> Result<CheckReport, Error> {
    let mut report = CheckReport::default();
    for (sql, what) in ORPHANS {
        match unless_damaged(db.count(sql, &[]))? {
            Some(0) => {}
            Some(count) => report.damage.push(format!("{what}: {count}")),
            None => report.damage.push(format!("{what}: cannot be counted")),
        }
    }
    report.pending_erasures = unless_damaged(db.count(PENDING_ERASURES, &[]))?.unwrap_or(0);
    for (name, fields, key, records) in EVERY_RECORD {
        let page = format!("({key}) > (?1, ?2, ?3) ORDER BY {key} LIMIT 4096");
        let sql = format!("SELECT {key}, {records} WHERE {page}");
        let mut damaged = 0_u64;
        let read = read_all(db, &sql, &mut |id, record| {
            damaged += u64::from(!is_record(fields, id, record));
        });
        if unless_damaged(read)?.is_none() {
            report.damage.push(format!("{name} that cannot be read"));
        }
        if damaged > 0 {
            let text =
                format!("{name} that are not stored in the form that responses send: {damaged}");
            report.damage.push(text);
        }
    }
    Ok(report)
}

/// Passes the id and the text of each row to `on_row`. Reads pages in the order of the key.
fn read_all(db: &mut dyn Db, sql: &str, on_row: &mut dyn FnMut(i64, &[u8])) -> Result<(), Error> {
    let mut after = [0, -1, 0];
    loop {
        let before = after;
        db.each(sql, &before.map(Into::into), &mut |row| {
            after = [row.number(0)?, row.number(1)?, row.number(2)?];
            on_row(after[1], row.bytes(3)?);
            Ok(())
        })?;
        if before == after {
            return Ok(());
        }
    }
}

/// Returns whether a stored text is a record with only these fields and, if they include an id, with this id.
fn is_record(fields: &'static [Field], id: i64, text: &[u8]) -> bool {
    let has_id = find(&[fields], "id").is_some();
    serde_json::from_slice::<Map<String, Value>>(text).is_ok_and(|record| {
        let own = record.get("id").and_then(Value::as_str);
        has_only(fields, &record) && (!has_id || own == Some(itoa::Buffer::new().format(id)))
    })
}

fn has_only(fields: &'static [Field], record: &Map<String, Value>) -> bool {
    record.iter().all(|(name, value)| match (find(&[fields], name), value) {
        (Some(Field { kind: Kind::Object(inner), .. }), Value::Object(value)) => {
            has_only(inner, value)
        }
        (field, _) => field.is_some(),
    })
}

/// Returns `None` if the part of the database that was read is damaged.
fn unless_damaged<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::StorageCorrupt => Ok(None),
        Err(error) => Err(error),
    }
}

/// The kinds of stored records: the name, the fields, the key of a row version, and the column and table.
const EVERY_RECORD: [(&str, &[Field], &str, &str); 3] = [
    ("candidates", CandidateRow::FIELDS, "account_id, id, rev_from", "record FROM candidate"),
    ("vacancies", VacancyRow::FIELDS, "account_id, id, rev_from", "record FROM vacancy"),
    ("credit balances", CreditsRow::FIELDS, "id, id, revision", "credits FROM account"),
];

const PENDING_ERASURES: &str = "SELECT count(*) FROM erasure WHERE pending = 1";

/// Queries that count inconsistent references, which no import creates, each with its line in the report.
const ORPHANS: [(&str, &str); 6] = [
    (
        "SELECT count(*) FROM (SELECT 1 FROM candidate WHERE rev_to = 9223372036854775807 \
         GROUP BY account_id, id HAVING count(*) > 1) twice",
        "candidates with two current versions",
    ),
    (
        "SELECT count(*) FROM (SELECT 1 FROM vacancy WHERE rev_to = 9223372036854775807 \
         GROUP BY account_id, id HAVING count(*) > 1) twice",
        "vacancies with two current versions",
    ),
    (
        "SELECT count(*) FROM account WHERE (revision = 0) <> (tag = 0)",
        "accounts with a revision and no tag, or a tag and no revision",
    ),
    (
        "SELECT count(*) FROM account a WHERE a.revision > 0 AND NOT EXISTS (SELECT 1 FROM revision r \
         WHERE r.account_id = a.id AND r.rev = a.revision)",
        "accounts whose current revision is missing",
    ),
    (
        "SELECT count(*) FROM application a WHERE NOT EXISTS (SELECT 1 FROM status s \
         WHERE s.account_id = a.account_id AND s.key = a.status_key)",
        "candidate statuses without a name",
    ),
    (
        "SELECT count(*) FROM application a WHERE a.rev_to = 9223372036854775807 AND NOT EXISTS \
         (SELECT 1 FROM candidate c WHERE c.account_id = a.account_id AND c.id = a.candidate_id \
         AND c.rev_to = 9223372036854775807)",
        "statuses of candidates that do not exist",
    ),
];
