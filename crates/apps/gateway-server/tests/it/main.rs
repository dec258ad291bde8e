//! Tests of the server from outside, over real sockets, as its clients see it.

// `cfg(test)` although these are tests: it tells the lints that these helpers may panic.
#[cfg(test)]
mod backup;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod certificates;
#[cfg(test)]
#[path = "../../../../methodical/postgres/tests/it/cluster.rs"]
mod cluster;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod database_start;
#[cfg(test)]
mod deadlines;
#[cfg(test)]
mod delete;
#[cfg(test)]
#[path = "../../../../methodical/postgres/tests/it/encrypted.rs"]
mod encrypted;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod front;
#[cfg(test)]
mod http2;
#[cfg(test)]
mod http2_client;
#[cfg(test)]
mod http2_limits;
#[cfg(test)]
mod import_files;
#[cfg(test)]
mod import_order;
#[cfg(test)]
mod log;
#[cfg(test)]
mod malformed;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod partition;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod process;
#[cfg(test)]
mod program;
#[cfg(test)]
#[path = "../../../../../tests/recorded/server.rs"]
mod recorded;
#[cfg(test)]
mod replace;
#[cfg(test)]
mod revisions;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod slots;
#[cfg(test)]
mod store;
#[cfg(test)]
mod supervision;
#[cfg(test)]
mod support;
#[cfg(test)]
#[cfg(feature = "opentelemetry")]
mod traces;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod wrong_tokens;
