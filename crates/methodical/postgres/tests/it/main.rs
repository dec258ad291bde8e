//! Tests of connections to a real PostgreSQL.
// Although these are tests: it tells the lints that these helpers may panic.
#![cfg(test)]

mod cluster;
mod connection;
mod encrypted;
mod hosts;
mod tls;
