//! The checks, by group. `Ok` means that the transport keeps the part of its contract that the check is about.

#![expect(
    clippy::missing_errors_doc,
    reason = "every check fails for the same reason: the transport breaks its contract"
)]

pub mod body;
pub mod cancellation;
pub mod connections;
pub mod errors;
pub mod memory;
pub mod request;
pub mod response;
pub mod runtime;
pub mod secrecy;
pub mod time;
pub mod tls;
