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
//! | `mocks` | module `mocks`: the operations of the gateway as `wiremock` mocks; turns on `raw-server` |
//! | `raw-server` | module `raw_server`: a scripted server that sends any bytes, well-formed or not; module `faults`: servers that break connections |
//! | `tls` | module `certificates`, and the raw server over TLS |
//!
//! `conformance` and `contract` share the module `outcome`: how a check ends.
//!
//! The example `mocks` tests a function that uses a client: `cargo run -p gateway-testkit --features mocks --example mocks`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "cases")]
pub mod cases;
#[cfg(feature = "contract")]
pub mod contract;
mod generated;
#[cfg(feature = "mocks")]
pub mod mocks;

#[cfg(feature = "tls")]
#[doc(inline)]
pub use methodical_testkit::certificates;
#[cfg(any(feature = "conformance", feature = "contract"))]
#[doc(inline)]
pub use methodical_testkit::outcome;
#[cfg(feature = "conformance")]
#[doc(inline)]
pub use methodical_testkit::{conformance, conformance_tests};
#[cfg(feature = "raw-server")]
#[doc(inline)]
pub use methodical_testkit::{faults, raw_server};
