//! Alarms: an amount or a forecast below a threshold. It does no I/O.

use rust_decimal::Decimal;

use crate::error::Error;
use crate::gauge::amount::parse;
use crate::gauge::forecast::Forecast;

/// The threshold of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threshold<'a> {
    /// The amount is below this decimal number.
    Amount(&'a str),
    /// The amount lasts fewer days than this, by the [`Forecast`].
    Days(u64),
}

/// The state of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Alarm {
    /// Nothing is below the threshold.
    Quiet,
    /// It is below the threshold for the first time: warn now.
    Fires,
    /// It has fired, and is armed again above 1.1 times the threshold.
    Stays,
}

impl Threshold<'_> {
    /// Returns the name of the threshold: another threshold is another alarm.
    pub(crate) fn name(&self) -> Result<String, Error> {
        Ok(match self {
            Self::Amount(text) => format!("amount/{}", parse(text)?.normalize()),
            Self::Days(days) => format!("days/{days}"),
        })
    }

    /// Returns the next state of an alarm.
    pub(crate) fn next(&self, has_fired: bool, forecast: &Forecast) -> Result<Alarm, Error> {
        let (value, threshold) = match self {
            Self::Amount(text) => (Some(parse(&forecast.last.amount)?), parse(text)?),
            Self::Days(days) => (forecast.days_left.map(Decimal::from), Decimal::from(*days)),
        };
        // An amount that does not fall lasts for any number of days.
        let Some(value) = value else { return Ok(Alarm::Quiet) };
        let armed_again = threshold.checked_mul(Decimal::new(11, 1)).unwrap_or(Decimal::MAX);
        Ok(match has_fired {
            false if value < threshold => Alarm::Fires,
            true if value <= armed_again => Alarm::Stays,
            _ => Alarm::Quiet,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Alarm, Threshold};
    use crate::gauge::forecast::Forecast;
    use crate::gauge::sample::Sample;

    fn forecast(amount: &str, days_left: Option<u64>) -> Forecast {
        let sample = Sample { at: 0, gauge: String::new(), amount: amount.to_owned(), unit: None };
        Forecast { days_left, ..Forecast::of(&[sample]).unwrap().unwrap() }
    }

    #[test]
    fn an_alarm_fires_once_and_is_armed_again_above_1_1_times_the_threshold() {
        let (mut has_fired, mut states) = (false, Vec::new());
        let below = Threshold::Amount("100");
        for amount in ["100", "99.99", "50", "105", "110", "99", "110.01", "99"] {
            let alarm = below.next(has_fired, &forecast(amount, None)).unwrap();
            has_fired = alarm != Alarm::Quiet;
            states.push(alarm);
        }
        let [quiet, fires, stays] = [Alarm::Quiet, Alarm::Fires, Alarm::Stays];
        assert_eq!(states, [quiet, fires, stays, stays, stays, stays, quiet, fires]);
    }

    #[test]
    fn days_are_those_of_the_forecast() {
        let alarm = |has_fired, days| Threshold::Days(7).next(has_fired, &forecast("1", days));
        assert_eq!(alarm(false, Some(6)).unwrap(), Alarm::Fires);
        assert_eq!(alarm(false, Some(7)).unwrap(), Alarm::Quiet);
        assert_eq!(alarm(true, Some(7)).unwrap(), Alarm::Stays);
        assert_eq!(alarm(true, None).unwrap(), Alarm::Quiet);
    }

    #[test]
    fn spellings_of_one_threshold_are_the_same_alarm() {
        let name = |text| Threshold::Amount(text).name().unwrap();
        assert_eq!(name("100.0"), name("100"));
        assert_ne!(name("100"), name("101"));
        assert!(Threshold::Amount("many").name().is_err());
    }
}
