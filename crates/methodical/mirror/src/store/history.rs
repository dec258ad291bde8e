//! The tables of past runs and of samples.

use rusqlite::{Connection, Result};

use crate::gauge::sample::Sample;
use crate::history::past_run::{Outcome, PastRun};
use crate::history::report::{Rejection, Report};
use crate::store::data::SAMPLES_KEPT;
use crate::time::utc;

/// Adds runs and samples, and removes the oldest ones.
pub(crate) fn add(connection: &mut Connection, runs: &[PastRun], samples: &[Sample]) -> Result<()> {
    let transaction = connection.transaction()?;
    for run in runs {
        let Report { added, changed, unchanged, returned, missing, gone, .. } = run.report;
        let Report { is_baseline, rejected, repeated, suppressed, .. } = run.report;
        let [added, changed, unchanged, returned, missing] =
            [added, changed, unchanged, returned, missing].map(integer);
        let [gone, rejected, repeated, suppressed, calls] =
            [gone, rejected, repeated, suppressed, run.calls].map(integer);
        transaction.prepare_cached(INSERT_RUN)?.execute((
            utc(run.started_at),
            utc(run.ended_at),
            &run.table,
            run.outcome.as_str(),
            &run.reason,
            is_baseline,
            added,
            changed,
            unchanged,
            returned,
            missing,
            gone,
            rejected,
            repeated,
            suppressed,
            calls,
        ))?;
    }
    let prune = "DELETE FROM mirror_run WHERE number <= (SELECT number FROM mirror_run ORDER BY number DESC LIMIT 1 OFFSET ?1)";
    transaction.prepare_cached(prune)?.execute((PastRun::KEPT,))?;
    for sample in samples {
        let insert = "INSERT INTO mirror_sample (at, gauge, amount, unit) VALUES (?1, ?2, ?3, ?4)";
        let row = (utc(sample.at), &sample.gauge, &sample.amount, &sample.unit);
        transaction.prepare_cached(insert)?.execute(row)?;
        let prune = "DELETE FROM mirror_sample WHERE gauge = ?1 AND number <= (SELECT number FROM mirror_sample \
                     WHERE gauge = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
        transaction.prepare_cached(prune)?.execute((&sample.gauge, SAMPLES_KEPT))?;
    }
    transaction.commit()
}

/// Returns the last runs, the latest one first.
pub(crate) fn runs(connection: &Connection, limit: usize) -> Result<Vec<PastRun>> {
    let mut statement = connection.prepare_cached(SELECT_RUNS)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let runs = statement.query_map((limit,), |row| {
        let count = |index: usize| -> Result<u64> {
            Ok(u64::try_from(row.get::<_, i64>(index)?).unwrap_or_default())
        };
        Ok(PastRun {
            started_at: row.get(0)?,
            ended_at: row.get(1)?,
            table: row.get(2)?,
            outcome: Outcome::of(row.get_ref(3)?.as_str()?).unwrap_or(Outcome::Failed),
            reason: row.get(4)?,
            report: Report {
                is_baseline: row.get(5)?,
                added: count(6)?,
                changed: count(7)?,
                unchanged: count(8)?,
                returned: count(9)?,
                missing: count(10)?,
                gone: count(11)?,
                rejected: count(12)?,
                repeated: count(13)?,
                suppressed: count(14)?,
                ..Report::default()
            },
            calls: count(15)?,
        })
    });
    runs?.collect()
}

/// Returns the rejected records of the last list of a table, in the order of the list.
pub(crate) fn rejections(
    connection: &Connection,
    table: &str,
    limit: usize,
) -> Result<Vec<Rejection>> {
    let select = "SELECT position, reason FROM mirror_rejected \
                  WHERE scope = (SELECT name FROM mirror_scope WHERE table_name = ?1) ORDER BY position LIMIT ?2";
    let mut statement = connection.prepare_cached(select)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rejections = statement.query_map((table, limit), |row| {
        let index = u64::try_from(row.get::<_, i64>(0)?).unwrap_or_default();
        Ok(Rejection { index, reason: row.get(1)? })
    });
    rejections?.collect()
}

/// Returns the samples of a gauge at or after a time, the earliest one first.
pub(crate) fn samples(connection: &Connection, gauge: &str, since: i64) -> Result<Vec<Sample>> {
    let select = "SELECT unixepoch(at), amount, unit FROM mirror_sample \
                  WHERE gauge = ?1 AND unixepoch(at) >= ?2 ORDER BY number";
    let mut statement = connection.prepare_cached(select)?;
    let samples = statement.query_map((gauge, since), |row| {
        let gauge = gauge.to_owned();
        Ok(Sample { at: row.get(0)?, gauge, amount: row.get(1)?, unit: row.get(2)? })
    });
    samples?.collect()
}

fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

const INSERT_RUN: &str = "INSERT INTO mirror_run (started_at, ended_at, table_name, outcome, reason, is_baseline, added, \
    changed, unchanged, returned, missing, gone, rejected, repeated, suppressed, calls) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

const SELECT_RUNS: &str = "SELECT unixepoch(started_at), unixepoch(ended_at), table_name, outcome, reason, is_baseline, \
    added, changed, unchanged, returned, missing, gone, rejected, repeated, suppressed, calls FROM mirror_run \
    ORDER BY number DESC LIMIT ?1";
