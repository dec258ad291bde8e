//! Stored responses, for `--cache`.

pub(crate) mod cached;
mod entry;
mod key;
pub(crate) mod store;
