//! The checks, by group. `Ok` means that the transport does what its contract says.

#![expect(
    clippy::missing_errors_doc,
    reason = "every check ends with the same error: the transport does something else than its documentation says"
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
