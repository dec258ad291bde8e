//! The connector: reads the mirror as streams of records, in the protocol of Singer.

mod bookmark;
mod config;
mod hooks;
mod open;
mod row;
mod schema;
pub(crate) mod singer;
mod stream;
mod stream_reader;
#[cfg(test)]
mod testing;

pub(crate) use crate::connector::hooks::Connecting;
