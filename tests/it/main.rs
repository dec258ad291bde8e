//! End-to-end tests across crates.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod auto_traits;
mod cancel;
mod cases;
mod contract;
mod errors;
mod faults;
mod mocks;
mod outputs;
mod schemas;
mod secrets;
mod spans;
mod streaming;
mod support;
