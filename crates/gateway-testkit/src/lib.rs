//! Tests for those who build on the recruitment gateway: for a transport, for a service, for code that uses a client.
//!
//! Nothing is on by default; each feature adds a module and its dependencies.
//!
//! | feature | adds |
//! |---|---|
//! | `cases` | module `cases`: the examples of the spec as data |
//! | `conformance` | module `conformance` and `conformance_tests!`: checks that any transport can be run against |
//! | `contract` | module `contract`: checks that any service can be held against |
//! | `mocks` | module `mocks`: the operations of the gateway as wiremock mocks |
//! | `raw-server` | module `raw_server`: a server that plays bytes, well-formed or not |
//! | `tls` | module `certificates`, and the raw server within TLS |
#![forbid(unsafe_code)]

#[cfg(feature = "cases")]
pub mod cases;
#[cfg(feature = "tls")]
pub mod certificates;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "contract")]
pub mod contract;
mod generated;
#[cfg(feature = "mocks")]
pub mod mocks;
#[cfg(feature = "raw-server")]
pub mod raw_server;
