//! Gauges: samples of amounts, their forecast, and alarms that fire once.

pub(crate) mod alarm;
pub(crate) mod amount;
pub(crate) mod forecast;
pub(crate) mod sample;
pub(crate) mod samples;
