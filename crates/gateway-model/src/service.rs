//! The service, with the constants that all its operations share (sections 4 and 9 of the contract).

pub use crate::generated::service::*;
