//! The upkeep of a mirror: erasure on request and by age, checks, and backups.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod forget;
pub(crate) mod purge;
