//! End-to-end tests across crates.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod another_service;
mod auto_traits;
mod call_options;
mod cancel;
mod cases;
mod concurrent;
mod contract;
#[path = "../../crates/gateway-codegen/tests/random_specs/drawn.rs"]
mod drawn;
mod drivers;
mod errors;
mod evolution;
mod examples;
mod faults;
mod limits;
mod mocks;
mod new_workspace;
mod opening;
mod operations;
mod random_specs;
mod samples;
mod schemas;
mod secrets;
mod spans;
mod streaming;
mod support;
mod tokens;
