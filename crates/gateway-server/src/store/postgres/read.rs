//! Reading pages from PostgreSQL.

use crate::error::{Error, ErrorKind};
use crate::generated::record::{CreditsRow, VacancyRow};
use crate::store::postgres::get;
use crate::store::postgres::link::{Link, Parameter, parameter};
use crate::store::{
    AccountId, CandidateFilter, CandidateSink, CreditsSink, Page, Snapshot, VacancySink, rendered,
    snapshot_gone, sql,
};

pub(super) fn candidates(
    link: &mut Link,
    snapshot: Snapshot,
    filter: &CandidateFilter,
    page: Page,
    sink: CandidateSink<'_>,
) -> Result<Option<i64>, Error> {
    let AccountId(account) = snapshot.account;
    let limit = i64::from(page.limit);
    let mut parameters: Vec<Parameter<'_>> =
        vec![&account, &page.after, &snapshot.revision, &limit];
    let sql = match filter {
        CandidateFilter::Nothing => return Ok(None),
        CandidateFilter::All => sql::CANDIDATES,
        CandidateFilter::Vacancy(vacancy) => {
            parameters.push(vacancy);
            VACANCY_CANDIDATES
        }
        // The text type of the database holds everything but NUL, and so nobody has such a status.
        CandidateFilter::Status(_, status) if status.contains('\0') => return Ok(None),
        CandidateFilter::Status(vacancy, status) => {
            parameters.extend([parameter(vacancy), parameter(status)]);
            STATUS_CANDIDATES
        }
    };
    let rows = link.query(sql, &parameters)?;
    let mut last = None;
    for row in &rows {
        let record = rendered::sendable(get::<&str>(row, 1)?.as_bytes());
        sink(record.ok_or_else(|| Error::new(ErrorKind::StorageCorrupt, "a record is torn"))?);
        last = Some(get(row, 0)?);
    }
    next(link, snapshot, last, rows.len(), page)
}

pub(super) fn vacancies(
    link: &mut Link,
    snapshot: Snapshot,
    page: Page,
    sink: VacancySink<'_>,
) -> Result<Option<i64>, Error> {
    let limit = i64::from(page.limit);
    let parameters: [Parameter<'_>; 4] =
        [&snapshot.account.0, &page.after, &snapshot.revision, &limit];
    let rows = link.query(sql::VACANCIES, &parameters)?;
    let mut digits = itoa::Buffer::new();
    let mut last = None;
    for row in &rows {
        let id = get(row, 0)?;
        sink(&VacancyRow { id: digits.format(id), project: get(row, 1)? });
        last = Some(id);
    }
    next(link, snapshot, last, rows.len(), page)
}

pub(super) fn credits(
    link: &mut Link,
    account: AccountId,
    sink: CreditsSink<'_>,
) -> Result<(), Error> {
    let row = link.optional(sql::CREDITS, &[&account.0])?;
    let gone = || Error::new(ErrorKind::Storage, "the account is gone");
    let row = row.ok_or_else(gone)?;
    sink(&CreditsRow { credits_number: get(&row, 0)?, currency: get(&row, 1)? });
    Ok(())
}

/// Returns the id to continue after, unless the page was empty because the snapshot is gone.
fn next(
    link: &mut Link,
    snapshot: Snapshot,
    last: Option<i64>,
    count: usize,
    page: Page,
) -> Result<Option<i64>, Error> {
    if last.is_none() && snapshot.revision > 0 {
        let (AccountId(account), revision) = (snapshot.account, snapshot.revision);
        let there = link.optional(sql::REVISION_IS_THERE, &[&account, &revision])?;
        return if there.is_some() { Ok(None) } else { Err(snapshot_gone()) };
    }
    Ok(last.filter(|_| count == usize::try_from(page.limit).unwrap_or(usize::MAX)))
}

/// The ids of the page come first, on their own. Written as a plain join, the planner walks the candidates of the whole
/// account in order and looks for each in the vacancy.
pub(super) const VACANCY_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";

pub(super) const STATUS_CANDIDATES: &str = "\
    SELECT c.id, c.record \
    FROM candidate c WHERE c.account_id = $1 AND c.rev_from <= $3 AND $3 < c.rev_to \
    AND $3 = (SELECT rev FROM revision WHERE account_id = $1 AND rev = $3) \
    AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
    WHERE a.account_id = $1 AND a.vacancy_id = $5 AND a.candidate_id > $2 \
    AND a.status_key = (SELECT key FROM status WHERE account_id = $1 AND name = $6) \
    AND a.rev_from <= $3 AND $3 < a.rev_to ORDER BY a.candidate_id LIMIT $4)) ORDER BY c.id";

#[cfg(test)]
#[path = "../../../tests/it/cluster.rs"]
mod cluster;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::UnixTime;
    use crate::store::postgres::PostgresStore;
    use crate::store::{ImportMode, Store as _};

    /// The plan of every list of candidates and of the clean-up, for any value. One that scans a table is a mistake.
    #[test]
    fn every_list_goes_by_an_index() {
        let Some(database) = cluster::database() else { return };
        let store = PostgresStore::connect(&database.url).unwrap();
        let now = UnixTime(1_800_000_000);
        for name in ["a", "b"] {
            let account = store.create_account(name, now).unwrap();
            let data = crate::DemoData { candidates: 10_000, seed: 1 };
            store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
        }
        let mut client = ::postgres::Client::connect(&database.url, ::postgres::NoTls).unwrap();
        client.batch_execute("ANALYZE; SET plan_cache_mode = force_generic_plan").unwrap();
        for (name, sql, parameters, index) in [
            ("all", sql::CANDIDATES, "1, -1, 1, 512", "candidate_pkey"),
            ("of a vacancy", VACANCY_CANDIDATES, "1, -1, 1, 512, 101", "candidate_pkey"),
            ("and status", STATUS_CANDIDATES, "1, -1, 1, 512, 101, 'New'", "application_by_status"),
            ("clean-up", sql::COLLECT_CANDIDATES, "1, 1", "candidate_superseded"),
        ] {
            client.batch_execute(&format!("PREPARE q AS {sql}")).unwrap();
            let explain = format!("EXPLAIN (COSTS OFF) EXECUTE q({parameters})");
            let rows = client.query(&explain, &[]).unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let plan = plan.join("\n");
            client.batch_execute("DEALLOCATE q").unwrap();
            assert!(plan.contains(index), "{name}:\n{plan}");
            for table in ["candidate", "application"] {
                assert!(!plan.contains(&format!("Seq Scan on {table}")), "{name}:\n{plan}");
            }
        }
    }
}
