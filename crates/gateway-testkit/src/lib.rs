//! Test tools for the recruitment gateway: for transports, for services, and for code that uses a client.
//!
//! No feature is enabled by default. Each feature adds a module and its dependencies.
//!
//! | feature | adds |
//! |---|---|
//! | `conformance` | module `conformance` and the macro `conformance_tests!`: checks for any transport |
//! | `contract` | module `contract`: checks for any service |
//! | `mocks` | module `mocks`: the operations of the gateway as `wiremock` mocks |
//! | `raw-server` | module `raw_server`: a scripted server that sends any bytes, well-formed or not |
//! | `tls` | module `certificates`, and the raw server over TLS |
//!
//! The example `mocks` tests a function that uses a client: `cargo run -p gateway-testkit --features mocks --example
//! mocks`.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "contract")]
pub mod contract;
mod generated;
#[cfg(feature = "mocks")]
pub mod mocks;

#[cfg(feature = "tls")]
#[doc(inline)]
pub use methodical_testkit::certificates;
#[cfg(feature = "raw-server")]
#[doc(inline)]
pub use methodical_testkit::raw_server;
#[cfg(feature = "conformance")]
#[doc(inline)]
pub use methodical_testkit::{conformance, conformance_tests};
