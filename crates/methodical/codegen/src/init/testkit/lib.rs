//! Typed mocks of «title», contract checks, and the examples of its spec as data.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod generated;

/// The examples of the spec.
#[cfg(feature = "cases")]
pub mod cases {
    pub use crate::generated::cases::*;
}

/// Checks of a service: `run(&CONTRACT, &target, &transport, Profile::Any)` says whether it keeps the contract.
#[cfg(feature = "contract")]
pub mod contract {
    pub use methodical_testkit::contract::*;

    pub use crate::generated::contract::CONTRACT;
}

/// One mock for each operation.
#[cfg(feature = "mocks")]
pub mod mocks {
    pub use methodical_testkit::mocks::*;

    pub use crate::generated::mocks::*;
}
