//! The commands of a mirror: they sync a copy of the lists of the service, and read it.

mod ago;
pub(crate) mod board;
mod changes;
pub(crate) mod command;
mod failure;
mod hooks;
mod in_order;
pub(crate) mod list;
mod place;
mod search;
pub(crate) mod selected;
mod status;
mod sync;
mod time;

pub(crate) use crate::mirror::hooks::Mirroring;
