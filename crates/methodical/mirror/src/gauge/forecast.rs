//! How long an amount will last, based on the last two weeks. It does no I/O.

use std::time::Duration;

use rust_decimal::Decimal;

use crate::error::Error;
use crate::gauge::amount::parse;
use crate::gauge::sample::Sample;

/// How long the amount of a gauge lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forecast {
    /// The latest sample.
    pub last: Sample,
    /// How much was used between the first sample of the last two weeks and the latest one: the sum of all decreases. An
    /// increase, such as a top-up, does not count.
    pub used: String,
    /// The time between these two samples.
    pub during: Duration,
    /// How much is used in one day, rounded to two digits after the point. `None` if the time is shorter than a day.
    pub per_day: Option<String>,
    /// In how many whole days the amount is used up. `None` if nothing was used, or the time is shorter than a day.
    pub days_left: Option<u64>,
}

impl Forecast {
    /// Calculates a forecast from samples of one gauge, in the order in which they were taken. `None` if there are no
    /// samples. Samples with another unit than the latest one, and those before them, do not count.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Gauge`](crate::ErrorKind::Gauge) if an amount is not a decimal number.
    pub fn of(samples: &[Sample]) -> Result<Option<Self>, Error> {
        let Some(last) = samples.last() else { return Ok(None) };
        // A clock that jumped back leaves samples of the future.
        let counts = |sample: &&Sample| {
            sample.unit == last.unit
                && (last.at.saturating_sub(WINDOW)..=last.at).contains(&sample.at)
        };
        let recent: Vec<&Sample> = samples.iter().rev().take_while(counts).collect();
        let (mut used, mut later) = (Decimal::ZERO, parse(&last.amount)?);
        let amount = later;
        for sample in &recent {
            let earlier = parse(&sample.amount)?;
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

/// The part of the history that a forecast uses, in seconds.
const WINDOW: i64 = 14 * 24 * 3600;

/// A day, in seconds.
const DAY: u64 = 24 * 3600;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DAY, Forecast};
    use crate::gauge::sample::Sample;

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
    fn the_pace_is_that_of_the_decreases() {
        let result = forecast(&[(0, "100"), (1, "90.5"), (2, "190.5"), (4, "180")]);
        assert_eq!(result, ("20".to_owned(), Some("5".to_owned()), Some(36)));
    }

    #[test]
    fn only_the_last_two_weeks_count() {
        let result = forecast(&[(0, "1000"), (10, "100"), (20, "90")]);
        assert_eq!(result, ("10".to_owned(), Some("1".to_owned()), Some(90)));
    }

    #[test]
    fn without_a_decrease_or_a_day_of_history_there_are_no_days_left() {
        assert_eq!(forecast(&[(0, "5"), (3, "5")]), ("0".to_owned(), Some("0".to_owned()), None));
        assert_eq!(forecast(&[(0, "5")]).2, None);
        assert_eq!(forecast(&[(0, "5"), (0, "4")]), ("1".to_owned(), None, None));
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
    fn an_overdrawn_amount_lasts_no_day() {
        assert_eq!(forecast(&[(0, "5"), (2, "-5")]).2, Some(0));
    }

    proptest! {
        #[test]
        fn any_samples_have_a_forecast(amounts in prop::collection::vec((any::<i64>(), any::<i64>()), 1..9)) {
            let sample = |(at, amount): &(i64, i64)| Sample {
                at: *at,
                gauge: String::new(),
                amount: amount.to_string(),
                unit: None,
            };
            let samples: Vec<Sample> = amounts.iter().map(sample).collect();
            prop_assert!(Forecast::of(&samples).unwrap().is_some());
        }
    }
}
