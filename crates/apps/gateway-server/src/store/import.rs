//! An import: the records are staged in temporary tables, and then become one new revision.
//!
//! Large files take a long time to read, so they are staged before the transaction that locks the account. Other
//! writers then wait only for the second step. The staged records have no index, because building one would cost more
//! than a pass over them.

use std::collections::HashMap;

use gateway_model::{StreamDecoder, Vacancy};
use serde::Serialize;

use crate::error::{Error, ErrorKind, Place};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::store::db::{Db, Table, Value, account_gone};
use crate::store::model::{
    AccountId, ApplicationRow, Changes, Fill, ImportMode, ImportReport, Removals, Stage,
};
use crate::token::random;

/// Imports the records that `fill` stages. With `removals`, live records that are not staged are ended.
pub(super) fn import(
    db: &mut dyn Db,
    account: AccountId,
    mode: ImportMode,
    removals: Option<Removals>,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let dialect = db.dialect();
    db.batch(dialect.before_staging)?;
    db.batch(STAGING)?;
    // Done before the transaction, which might keep reading the state from its beginning.
    db.execute(KNOWN_STATUSES, &[account.0.into()])?;
    // A transaction, for speed. It locks nothing, because it uses only temporary tables.
    db.batch("BEGIN")?;
    let mut staging = Staging::new(db);
    fill(&mut staging)?;
    let Staging { staged, balance, .. } = staging;
    db.end_load()?;
    db.batch(dialect.staged)?;
    db.batch("COMMIT")?;
    db.transaction(mode, |db| {
        let AccountId(account) = account;
        let current = db.first(dialect.lock_account, &[account.into()])?;
        let [current] = current.ok_or_else(account_gone)?;
        name_statuses(db, account)?;
        let credits_changed = match &balance {
            Some((_, record)) => {
                db.execute(SET_CREDITS, &[record.as_str().into(), account.into()])? > 0
            }
            None => false,
        };
        let mut merge = Merge { db, account, revision: current + 1 };
        let mut report = merge.run(&staged, removals.is_some())?;
        report.credits_changed = credits_changed;
        report.revision = current;
        removals.map_or(Ok(()), |removals| removals.check(mode, &report))?;
        if report.changed_anything() {
            let ImportReport { candidates, applications, vacancies, .. } = &report;
            let [candidates, statuses, vacancies] =
                [candidates, applications, vacancies].map(Changes::changed_anything);
            let changed = [candidates, statuses, vacancies, credits_changed];
            create_revision(db, account, current + 1, changed)?;
            report.revision = current + 1;
            db.batch(dialect.merged)?;
        }
        Ok(report)
    })
}

/// Sets the revision of the account to `next`, whose rows are already written. `changed` says whether the revision
/// changed the candidates, the statuses, the vacancies and the credit balance, in this order.
pub(super) fn create_revision(
    db: &mut dyn Db,
    account: i64,
    next: i64,
    changed: [bool; 4],
) -> Result<(), Error> {
    let mut tags: [i64; 4] = db.first(LAST_TAGS, &[account.into()])?.unwrap_or_default();
    // Random, because a restored database can reach the same number with other data. Never 0, the tag of an account
    // without data.
    let tag = i64::from_ne_bytes(random()?) | 1;
    for (own, changed) in tags.iter_mut().zip(changed) {
        if changed {
            *own = tag;
        }
    }
    db.execute(SET_REVISION, &[next, tag, account].map(Value::from))?;
    // The time is read last and from the clock of the database. Responses that began before this revision still read
    // the rows that it supersedes, so those rows must not look older than they are.
    let now = db.now()?;
    let [candidates, statuses, vacancies, credits] = tags;
    let row = [account, next, now, tag, candidates, statuses, vacancies, credits];
    db.execute(CREATE_REVISION, &row.map(Value::from))?;
    Ok(())
}

/// Writes records into the temporary tables.
struct Staging<'d> {
    db: &'d mut dyn Db,
    /// Keys of statuses that were looked up.
    statuses: HashMap<String, i64>,
    record: Vec<u8>,
    /// The number of the last record.
    number: i64,
    /// The keys of the vacancies, candidates and applications.
    staged: [Sequence; 3],
    /// The credit balance, which has no table, with the position where it was first given.
    balance: Option<(Place, String)>,
}

impl<'d> Staging<'d> {
    fn new(db: &'d mut dyn Db) -> Self {
        let (statuses, staged) = (HashMap::new(), [Sequence::default(); 3]);
        Self { db, statuses, record: Vec::new(), number: 0, staged, balance: None }
    }

    /// Assigns a number to the record with this key.
    fn push(&mut self, table: Table, key: (i64, i64)) -> i64 {
        if let Some(sequence) = self.staged.get_mut(table as usize) {
            sequence.push(key);
        }
        self.number += 1;
        self.number
    }

    /// Stages a vacancy or a candidate.
    fn record(
        &mut self,
        table: Table,
        place: Place,
        id: i64,
        row: &impl Serialize,
    ) -> Result<(), Error> {
        let number = self.push(table, (id, 0));
        let record = within_limit(place, render(row, &mut self.record)?)?;
        self.db.load(table, &[number.into(), place.pack().into(), id.into(), record.into()])
    }

    /// Returns the key of a status in this import.
    fn status(&mut self, name: &str) -> Result<i64, Error> {
        if let Some(key) = self.statuses.get(name) {
            return Ok(*key);
        }
        let find = "SELECT key FROM staged_status WHERE name = ?1";
        let mut found = self.db.first(find, &[name.into()])?;
        if found.is_none() {
            found = self.db.first(ADD_STAGED_STATUS, &[name.into()])?;
        }
        let [key] = found.unwrap_or([0]);
        if self.statuses.len() >= MAX_STATUSES {
            self.statuses.clear();
        }
        self.statuses.insert(name.to_owned(), key);
        Ok(key)
    }
}

impl Stage for Staging<'_> {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        // The id in the text equals the key.
        let mut digits = itoa::Buffer::new();
        let row = VacancyRow { id: digits.format(id), ..*row };
        self.record(Table::Vacancies, place, id, &row)
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let mut digits = itoa::Buffer::new();
        let row = CandidateRow { id: digits.format(id), ..*row };
        self.record(Table::Candidates, place, id, &row)
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let status = self.status(row.status)?;
        let number = self.push(Table::Applications, (row.vacancy_id, row.candidate_id));
        let row = [number, place.pack(), row.vacancy_id, row.candidate_id, status];
        self.db.load(Table::Applications, &row.map(Value::from))
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        let record = render(row, &mut self.record)?.to_owned();
        let (first, before) = self.balance.get_or_insert_with(|| (place, record.clone()));
        if *before == record {
            Ok(())
        } else {
            Err(contradiction(place, "the credit balance", *first))
        }
    }
}

/// Overwrites `buffer` with the JSON text of a record.
pub(super) fn render<'b>(row: &impl Serialize, buffer: &'b mut Vec<u8>) -> Result<&'b str, Error> {
    buffer.clear();
    let odd = "cannot store a record: its text is not UTF-8";
    serde_json::to_writer(&mut *buffer, row)
        .map_err(|error| Error::caused(ErrorKind::Storage, odd, error))?;
    std::str::from_utf8(buffer).map_err(|error| Error::caused(ErrorKind::Storage, odd, error))
}

/// Fails if the record is so large that clients would skip it in a response.
fn within_limit(place: Place, record: &str) -> Result<&str, Error> {
    if record.len() <= RECORD_LIMIT {
        return Ok(record);
    }
    let text = format!(
        "the record has {} bytes as JSON, but clients read at most {RECORD_LIMIT}; shorten it",
        record.len()
    );
    Err(Error::at(place, text))
}

/// The keys of one kind's staged records, in the order of the input.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    count: u64,
    last: Option<(i64, i64)>,
    is_ascending: bool,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { count: 0, last: None, is_ascending: true }
    }
}

impl Sequence {
    fn push(&mut self, key: (i64, i64)) {
        self.is_ascending &= self.last.is_none_or(|last| last < key);
        self.last = Some(key);
        self.count += 1;
    }
}

/// Adds new statuses to the account. Replaces the keys of this import with the account's keys where they differ,
/// because another import may have added statuses in the meantime.
fn name_statuses(db: &mut dyn Db, account: i64) -> Result<(), Error> {
    let account = [account.into()];
    db.execute(ADD_STATUSES, &account)?;
    if db.count(DIFFERENT_STATUSES, &account)? > 0 {
        db.execute(REFER_TO_STATUSES, &account)?;
    }
    Ok(())
}

/// Compares the staged records with the live ones and writes the difference as `revision`.
struct Merge<'d> {
    db: &'d mut dyn Db,
    account: i64,
    revision: i64,
}

impl Merge<'_> {
    fn run(&mut self, staged: &[Sequence; 3], replaces: bool) -> Result<ImportReport, Error> {
        let [vacancies, candidates, applications] = staged;
        let vacancies = (&VACANCIES, self.keys(&VACANCIES, vacancies)?);
        let candidates = (&CANDIDATES, self.keys(&CANDIDATES, candidates)?);
        let applications = (&APPLICATIONS, self.keys(&APPLICATIONS, applications)?);
        // Vacancies and candidates come first, because the statuses refer to them.
        let (vacancies, candidates) = (self.apply(vacancies)?, self.apply(candidates)?);
        let mut report = ImportReport { vacancies, candidates, ..ImportReport::default() };
        if replaces {
            for (changes, kind) in
                [(&mut report.vacancies, &VACANCIES), (&mut report.candidates, &CANDIDATES)]
            {
                changes.removed = self.remove(kind, changes)?;
            }
        }
        let mut removed = 0;
        let mut left = None;
        if report.vacancies.removed + report.candidates.removed > 0 {
            removed = self.execute(REMOVE_STATUSES_OF_OTHERS)?;
            left = Some(self.db.count(COUNT_STATUSES, &[self.account.into()])?);
        }
        for kind in ["vacancy", "candidate"] {
            let sql = UNKNOWN.replace("{kind}", kind);
            if let Some([id, place]) = self.db.first(&sql, &[self.account.into()])? {
                let text =
                    format!("{kind} {id} does not exist; import it first or in the same run");
                return Err(Error::at(Place::unpack(place), text));
            }
        }
        let changes = self.apply(applications)?;
        if replaces {
            removed += self.remove(&APPLICATIONS, &changes)?;
        }
        // If no statuses are staged, those that were not removed are unchanged.
        let is_given = changes != Changes::default();
        let unchanged = if is_given { changes.unchanged } else { left.unwrap_or(0) };
        report.applications = Changes { unchanged, removed, ..changes };
        Ok(report)
    }

    /// Counts the keys and refuses different records with the same key.
    fn keys(&mut self, kind: &Kind, staged: &Sequence) -> Result<Keys, Error> {
        let (mut number, is_ascending) = (staged.count, staged.is_ascending);
        if !is_ascending {
            number = self.db.count(&kind.sql(COUNT_KEYS), &[])?;
        }
        let is_unique = number == staged.count;
        if !is_unique && let Some([id, first, second]) = self.db.first(&kind.sql(CONFLICT), &[])? {
            let (first, second) = (Place::unpack(first), Place::unpack(second));
            return Err(contradiction(second, &format!("{} {id}", kind.name), first));
        }
        Ok(Keys { number, is_unique, is_ascending })
    }

    fn apply(&mut self, (kind, keys): (&Kind, Keys)) -> Result<Changes, Error> {
        if keys.number == 0 {
            return Ok(Changes::default());
        }
        let is_first = self.db.count(&kind.sql(LIVE), &[self.account.into()])? == 0;
        let changed = if is_first { 0 } else { self.execute(&kind.sql(SUPERSEDE))? };
        let row = [self.account, self.revision].map(Value::from);
        let inserted = self.db.execute(&kind.insert(keys, is_first), &row)?;
        let (added, unchanged) =
            (inserted.saturating_sub(changed), keys.number.saturating_sub(inserted));
        Ok(Changes { added, changed, unchanged, removed: 0 })
    }

    /// Ends live records that were not staged, if others of their kind were.
    fn remove(&mut self, kind: &Kind, changes: &Changes) -> Result<u64, Error> {
        if *changes == Changes::default() { Ok(0) } else { self.execute(&kind.sql(REMOVE)) }
    }

    fn execute(&mut self, sql: &str) -> Result<u64, Error> {
        self.db.execute(sql, &[self.revision.into(), self.account.into()])
    }
}

/// The distinct keys of one kind's staged records.
#[derive(Clone, Copy)]
struct Keys {
    number: u64,
    /// Whether no key occurs twice.
    is_unique: bool,
    /// Whether the records are in the order of the key.
    is_ascending: bool,
}

/// A kind of record that an import stages.
struct Kind {
    /// The text that precedes the id in a message.
    name: &'static str,
    table: &'static str,
    /// The columns of the key. The last one is the id that errors name.
    key: &'static [&'static str],
    /// The column that is compared.
    value: &'static str,
}

const VACANCIES: Kind = Kind { name: "vacancy", table: "vacancy", key: &["id"], value: "record" };

const CANDIDATES: Kind =
    Kind { name: "candidate", table: "candidate", key: &["id"], value: "record" };

const APPLICATIONS: Kind = Kind {
    name: "the status of candidate",
    table: "application",
    key: &["vacancy_id", "candidate_id"],
    value: "status_key",
};

impl Kind {
    /// Completes a statement: the table, the column of the value, and the columns of the key, plain and qualified with
    /// `s`. `{o=s}` is the condition that the rows `o` and `s` have the same key.
    fn sql(&self, template: &str) -> String {
        let Self { table, key, value, .. } = self;
        let columns = |alias: &str| {
            key.iter().map(|column| format!("{alias}{column}")).collect::<Vec<_>>().join(", ")
        };
        let same: Vec<_> = key.iter().map(|column| format!("o.{column} = s.{column}")).collect();
        template
            .replace("{table}", table)
            .replace("{value}", value)
            .replace("{id}", key.last().copied().unwrap_or_default())
            .replace("{key}", &columns(""))
            .replace("{s.key}", &columns("s."))
            .replace("{o=s}", &same.join(" AND "))
    }

    /// Adds the staged records that are not live, in the order of the key, so that the database appends. If records
    /// share a key, adds only the first.
    fn insert(&self, keys: Keys, is_first: bool) -> String {
        let mut template = INSERT.to_owned();
        for (clause, is_needed) in
            [(FIRST_OF_KEY, !keys.is_unique), (NOT_LIVE, !is_first), (IN_ORDER, !keys.is_ascending)]
        {
            template.push_str(if is_needed { clause } else { "" });
        }
        self.sql(&template)
    }
}

const COUNT_KEYS: &str = "SELECT count(*) FROM (SELECT DISTINCT {s.key} FROM staged_{table} s) d";

/// Finds two different staged records with the same key. Returns the id and both positions.
const CONFLICT: &str = "\
    SELECT o.{id}, a.place, o.place FROM \
    (SELECT {key}, min(seq) AS seq FROM staged_{table} GROUP BY {key} HAVING count(*) > 1) s \
    JOIN staged_{table} a ON a.seq = s.seq JOIN staged_{table} o ON {o=s} \
    WHERE a.{value} <> o.{value} ORDER BY o.seq LIMIT 1";

/// Counts the account's live records, but stops at the first one.
const LIVE: &str = "\
    SELECT count(*) FROM (SELECT 1 FROM {table} WHERE account_id = ?1 \
    AND rev_to = 9223372036854775807 LIMIT 1) one";

/// Ends the row versions that the import replaces. `CROSS JOIN` makes SQLite begin with the staged rows.
const SUPERSEDE: &str = "\
    UPDATE {table} SET rev_to = ?1 WHERE account_id = ?2 AND rev_to = 9223372036854775807 \
    AND ({key}) IN (SELECT {s.key} FROM staged_{table} s CROSS JOIN {table} o \
    WHERE o.account_id = ?2 AND {o=s} AND o.rev_to = 9223372036854775807 \
    AND o.{value} <> s.{value})";

const INSERT: &str = "\
    INSERT INTO {table}(account_id, {key}, rev_from, rev_to, {value}) \
    SELECT ?1, {s.key}, ?2, 9223372036854775807, s.{value} FROM staged_{table} s WHERE true";

const FIRST_OF_KEY: &str = " AND s.seq IN (SELECT min(seq) FROM staged_{table} GROUP BY {key})";

const NOT_LIVE: &str = " \
    AND NOT EXISTS (SELECT 1 FROM {table} o WHERE o.account_id = ?1 AND {o=s} \
    AND o.rev_to = 9223372036854775807)";

const IN_ORDER: &str = " ORDER BY {s.key}";

/// Ends the live records that are not staged.
const REMOVE: &str = "\
    UPDATE {table} SET rev_to = ?1 WHERE account_id = ?2 AND rev_to = 9223372036854775807 \
    AND ({key}) IN (SELECT {key} FROM {table} \
    WHERE account_id = ?2 AND rev_to = 9223372036854775807 \
    EXCEPT SELECT {key} FROM staged_{table})";

/// Creates the error for a record that is in the import twice, with different data.
fn contradiction(place: Place, what: &str, first: Place) -> Error {
    let line = first.line;
    let of_file = if first.file == place.file { "" } else { " of another file" };
    let text = format!(
        "{what} already appears with different data on line {line}{of_file}; remove one of the two"
    );
    Error::at(place, text)
}

/// Maximum size of a record in a response, in bytes: the default limit of clients.
const RECORD_LIMIT: usize = StreamDecoder::<Vacancy>::RECORD_LIMIT;

/// Maximum number of status keys in memory.
const MAX_STATUSES: usize = 65_536;

/// The temporary tables, which end with the connection. `seq` numbers the records in the order of the input, because
/// two records can have the same position. SQLite treats `BIGINT` as `INTEGER`.
const STAGING: &str = "\
    CREATE TEMP TABLE staged_vacancy (\
    seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL); \
    CREATE TEMP TABLE staged_candidate (\
    seq BIGINT NOT NULL, place BIGINT NOT NULL, id BIGINT NOT NULL, record TEXT NOT NULL); \
    CREATE TEMP TABLE staged_application (\
    seq BIGINT NOT NULL, place BIGINT NOT NULL, vacancy_id BIGINT NOT NULL, \
    candidate_id BIGINT NOT NULL, status_key BIGINT NOT NULL); \
    CREATE TEMP TABLE staged_status (key BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE)";

const KNOWN_STATUSES: &str = "\
    INSERT INTO staged_status(key, name) SELECT key, name FROM status WHERE account_id = ?1";

const ADD_STAGED_STATUS: &str = "\
    INSERT INTO staged_status(key, name) \
    SELECT coalesce(max(key), 0) + 1, ?1 FROM staged_status RETURNING key";

/// A known status that no record uses may have been erased in the meantime.
const ADD_STATUSES: &str = "\
    INSERT INTO status(account_id, key, name) \
    SELECT ?1, (SELECT coalesce(max(key), 0) FROM status WHERE account_id = ?1) \
    + row_number() OVER (ORDER BY n.key), n.name FROM staged_status n \
    WHERE NOT EXISTS (SELECT 1 FROM status s WHERE s.account_id = ?1 AND s.name = n.name) \
    AND EXISTS (SELECT 1 FROM staged_application a WHERE a.status_key = n.key)";

const DIFFERENT_STATUSES: &str = "\
    SELECT count(*) FROM (SELECT 1 FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name WHERE s.key <> n.key LIMIT 1) one";

const REFER_TO_STATUSES: &str = "\
    UPDATE staged_application SET status_key = (SELECT s.key FROM staged_status n \
    JOIN status s ON s.account_id = ?1 AND s.name = n.name \
    WHERE n.key = staged_application.status_key)";

/// Finds a status whose vacancy or candidate does not exist. Returns the missing one and the position.
const UNKNOWN: &str = "\
    SELECT s.{kind}_id, s.place FROM staged_application s WHERE NOT EXISTS (\
    SELECT 1 FROM {kind} o WHERE o.account_id = ?1 AND o.id = s.{kind}_id \
    AND o.rev_to = 9223372036854775807) ORDER BY s.seq LIMIT 1";

/// Ends the statuses whose vacancy or candidate was ended.
const REMOVE_STATUSES_OF_OTHERS: &str = "\
    UPDATE application SET rev_to = ?1 WHERE account_id = ?2 AND rev_to = 9223372036854775807 \
    AND (NOT EXISTS (SELECT 1 FROM vacancy v WHERE v.account_id = ?2 \
    AND v.id = application.vacancy_id AND v.rev_to = 9223372036854775807) \
    OR NOT EXISTS (SELECT 1 FROM candidate c WHERE c.account_id = ?2 \
    AND c.id = application.candidate_id AND c.rev_to = 9223372036854775807))";

const COUNT_STATUSES: &str = "\
    SELECT count(*) FROM application WHERE account_id = ?1 AND rev_to = 9223372036854775807";

const SET_CREDITS: &str = "UPDATE account SET credits = ?1 WHERE id = ?2 AND credits <> ?1";

/// The tags of the current revision's lists. A list from an earlier release has the tag of the account.
const LAST_TAGS: &str = "\
    SELECT coalesce(r.candidates_tag, a.tag), coalesce(r.statuses_tag, a.tag), \
    coalesce(r.vacancies_tag, a.tag), coalesce(r.credits_tag, a.tag) \
    FROM account a LEFT JOIN revision r ON r.account_id = a.id AND r.rev = a.revision WHERE a.id = ?1";

const SET_REVISION: &str = "UPDATE account SET revision = ?1, tag = ?2 WHERE id = ?3";

const CREATE_REVISION: &str = "\
    INSERT INTO revision(account_id, rev, at, tag, candidates_tag, statuses_tag, vacancies_tag, \
    credits_tag) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::model::CandidateFilter;
    use crate::store::{REVOKE_TOKEN, TOKENS, deletion, postgres, read, sqlite};

    /// An account must never see the data of another account.
    #[test]
    fn every_statement_on_account_data_has_the_account_as_a_parameter() {
        let mut all: Vec<String> = [
            KNOWN_STATUSES,
            ADD_STATUSES,
            DIFFERENT_STATUSES,
            REMOVE_STATUSES_OF_OTHERS,
            COUNT_STATUSES,
            TOKENS,
            REVOKE_TOKEN,
        ]
        .into_iter()
        .chain(deletion::COLLECT)
        .map(str::to_owned)
        .collect();
        all.extend(["candidate", "vacancy"].map(read::list));
        for dialect in [&sqlite::DIALECT, &postgres::DIALECT] {
            let filter = CandidateFilter::Status(1, "New".to_owned());
            all.extend(read::candidates(dialect, &filter).map(|(sql, _)| sql));
        }
        all.extend(["candidate", "vacancy"].map(|kind| UNKNOWN.replace("{kind}", kind)));
        for kind in [VACANCIES, CANDIDATES, APPLICATIONS] {
            all.extend([LIVE, SUPERSEDE, REMOVE].map(|template| kind.sql(template)));
            let keys = |is_it| Keys { number: 1, is_unique: is_it, is_ascending: is_it };
            all.extend([kind.insert(keys(true), true), kind.insert(keys(false), false)]);
        }
        let tables = include_str!("schema.sql").split("CREATE TABLE ").skip(1);
        let tables = tables.filter(|table| table.contains("account_id"));
        let names: Vec<&str> = tables.filter_map(|table| table.split(" (").next()).collect();
        assert!(names.len() > 4, "{names:?}");
        for sql in all {
            let verbs = ["FROM ", "JOIN ", "UPDATE ", "INTO "];
            let touches = |name| verbs.iter().any(|verb| sql.contains(&format!("{verb}{name}")));
            let has_account = sql.contains("account_id = ?") || sql.contains("(account_id,");
            assert!(has_account || !names.iter().any(touches), "{sql}");
        }
    }
}
