//! Tests of the server from outside, over real sockets, as its clients see it.
// Although these are tests: it tells the lints that these helpers may panic.
#![cfg(test)]

mod backup;
mod canary;
mod certificates;
#[path = "../../../../methodical/postgres/tests/it/cluster.rs"]
mod cluster;
mod contract;
mod damage;
mod database_start;
mod deadlines;
mod delete;
#[path = "../../../../methodical/postgres/tests/it/encrypted.rs"]
mod encrypted;
mod faults;
mod front;
mod http2;
mod http2_client;
mod http2_limits;
mod import_files;
mod log;
mod malformed;
mod metrics;
mod oracle;
mod partition;
mod postgres;
mod process;
mod program;
#[path = "../../../../../tests/recorded/server.rs"]
mod recorded;
mod replace;
mod revisions;
mod schema;
mod slots;
mod store;
mod supervision;
mod support;
#[cfg(feature = "opentelemetry")]
mod traces;
mod upgrade;
mod wrong_tokens;
