//! End-to-end tests across crates.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

#[path = "schemas/agree.rs"]
mod agree;
mod auto_traits;
mod cancel;
mod cases;
mod contract;
mod errors;
mod faults;
mod outputs;
mod secrets;
mod spans;
mod streaming;
mod support;
