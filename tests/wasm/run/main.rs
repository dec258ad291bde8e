//! `wasm-tests RUNNER TEST`: starts the peers, runs the test in Node with the runner of wasm-bindgen, and judges the
//! results.
//!
//! `.ci/wasm` builds the test and calls this program. It fails if a test fails, if a check of the conformance kit fails
//! that is not an exception, and if an exception passes.
#![cfg_attr(
    not(all(target_family = "wasm", target_os = "unknown")),
    expect(clippy::print_stdout, reason = "a program prints its results")
)]

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod exceptions;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod node;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod peer;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod program;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod remote;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    program::run()
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn main() {}
