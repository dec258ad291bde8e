//! Tests of connections to a real PostgreSQL.

// `cfg(test)` although these are tests: it tells the lints that these helpers may panic.
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod connection;
#[cfg(test)]
mod encrypted;
#[cfg(test)]
mod hosts;
#[cfg(test)]
mod tls;
