//! Looks for damage in SQLite.

use rusqlite::Connection;

use crate::error::{Error, ErrorKind};
use crate::store::check::Deviations;
use crate::store::rendered::{self, Kind};
use crate::store::sqlite::failure::failed;
use crate::store::{AccountId, CheckReport, sql};

/// Checks the integrity of the file, the references between the tables, and the stored records.
pub(super) fn check(writer: &Connection) -> Result<CheckReport, Error> {
    let context = "cannot check the database";
    let mut report = CheckReport::default();
    let mut statement = writer.prepare("PRAGMA integrity_check(20)").map_err(failed(context))?;
    let lines = statement.query_map([], |row| row.get(0)).map_err(failed(context))?;
    let mut places = 0;
    for line in lines {
        let line: Option<String> = unless_damaged(line.map_err(failed(context)))?;
        places += usize::from(line.is_none_or(|line| line != "ok"));
    }
    report.damage.extend(damaged_places(places));
    let count = |sql| {
        let count = writer.query_row(sql, [], |row| row.get::<_, i64>(0));
        count.map_err(failed(context))
    };
    for (sql, what) in sql::ORPHANS {
        match unless_damaged(count(sql))? {
            Some(0) => {}
            Some(count) => report.damage.push(format!("{what}: {count}")),
            None => report.damage.push(format!("{what}: cannot be counted")),
        }
    }
    let pending = unless_damaged(count(sql::PENDING_ERASURES))?;
    report.pending_erasures = u64::try_from(pending.unwrap_or(0)).unwrap_or(0);
    for (kind, select) in EVERY_RECORD {
        let (mut deviations, mut last) = (Deviations::default(), None);
        let read = read_all(writer, &kind, select, &mut deviations, &mut last);
        if unless_damaged(read)?.is_none() {
            let after = last.map_or_else(String::new, |(account, id): (AccountId, i64)| {
                let owner = name(writer, account).unwrap_or_else(|| format!("number {account}"));
                format!(" after {id} of account {owner}")
            });
            report.damage.push(format!("{} that cannot be read{after}", kind.name));
        }
        deviations.report(&kind, &mut report, |account| name(writer, account));
    }
    Ok(report)
}

/// Compares all records of a kind. `last` is the last one that was read.
fn read_all(
    writer: &Connection,
    kind: &Kind,
    select: &str,
    deviations: &mut Deviations,
    last: &mut Option<(AccountId, i64)>,
) -> Result<(), Error> {
    let context = "cannot check the database";
    let mut statement = writer.prepare(select).map_err(failed(context))?;
    let mut rows = statement.query([]).map_err(failed(context))?;
    while let Some(row) = rows.next().map_err(failed(context))? {
        let account = AccountId(row.get(0).map_err(failed(context))?);
        let id = row.get(1).map_err(failed(context))?;
        let record = row.get_ref(2).map_err(failed(context))?;
        let record = record.as_bytes().unwrap_or_default();
        let is_live = row.get(3).map_err(failed(context))?;
        deviations.count(kind, account, id, record, is_live);
        *last = Some((account, id));
    }
    Ok(())
}

/// Returns `None` if the database is damaged where it was read: the check goes on elsewhere.
fn unless_damaged<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::StorageCorrupt => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the name of an account, if it can be read.
fn name(writer: &Connection, account: AccountId) -> Option<String> {
    let sql = "SELECT name FROM account WHERE id = ?";
    writer.query_row(sql, [account.0], |row| row.get(0)).ok()
}

/// Describes what SQLite finds in the pages of the file. Its own text is for people who know the format of the file.
fn damaged_places(number: usize) -> Option<String> {
    (number > 0).then(|| {
        let more = if number < MAX_PLACES { "" } else { " or more" };
        format!(
            "pages or indexes of the file that are damaged: {number}{more}; `PRAGMA integrity_check` of sqlite3 has details"
        )
    })
}

/// Maximum number of damaged places that are counted.
const MAX_PLACES: usize = 20;

/// All row versions of all accounts.
const EVERY_RECORD: [(Kind, &str); 3] = [
    (
        rendered::CANDIDATES,
        "SELECT account_id, id, record, rev_to = 9223372036854775807 FROM candidate",
    ),
    (
        rendered::VACANCIES,
        "SELECT account_id, id, record, rev_to = 9223372036854775807 FROM vacancy",
    ),
    (rendered::CREDITS, "SELECT id, 0, credits, true FROM account"),
];
