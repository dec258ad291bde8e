//! The use and the upkeep of a mirror: read, check, back up, forget and purge.

pub(crate) mod backup;
pub(crate) mod backups;
pub(crate) mod check;
pub(crate) mod contents;
pub(crate) mod copies;
pub(crate) mod filter;
pub(crate) mod finding;
pub(crate) mod forget;
mod lookup;
pub(crate) mod purge;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod repair;
pub(crate) mod restore;
pub(crate) mod search;
pub(crate) mod snapshot;
pub(crate) mod spell;
pub(crate) mod spells;
