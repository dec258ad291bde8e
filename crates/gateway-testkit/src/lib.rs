//! Test tools for software around the recruitment gateway: for transports, for services, and for code that uses a
//! client.
//!
//! No feature is on by default. Each adds a module and its dependencies.
//!
//! | feature | adds |
//! |---|---|
//! | `cases` | module `cases`: the examples of the contract as data |
//! | `conformance` | module `conformance` and the macro `conformance_tests!`: checks for any transport |
//! | `contract` | module `contract`: checks for any service |
//! | `mocks` | module `mocks`: the operations of the gateway as `wiremock` mocks |
//! | `raw-server` | module `raw_server`: a scripted server that sends any bytes, well-formed or not |
//! | `tls` | module `certificates`, and the raw server over TLS |
//!
//! `conformance` and `contract` share the module `outcome`: how a check ends.
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
#[cfg(any(feature = "conformance", feature = "contract"))]
pub mod outcome;
#[cfg(feature = "raw-server")]
pub mod raw_server;
