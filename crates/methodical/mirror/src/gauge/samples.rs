//! The samples of a mirror.

use crate::error::Error;
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
}
