//! The changes in their order, and their delivery to consumers.

pub(crate) mod change;
pub(crate) mod consumer;
pub(crate) mod deliver;
pub(crate) mod event;
pub(crate) mod exec;
pub(crate) mod sink;
#[cfg(feature = "webhook")]
pub(crate) mod webhook;
