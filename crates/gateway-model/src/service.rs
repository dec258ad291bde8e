//! The service: the constants that all its operations share (sections 4 and 9 of the contract), and its type.

pub use crate::generated::service::*;
