//! The samples of a mirror.

use crate::error::{Error, ErrorKind};
use crate::gauge::alarm::{Alarm, Threshold};
use crate::gauge::forecast::Forecast;
use crate::gauge::sample::Sample;
use crate::mirror::{Mirror, lock};

impl Mirror {
    /// Returns the samples of a gauge that were taken at or after a time in seconds since 1970 (UTC), in the order in which
    /// they were taken. Each [`sync_all`](Self::sync_all) takes one; the last 100,000 of each gauge are kept.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// # let mirror = methodical_mirror::Mirror::in_memory()?;
    /// for sample in mirror.samples("storage", 0)? {
    ///     println!("{} {} {}", sample.at, sample.amount, sample.unit.unwrap_or_default());
    /// }
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn samples(&self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        lock(&self.store).samples(gauge, since)
    }

    /// Returns how long the amount of a gauge will last, based on the last two weeks; `None` if it has no samples.
    ///
    /// # Errors
    ///
    /// Those of [`Forecast::of`].
    ///
    /// ```
    /// # let mirror = methodical_mirror::Mirror::in_memory()?;
    /// assert_eq!(mirror.forecast("storage")?, None);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn forecast(&self, gauge: &str) -> Result<Option<Forecast>, Error> {
        Forecast::of(&self.samples(gauge, i64::MIN)?)
    }

    /// Compares the latest sample of a gauge with a threshold, and remembers whether it was below. The alarm fires once, and
    /// again only after the value was above 1.1 times the threshold. Another threshold is another alarm.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Gauge`] if the gauge has no samples, or the threshold is not a decimal number.
    ///
    /// ```
    /// use methodical_mirror::{Alarm, Error, Mirror, Threshold};
    ///
    /// fn check(mirror: &mut Mirror) -> Result<(), Error> {
    ///     if mirror.alarm("storage", Threshold::Days(7))? == Alarm::Fires {
    ///         eprintln!("the storage is used up in less than 7 days");
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn alarm(&mut self, gauge: &str, threshold: Threshold<'_>) -> Result<Alarm, Error> {
        let forecast = self.forecast(gauge)?.ok_or_else(|| {
            let text = format!("cannot check `{gauge}`: it has no samples; sync the mirror first");
            Error::new(ErrorKind::Gauge, text)
        })?;
        let note = format!("alarm/{gauge}/{}", threshold.name()?);
        let mut store = lock(&self.store);
        let has_fired = store.note(&note)?.as_deref() == Some(FIRED);
        let alarm = threshold.next(has_fired, &forecast)?;
        let fires = alarm != Alarm::Quiet;
        if fires != has_fired {
            store.set_note(&note, if fires { FIRED } else { ARMED })?;
        }
        Ok(alarm)
    }
}

/// The note of an alarm that has fired.
const FIRED: &str = "fired";

/// The note of an alarm that is armed again.
const ARMED: &str = "armed";
