//! Looks for damage: references between the tables, and stored records that are not as an import writes them.

use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::fields::{Record, stored};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::store::db::Db;
use crate::store::model::CheckReport;

/// Checks what the database cannot check itself. The check goes on after a table that cannot be read.
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
    for kind in KINDS {
        let [mut damaged, mut outdated] = [0_u64; 2];
        let read =
            read_all(db, kind.sql, &mut |id, record, is_live| match kind.compare(id, record) {
                Stored::Damaged => damaged += 1,
                Stored::Outdated if is_live => outdated += 1,
                Stored::Outdated | Stored::Whole => {}
            });
        let kinds = kind.name;
        if unless_damaged(read)?.is_none() {
            report.damage.push(format!("{kinds} that cannot be read"));
        }
        if damaged > 0 {
            let text = format!("{kinds} that are not stored as responses send them: {damaged}");
            report.damage.push(text);
        }
        if outdated > 0 {
            report.outdated.push(format!(
                "{kinds} imported before a field was added: {outdated}; import them again"
            ));
        }
    }
    Ok(report)
}

/// Passes the id and the text of each row to `on_row`, and whether it is of the newest revision. Reads pages in the order of
/// the key.
fn read_all(
    db: &mut dyn Db,
    sql: &str,
    on_row: &mut dyn FnMut(i64, &[u8], bool),
) -> Result<(), Error> {
    let mut after = [0, -1, 0];
    loop {
        let before = after;
        db.each(sql, &before.map(Into::into), &mut |row| {
            after = [row.number(0)?, row.number(1)?, row.number(2)?];
            on_row(after[1], row.bytes(3)?, row.number(4)? == i64::MAX);
            Ok(())
        })?;
        if before == after {
            return Ok(());
        }
    }
}

/// A stored text, compared with what rendering its fields gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    /// The same, byte for byte.
    Whole,
    /// The same, but without fields that the spec has. An import before they were added wrote it.
    Outdated,
    /// Something else.
    Damaged,
}

impl Kind {
    /// Compares the stored text of the record `id`.
    fn compare(&self, id: i64, record: &[u8]) -> Stored {
        let Ok(before) = serde_json::from_slice::<Value>(record) else { return Stored::Damaged };
        let fields = stored(before.clone());
        if self.has_id && fields.get("id").is_none_or(|own| own != itoa::Buffer::new().format(id)) {
            return Stored::Damaged;
        }
        let Some(again) = (self.rewrite)(&fields) else { return Stored::Damaged };
        if again == record {
            return Stored::Whole;
        }
        match serde_json::from_slice(&again) {
            Ok(after) if before != after && is_part(&before, &after) => Stored::Outdated,
            _ => Stored::Damaged,
        }
    }
}

fn rewrite<'f, R: Record<'f>>(fields: &'f Value) -> Option<Vec<u8>> {
    serde_json::to_vec(&R::deserialize(fields).ok()?).ok()
}

/// Returns whether a value is the other one, possibly without some of its fields.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|other| is_part(value, other))),
        _ => part == whole,
    }
}

/// Returns `None` if the database is damaged where it was read.
fn unless_damaged<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::StorageCorrupt => Ok(None),
        Err(error) => Err(error),
    }
}

/// A kind of stored records.
struct Kind {
    /// The name of the records, in reports.
    name: &'static str,
    /// Selects one page of all row versions of all accounts, in the order of the key.
    sql: &'static str,
    /// Returns the JSON text that an import writes for the fields of a record.
    rewrite: fn(&Value) -> Option<Vec<u8>>,
    /// Whether the key of the record is in its text.
    has_id: bool,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "candidates",
        sql: "SELECT account_id, id, rev_from, record, rev_to FROM candidate \
              WHERE (account_id, id, rev_from) > (?1, ?2, ?3) \
              ORDER BY account_id, id, rev_from LIMIT 4096",
        rewrite: |fields| rewrite::<CandidateRow<'_>>(fields),
        has_id: true,
    },
    Kind {
        name: "vacancies",
        sql: "SELECT account_id, id, rev_from, record, rev_to FROM vacancy \
              WHERE (account_id, id, rev_from) > (?1, ?2, ?3) \
              ORDER BY account_id, id, rev_from LIMIT 4096",
        rewrite: |fields| rewrite::<VacancyRow<'_>>(fields),
        has_id: true,
    },
    Kind {
        name: "credit balances",
        sql: "SELECT id, id, revision, credits, 9223372036854775807 FROM account \
              WHERE (id, id, revision) > (?1, ?2, ?3) ORDER BY id LIMIT 4096",
        rewrite: |fields| rewrite::<CreditsRow<'_>>(fields),
        has_id: false,
    },
];

const PENDING_ERASURES: &str = "SELECT count(*) FROM erasure WHERE pending = 1";

/// Counts inconsistent references, each with its line in the report of `check`. An import creates none.
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
        "accounts whose current revision does not exist",
    ),
    (
        "SELECT count(*) FROM application a WHERE NOT EXISTS (SELECT 1 FROM status s \
         WHERE s.account_id = a.account_id AND s.key = a.status_key)",
        "statuses of candidates without a name",
    ),
    (
        "SELECT count(*) FROM application a WHERE a.rev_to = 9223372036854775807 AND NOT EXISTS \
         (SELECT 1 FROM candidate c WHERE c.account_id = a.account_id AND c.id = a.candidate_id \
         AND c.rev_to = 9223372036854775807)",
        "statuses of candidates that do not exist",
    ),
];
