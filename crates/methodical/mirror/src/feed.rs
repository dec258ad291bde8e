//! The changes in their order, and their delivery to consumers.

pub(crate) mod backoff;
pub(crate) mod change;
pub(crate) mod consumer;
pub(crate) mod consumers;
pub(crate) mod cursor;
pub(crate) mod deliver;
pub(crate) mod event;
pub(crate) mod sink;
pub(crate) mod stop;
