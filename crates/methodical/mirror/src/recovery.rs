//! Recovery: the value of each member of each group, from a list with two filters.

pub(crate) mod asking;
pub(crate) mod coverage;
pub(crate) mod follow;
pub(crate) mod known;
pub(crate) mod rota;
pub(crate) mod spells;
pub(crate) mod target;
pub(crate) mod write;
