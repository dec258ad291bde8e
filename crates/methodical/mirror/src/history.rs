//! The history of a mirror: past syncs of tables, rejected records, and samples of gauges with their forecast.

use std::time::Duration;

use rusqlite::ToSql;
use rust_decimal::Decimal;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{self, members, unquoted};
use crate::mirror::Mirror;
use crate::store::table::Outcome;
use crate::store::{Store, count, integer, utc};

/// The result of a [`Run`](crate::Run). Each record of the list counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Whether this was the scope's first complete list.
    pub is_baseline: bool,
    /// Records that were not known before.
    pub added: u64,
    /// Records whose [meaning](crate#terms) changed.
    pub changed: u64,
    /// Records whose [meaning](crate#terms) did not change.
    pub unchanged: u64,
    /// Records that were missing or gone and are back in the list.
    pub returned: u64,
    /// Records that were present before and are absent from this list.
    pub missing: u64,
    /// Records that count as deleted since this list. Placements that leave with their member or group do not count.
    pub gone: u64,
    /// Records that could not be read, or that contradict another record of the list. If there are any, no record
    /// becomes missing or gone. [`Mirror::rejections`] returns them.
    pub rejected: u64,
    /// Records that occur in the list again, with the same meaning.
    pub repeated: u64,
    /// Records of the list that were ignored because the mirror has forgotten them.
    pub suppressed: u64,
}

impl Report {
    /// Returns the counts, in the order of [`COUNTS`].
    fn counts(&mut self) -> [&mut u64; 9] {
        let Self { added, changed, unchanged, returned, missing, gone, rejected, .. } = self;
        let (repeated, suppressed) = (&mut self.repeated, &mut self.suppressed);
        [added, changed, unchanged, returned, missing, gone, rejected, repeated, suppressed]
    }
}

/// A rejected record in the latest list of its table, and the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The position of the record in its list, counted from 0.
    pub index: u64,
    /// Why the record was rejected, without its values.
    pub reason: String,
}

/// A past sync of a table by [`Mirror::sync_all`](crate::Mirror::sync_all). A mirror keeps the last [`PastRun::KEPT`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastRun {
    /// When the sync began, in seconds since 1970 (UTC).
    pub started_at: i64,
    /// When the sync ended, in seconds since 1970 (UTC).
    pub ended_at: i64,
    /// The name of the synced table.
    pub table: String,
    /// How the sync ended.
    pub outcome: Outcome,
    /// Why the outcome is not [`Outcome::Complete`]; `None` if it is. The text never contains a token or a value from a record.
    pub reason: Option<String>,
    /// The counts. They are zero if nothing was committed.
    pub report: Report,
    /// How many calls were made.
    pub calls: u64,
}

impl PastRun {
    /// The maximum number of past runs that a mirror keeps.
    pub const KEPT: u32 = 1000;
}

/// A gauge's amount at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// When the sample was taken, in seconds since 1970 (UTC).
    pub at: i64,
    /// The name of the gauge.
    pub gauge: String,
    /// The amount: a decimal number, with the digits that the service sent.
    pub amount: String,
    /// The unit of the amount; `None` if the service does not send one.
    pub unit: Option<String>,
}

/// The result of sampling a gauge during a sync.
#[derive(Debug)]
#[non_exhaustive]
pub struct SampleReport {
    /// The name of the gauge.
    pub gauge: &'static str,
    /// The sample, or the reason why it is missing.
    pub result: Result<Sample, Error>,
}

/// How long a gauge's amount will last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forecast {
    /// The gauge's latest sample.
    pub last: Sample,
    /// How much was used between the first sample of the last two weeks and the latest one: the sum of all decreases.
    /// An increase, such as a top-up, does not count.
    pub used: String,
    /// The time between these two samples.
    pub during: Duration,
    /// How much is used in a day, rounded to two decimal places. `None` if [`during`](Self::during) is less than a day.
    pub per_day: Option<String>,
    /// The number of whole days until the amount is used up. `None` if nothing was used or `during` is less than a day.
    pub days_left: Option<u64>,
}

impl Forecast {
    /// Calculates a forecast from the samples of one gauge, oldest first. Returns `None` without samples. Samples taken
    /// before the unit last changed are ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Gauge`](crate::ErrorKind::Gauge) if an amount is not a decimal number.
    pub fn of(samples: &[Sample]) -> Result<Option<Self>, Error> {
        let Some(last) = samples.last() else { return Ok(None) };
        // If the clock jumped back, some samples are from the future.
        let counts = |sample: &&Sample| {
            sample.unit == last.unit
                && (last.at.saturating_sub(WINDOW)..=last.at).contains(&sample.at)
        };
        let recent: Vec<&Sample> = samples.iter().rev().take_while(counts).collect();
        let (mut used, mut later) = (Decimal::ZERO, decimal(&last.amount)?);
        let amount = later;
        for sample in &recent {
            let earlier = decimal(&sample.amount)?;
            let fall = earlier.checked_sub(later).unwrap_or_default().max(Decimal::ZERO);
            used = used.checked_add(fall).unwrap_or(Decimal::MAX);
            later = earlier;
        }
        let first = recent.last().map_or(last.at, |sample| sample.at);
        let seconds = u64::try_from(last.at.saturating_sub(first)).unwrap_or_default();
        let is_enough = seconds >= DAY;
        let per_day = used
            .checked_mul(Decimal::from(DAY))
            .and_then(|used| used.checked_div(Decimal::from(seconds)));
        let per_day = per_day.filter(|_| is_enough);
        let days_left = per_day
            .filter(|pace| *pace > Decimal::ZERO)
            .and_then(|pace| amount.max(Decimal::ZERO).checked_div(pace))
            .and_then(|days| u64::try_from(days.trunc()).ok());
        Ok(Some(Self {
            last: last.clone(),
            used: used.normalize().to_string(),
            during: Duration::from_secs(seconds),
            per_day: per_day.map(|pace| pace.round_dp(2).normalize().to_string()),
            days_left,
        }))
    }
}

impl Store {
    /// Adds past syncs and samples in one transaction, and removes syncs beyond the last [`PastRun::KEPT`].
    pub(crate) fn add_history(
        &mut self,
        runs: &[PastRun],
        samples: &[SampleReport],
    ) -> Result<(), Error> {
        let values = ["?"; 16].join(", ");
        let insert = format!(
            "INSERT INTO mirror_run (started_at, ended_at, table_name, outcome, reason, {COUNTS}) VALUES ({values})"
        );
        let prune = "DELETE FROM mirror_run WHERE number <= \
                     (SELECT number FROM mirror_run ORDER BY number DESC LIMIT 1 OFFSET ?1)";
        let take = "INSERT INTO mirror_sample (at, gauge, amount, unit) VALUES (?1, ?2, ?3, ?4)";
        self.change(|store| {
            for run in runs {
                let counts = run.report.clone().counts().map(|count| integer(*count));
                let calls = integer(run.calls);
                let (started_at, ended_at) = (utc(run.started_at), utc(run.ended_at));
                let (outcome, is_baseline) = (run.outcome.as_str(), &run.report.is_baseline);
                let mut row: Vec<&dyn ToSql> =
                    vec![&started_at, &ended_at, &run.table, &outcome, &run.reason, is_baseline];
                for count in counts.iter().chain([&calls]) {
                    row.push(count);
                }
                store.execute(&insert, &*row)?;
            }
            store.execute(prune, (PastRun::KEPT,))?;
            let samples = samples.iter().filter_map(|one| one.result.as_ref().ok());
            for Sample { at, gauge, amount, unit } in samples {
                store.execute(take, (utc(*at), gauge, amount, unit))?;
            }
            Ok(())
        })
    }
}

impl Mirror {
    /// Returns up to `limit` syncs of tables by [`sync_all`](Self::sync_all), latest first. Syncs that were killed, or
    /// refused because another process was syncing, are not included.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for run in mirror.runs(10)? {
    ///         println!("{} {} {}", run.ended_at, run.table, run.outcome.as_str());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn runs(&self, limit: usize) -> Result<Vec<PastRun>, Error> {
        let select = format!(
            "SELECT unixepoch(started_at), unixepoch(ended_at), table_name, outcome, reason, {COUNTS} FROM mirror_run \
             ORDER BY number DESC LIMIT ?1"
        );
        self.store().query(&select, (integer(limit),), |row| {
            let mut report = Report { is_baseline: row.get(5)?, ..Report::default() };
            for (number, column) in report.counts().into_iter().zip(6..) {
                *number = count(row, column)?;
            }
            Ok(PastRun {
                started_at: row.get(0)?,
                ended_at: row.get(1)?,
                table: row.get(2)?,
                outcome: Outcome::from_name(row.get_ref(3)?.as_str()?).unwrap_or(Outcome::Failed),
                reason: row.get(4)?,
                report,
                calls: count(row, 15)?,
            })
        })
    }

    /// Returns up to `limit` records that were rejected in a table's last list, in the order of the list.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for rejection in mirror.rejections("photo", 10)? {
    ///         println!("record {}: {}", rejection.index, rejection.reason);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn rejections(&self, table: &str, limit: usize) -> Result<Vec<Rejection>, Error> {
        let select = "SELECT position, reason FROM mirror_rejected \
                      WHERE scope = (SELECT name FROM mirror_scope WHERE table_name = ?1) ORDER BY position LIMIT ?2";
        self.store().query(select, (table, integer(limit)), |row| {
            Ok(Rejection { index: count(row, 0)?, reason: row.get(1)? })
        })
    }

    /// Returns the samples of a gauge taken at or after a time in seconds since 1970 (UTC), oldest first. Each
    /// [`sync_all`](Self::sync_all) adds one if it can read the gauge.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    ///
    /// ```
    /// # let mirror = methodical_mirror::Mirror::in_memory()?;
    /// for sample in mirror.samples("storage", 0)? {
    ///     println!("{} {} {}", sample.at, sample.amount, sample.unit.unwrap_or_default());
    /// }
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn samples(&self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        let select = "SELECT unixepoch(at), amount, unit FROM mirror_sample \
                      WHERE gauge = ?1 AND unixepoch(at) >= ?2 ORDER BY number";
        self.store().query(select, (gauge, since), |row| {
            let gauge = gauge.to_owned();
            Ok(Sample { at: row.get(0)?, gauge, amount: row.get(1)?, unit: row.get(2)? })
        })
    }
}

pub(crate) fn decimal(text: &str) -> Result<Decimal, Error> {
    json::decimal(text).map_err(|error| {
        let text = "cannot read an amount: expected a decimal number of at most 28 digits";
        Error::new(ErrorKind::Gauge, text).because(error.to_string())
    })
}

/// Returns a JSON object's field as text: a string, or the text of a number. `None` if it is absent or of another kind.
pub(crate) fn field(json: &str, path: &[&str]) -> Result<Option<String>, Error> {
    let Some((name, rest)) = path.split_first() else { return Ok(None) };
    let Some(value) = members(json)?.remove(*name) else { return Ok(None) };
    let value = value.get();
    if !rest.is_empty() {
        return field(value, rest);
    }
    Ok(match value.bytes().next() {
        Some(b'"') => Some(unquoted(value)?.into_owned()),
        Some(b'-' | b'0'..=b'9') => Some(value.to_owned()),
        _ => None,
    })
}

/// The part of the history that a forecast uses, in seconds.
const WINDOW: i64 = 14 * 24 * 3600;

const DAY: u64 = 24 * 3600;

/// The columns of a sync's counts.
const COUNTS: &str = "is_baseline, added, changed, unchanged, returned, missing, gone, rejected, repeated, suppressed, calls";

#[cfg(test)]
mod tests {
    use super::{DAY, Forecast, Sample, decimal};

    fn samples(amounts: &[(i64, &str)]) -> Vec<Sample> {
        let sample = |(day, amount): &(i64, &str)| Sample {
            at: day * i64::try_from(DAY).unwrap(),
            gauge: "storage".to_owned(),
            amount: (*amount).to_owned(),
            unit: Some("GB".to_owned()),
        };
        amounts.iter().map(sample).collect()
    }

    fn forecast(amounts: &[(i64, &str)]) -> (String, Option<String>, Option<u64>) {
        let forecast = Forecast::of(&samples(amounts)).unwrap().unwrap();
        (forecast.used, forecast.per_day, forecast.days_left)
    }

    #[test]
    fn the_pace_is_that_of_the_decreases_of_the_last_two_weeks() {
        for (amounts, used, per_day, days_left) in [
            (&[(0, "100"), (1, "90.5"), (2, "190.5"), (4, "180")][..], "20", Some("5"), Some(36)),
            (&[(0, "1000"), (10, "100"), (20, "90")], "10", Some("1"), Some(90)),
            // Without a decrease, or a day of history, the number of days is unknown.
            (&[(0, "5"), (3, "5")], "0", Some("0"), None),
            (&[(0, "5")], "0", None, None),
            (&[(0, "5"), (0, "4")], "1", None, None),
            // An overdrawn amount lasts for zero days.
            (&[(0, "5"), (2, "-5")], "10", Some("5"), Some(0)),
        ] {
            let expected = (used.to_owned(), per_day.map(str::to_owned), days_left);
            assert_eq!(forecast(amounts), expected, "{amounts:?}");
        }
        assert_eq!(Forecast::of(&[]).unwrap(), None);
    }

    #[test]
    fn samples_before_another_unit_or_a_clock_that_jumped_back_do_not_count() {
        let mut units = samples(&[(0, "1000"), (1, "900"), (2, "90"), (4, "80")]);
        units[0].unit = None;
        units[1].unit = Some("TB".to_owned());
        assert_eq!(Forecast::of(&units).unwrap().unwrap().used, "10");
        assert_eq!(forecast(&[(900, "70"), (1, "60"), (3, "50")]).0, "10");
    }

    #[test]
    fn amounts_are_exact() {
        let sum = decimal("0.1").unwrap() + decimal("0.2").unwrap();
        assert_eq!(sum, decimal("0.30").unwrap());
        assert_eq!(decimal("12.50").unwrap().to_string(), "12.50");
        assert_eq!(decimal("1.5e2").unwrap(), decimal("150").unwrap());
        for text in ["", "12,5", "NaN", "1e400", "0.00000000000000000000000000001"] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }
}
