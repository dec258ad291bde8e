//! The commands of a mirror: they sync a copy of the lists of the service, and read it.

mod ago;
mod backup;
pub(crate) mod board;
mod changes;
mod check;
pub(crate) mod command;
mod confirm;
mod failure;
mod forget;
mod found;
pub(crate) mod gauge;
mod hooks;
mod in_order;
pub(crate) mod list;
mod metrics;
mod notes;
mod place;
#[cfg_attr(not(feature = "mirror-postgres"), path = "mirror/no_postgres.rs")]
mod postgres;
mod profiles;
mod purge;
mod repeat;
mod search;
pub(crate) mod selected;
mod status;
#[cfg_attr(not(unix), path = "mirror/supervisor_other.rs")]
mod supervisor;
mod sync;
mod time;
pub(crate) mod watch;

pub(crate) use crate::mirror::hooks::Mirroring;
