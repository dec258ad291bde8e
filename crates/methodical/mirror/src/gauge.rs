//! Gauges: samples of amounts, and their forecast.

pub(crate) mod amount;
pub(crate) mod forecast;
pub(crate) mod sample;
pub(crate) mod samples;
