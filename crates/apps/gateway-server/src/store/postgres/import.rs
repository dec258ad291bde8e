//! Writes to PostgreSQL: imports, and the removal of superseded rows.

use std::time::Duration;

use crate::error::Error;
use crate::store::merge::merge;
use crate::store::postgres::link::{Link, first, get};
use crate::store::postgres::session::{Open, failed};
use crate::store::postgres::stage;
use crate::store::revision::seconds_before;
use crate::store::session::Session;
use crate::store::{AccountId, Fill, ImportMode, ImportReport, Removals, sql};

/// Runs an import in one transaction. It locks the row of the account first, so imports into one account run one after
/// another.
pub(super) fn run(
    link: &mut Link,
    account: AccountId,
    mode: ImportMode,
    replace: Option<Removals>,
    fill: Fill<'_>,
) -> Result<ImportReport, Error> {
    let mut transaction = link.client.transaction().map_err(failed)?;
    transaction.execute(LOCK_ACCOUNT, &[&account.0]).map_err(failed)?;
    transaction.batch_execute(include_str!("staging.sql")).map_err(failed)?;
    let session = Open { transaction, account: account.0 };
    let (mut session, staged, balance) = stage::fill(session, fill)?;
    let credits_changed = session.set_credits(&balance)?;
    session.transaction.batch_execute(include_str!("staged.sql")).map_err(failed)?;
    let report = merge(&mut session, account, &staged, credits_changed, replace.is_some())?;
    replace.map_or(Ok(()), |removals| removals.check(mode, &report))?;
    match mode {
        ImportMode::DryRun => session.transaction.rollback().map_err(failed)?,
        ImportMode::Commit => {
            if report.changed_anything() {
                session.transaction.batch_execute(ANALYZE).map_err(failed)?;
            }
            session.transaction.commit().map_err(failed)?;
        }
    }
    Ok(report)
}

/// Deletes the row versions that were superseded at least `age` ago.
///
/// Each statement is a transaction, and the revisions are deleted first: a reader that could miss a row finds that its
/// revision is missing too.
pub(super) fn collect(link: &mut Link, age: Duration) -> Result<u64, Error> {
    let mut deleted = 0;
    let now = first(link.optional(<Open<'_> as Session>::NOW, &[])?)?;
    for row in link.query(sql::COLLECTABLE, &[&seconds_before(now, age)])? {
        let (account, revision): (i64, i64) = (get(&row, 0)?, get(&row, 1)?);
        link.execute(sql::COLLECT_REVISIONS, &[&account, &revision])?;
        for sql in [sql::COLLECT_VACANCIES, sql::COLLECT_CANDIDATES, sql::COLLECT_APPLICATIONS] {
            deleted += link.execute(sql, &[&account, &revision])?;
        }
    }
    Ok(deleted)
}

const LOCK_ACCOUNT: &str = "SELECT id FROM account WHERE id = $1 FOR UPDATE";

/// Without statistics, the planner assumes small tables until the next autovacuum.
const ANALYZE: &str = "ANALYZE vacancy, candidate, application, status";
