//! The commands of a mirror: they sync a copy of the lists of the service, and read it.

mod accept;
mod ago;
mod backup;
pub(crate) mod binding;
pub(crate) mod board;
mod changes;
mod check;
pub(crate) mod command;
pub(crate) mod complete;
mod confirm;
mod consumers;
mod copy;
#[cfg(feature = "dashboard")]
pub(crate) mod dashboard;
mod export;
pub(crate) mod failure;
mod forget;
mod found;
pub(crate) mod gauge;
mod hooks;
mod identities;
mod in_order;
mod known;
pub(crate) mod list;
mod metrics;
mod notes;
pub(crate) mod place;
mod postgres;
mod progress;
mod purge;
pub(crate) mod repeat;
mod search;
pub(crate) mod selected;
mod status;
#[cfg_attr(not(unix), path = "mirror/supervisor_other.rs")]
mod supervisor;
pub(crate) mod sync;
pub(crate) mod time;
pub(crate) mod unknown;
pub(crate) mod watch;

pub(crate) use crate::mirror::hooks::Mirroring;
