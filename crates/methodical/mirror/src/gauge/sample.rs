//! One sample of a gauge.

use crate::error::Error;

/// The amount of a gauge at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// When it was taken, in seconds since 1970 (UTC).
    pub at: i64,
    /// The name of the gauge.
    pub gauge: String,
    /// The amount: a decimal number, with the digits that the service sent.
    pub amount: String,
    /// The unit, if the service sends one.
    pub unit: Option<String>,
}

/// The sample of a gauge in a sync.
#[derive(Debug)]
#[non_exhaustive]
pub struct SampleReport {
    /// The name of the gauge.
    pub gauge: &'static str,
    /// The sample, or the reason for its absence.
    pub result: Result<Sample, Error>,
}

impl SampleReport {
    pub(crate) fn new(gauge: &'static str, result: Result<Sample, Error>) -> Self {
        Self { gauge, result }
    }
}
