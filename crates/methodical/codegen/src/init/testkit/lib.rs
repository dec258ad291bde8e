//! Typed mocks of «title», and contract checks.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod generated;

/// Checks of a service: `run(&CONTRACT, &target, &transport, Profile::Any)` checks whether it meets the contract.
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
