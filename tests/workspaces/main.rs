//! Tests that compile other workspaces with cargo, for the long run: `cargo test -p gateway-tests --features long`.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod another_service;
mod evolution;
mod examples;
mod new_workspace;
mod process;
mod samples;
