//! Typed mocks of «title», and the examples of its spec as data.

mod generated;

/// The examples of the spec.
#[cfg(feature = "cases")]
pub mod cases {
    pub use crate::generated::cases::*;
}

/// One mock for each operation.
#[cfg(feature = "mocks")]
pub mod mocks {
    pub use crate::generated::mocks::*;
}
