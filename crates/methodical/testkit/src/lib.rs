//! Test tools for any method-dispatched gateway: to test transports, services, and code that uses a client.
//!
//! This crate knows no service. A crate of generated code, such as `gateway-testkit`, re-exports it and adds the
//! operations of one service.
//!
//! No feature is on by default. Each adds a module and its dependencies.
//!
//! | feature | adds |
//! |---|---|
//! | `conformance` | module `conformance` and the macro `conformance_tests!`: checks for any transport |
//! | `contract` | module `contract`: checks for any service |
//! | `mocks` | module `mocks`: the calls of a service as `wiremock` mocks |
//! | `raw-server` | module `raw_server`: a scripted server that sends any bytes, well-formed or not |
//! | `tls` | module `certificates`, and the raw server over TLS |
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "tls")]
pub mod certificates;
#[cfg(feature = "contract")]
#[doc(hidden)]
pub mod codegen {
    //! The items that generated code uses.
    //!
    //! Only generated code of the same version may use them: they may change in any release.

    pub use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

    pub use crate::contract::description::{
        Contract, Data, Field, Kind, Operation, Param, Post, Record, Values,
    };
}
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "contract")]
pub mod contract;
#[cfg(feature = "contract")]
mod encoded;
#[cfg(feature = "mocks")]
pub mod mocks;
#[cfg(any(feature = "conformance", feature = "contract"))]
mod outcome;
#[cfg(feature = "raw-server")]
pub mod raw_server;
