//! The cost of a small call, compared with the bare HTTP client: a request with a token, 1 KB of JSON, decoded.
//!
//! `cargo bench -p gateway-client --bench call` prints the table; with `-- --write` it also goes to
//! `docs/benchmarks.md`. Time is the CPU time of this process; the server runs in another process.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints to the terminal and stops at the first failure"
)]

#[path = "../../../gateway-model/benches/support/document.rs"]
mod document;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod subjects;

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    document::publish("call", "only Linux reports the CPU time of a process")
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == server::SERVE) {
        return server::serve(r#""credits_number":"1250.50","currency":"EUR""#);
    }
    let server = server::Server::start();
    machine::stay_on_first();
    let pairs = subjects::pairs(&server);
    let text = measure::table(&pairs);
    document::publish("call", &text)
}
