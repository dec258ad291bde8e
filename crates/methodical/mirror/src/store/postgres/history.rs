//! The tables of past runs and of samples.

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::Error;
use crate::gauge::sample::Sample;
use crate::history::past_run::{Outcome, PastRun};
use crate::history::report::{Rejection, Report};
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::table::seconds;
use crate::store::upkeep_store::SAMPLES_KEPT;

/// Adds runs and samples, and removes the oldest ones.
pub(crate) fn add(
    session: &mut Session,
    schema: &str,
    runs: &[PastRun],
    samples: &[Sample],
) -> Result<(), Error> {
    session.begin()?;
    let added = add_all(session, schema, runs, samples);
    if added.is_err() {
        session.roll_back();
        return added;
    }
    session.commit()
}

fn add_all(
    session: &mut Session,
    schema: &str,
    runs: &[PastRun],
    samples: &[Sample],
) -> Result<(), Error> {
    for run in runs {
        add_run(session, schema, run)?;
    }
    // Another process may have added runs: the numbers of a rolled back transaction are not used.
    let prune = format!(
        "DELETE FROM {schema}.mirror_run WHERE number <= (SELECT number FROM {schema}.mirror_run \
         ORDER BY number DESC LIMIT 1 OFFSET {})",
        PastRun::KEPT
    );
    session.batch(&prune)?;
    for sample in samples {
        let insert = format!(
            "INSERT INTO {schema}.mirror_sample (at, gauge, amount, unit) VALUES (to_timestamp($1), $2, $3, $4)"
        );
        let at = clamped(sample.at);
        let parameters: [Parameter<'_>; 4] = [
            (&at, Type::INT8),
            (&sample.gauge, Type::TEXT),
            (&sample.amount, Type::TEXT),
            (&sample.unit, Type::TEXT),
        ];
        session.execute(&insert, &parameters)?;
        let prune = format!(
            "DELETE FROM {schema}.mirror_sample WHERE gauge = $1 AND number <= (SELECT number FROM \
             {schema}.mirror_sample WHERE gauge = $1 ORDER BY number DESC LIMIT 1 OFFSET {SAMPLES_KEPT})"
        );
        session.execute(&prune, &[(&sample.gauge, Type::TEXT)])?;
    }
    Ok(())
}

fn add_run(session: &mut Session, schema: &str, run: &PastRun) -> Result<(), Error> {
    let insert = format!(
        "INSERT INTO {schema}.mirror_run (started_at, ended_at, table_name, outcome, reason, is_baseline, added, \
         changed, unchanged, returned, missing, gone, rejected, repeated, suppressed, calls) VALUES \
         (to_timestamp($1), to_timestamp($2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
    );
    let Report { added, changed, unchanged, returned, missing, gone, .. } = run.report;
    let Report { is_baseline, rejected, repeated, suppressed, .. } = run.report;
    let counts = [
        added, changed, unchanged, returned, missing, gone, rejected, repeated, suppressed,
        run.calls,
    ];
    let counts = counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let (started_at, ended_at) = (clamped(run.started_at), clamped(run.ended_at));
    let outcome = run.outcome.as_str();
    let mut parameters: Vec<Parameter<'_>> = vec![
        (&started_at, Type::INT8),
        (&ended_at, Type::INT8),
        (&run.table, Type::TEXT),
        (&outcome, Type::TEXT),
        (&run.reason, Type::TEXT),
        (&is_baseline, Type::BOOL),
    ];
    parameters.extend(counts.iter().map(|count| -> Parameter<'_> { (count, Type::INT8) }));
    session.execute(&insert, &parameters).map(drop)
}

/// Returns the last runs, the latest one first.
pub(crate) fn runs(
    session: &mut Session,
    schema: &str,
    limit: usize,
) -> Result<Vec<PastRun>, Error> {
    let select = format!(
        "SELECT {}, {}, table_name, outcome, reason, is_baseline, added, changed, unchanged, returned, missing, gone, \
         rejected, repeated, suppressed, calls FROM {schema}.mirror_run ORDER BY number DESC LIMIT $1",
        seconds("started_at"),
        seconds("ended_at")
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = session.query(&select, &[(&limit, Type::INT8)])?;
    rows.iter().map(past_run).collect()
}

/// Returns the rejected records of the last list of a table, in the order of the list.
pub(crate) fn rejections(
    session: &mut Session,
    schema: &str,
    table: &str,
    limit: usize,
) -> Result<Vec<Rejection>, Error> {
    let select = format!(
        "SELECT position, reason FROM {schema}.mirror_rejected \
         WHERE scope = (SELECT name FROM {schema}.mirror_scope WHERE table_name = $1) ORDER BY position LIMIT $2"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = session.query(&select, &[(&table, Type::TEXT), (&limit, Type::INT8)])?;
    let rejection = |row: &Row| {
        let index = u64::try_from(get::<i64>(row, 0)?).unwrap_or_default();
        Ok(Rejection { index, reason: get(row, 1)? })
    };
    rows.iter().map(rejection).collect()
}

fn past_run(row: &Row) -> Result<PastRun, Error> {
    let count = |column: usize| -> Result<u64, Error> {
        Ok(u64::try_from(get::<i64>(row, column)?).unwrap_or_default())
    };
    Ok(PastRun {
        started_at: get(row, 0)?,
        ended_at: get(row, 1)?,
        table: get(row, 2)?,
        outcome: Outcome::of(get(row, 3)?).unwrap_or(Outcome::Failed),
        reason: get(row, 4)?,
        report: Report {
            is_baseline: get(row, 5)?,
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
}

/// Returns the samples of a gauge at or after a time, the earliest one first.
pub(crate) fn samples(
    session: &mut Session,
    schema: &str,
    gauge: &str,
    since: i64,
) -> Result<Vec<Sample>, Error> {
    let at = seconds("at");
    let select = format!(
        "SELECT {at}, amount, unit FROM {schema}.mirror_sample WHERE gauge = $1 AND {at} >= $2 ORDER BY number"
    );
    let parameters: [Parameter<'_>; 2] = [(&gauge, Type::TEXT), (&since, Type::INT8)];
    let sample = |row: &Row| {
        let gauge = gauge.to_owned();
        Ok(Sample { at: get(row, 0)?, gauge, amount: get(row, 1)?, unit: get(row, 2)? })
    };
    session.query(&select, &parameters)?.iter().map(sample).collect()
}
