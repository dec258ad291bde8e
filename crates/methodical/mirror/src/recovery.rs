//! Recovery: the value of each member of each group, from a list with two filters.

pub(crate) mod asking;
pub(crate) mod coverage;
pub(crate) mod placement;
pub(crate) mod schedule;
pub(crate) mod values;
