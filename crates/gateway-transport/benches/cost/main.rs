//! The cost of our adapters over the bare clients: CPU time of the client for each request.
//!
//! `cargo bench -p gateway-transport` prints the table; with `-- --write`, it also writes the table to
//! `docs/benchmarks.md`. `-- --count ours-ureq 1 1000` only sends requests, for profilers. The server is this program in
//! a second process, so that the CPU time of this process is that of the client alone.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on failure"
)]

#[path = "../../../gateway-model/benches/support/document.rs"]
mod document;
mod machine;
mod measure;
mod server;
mod subjects;

use std::process::ExitCode;

use crate::measure::Pair;
use crate::server::Server;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == server::SERVE) {
        return server::serve(r#""id":"1250","name":"Harbour at dawn""#);
    }
    let server = Server::start();
    machine::stay_on_first();
    // As long as the path and query of a real call.
    let target = "/api/oauth/v1?method=photos/list&album_id=4200&colour=Ultramarine";
    let pairs = subjects::pairs(&format!("{}{target}", server.base_url()));
    if let [mode, name, concurrency, requests, ..] = arguments.as_slice()
        && mode == "--count"
    {
        return count(&pairs, name, concurrency, requests);
    }
    let text = measure::table(["requests", "our adapter"], &pairs);
    document::publish("transports", &text)
}

/// Sends this number of requests with one subject.
fn count(pairs: &[Pair], name: &str, concurrency: &str, requests: &str) -> ExitCode {
    let subject = pairs.iter().find_map(|pair| match name.split_once('-')? {
        ("bare", client) if client == pair.client => Some(&pair.bare),
        ("ours", client) if client == pair.client => Some(&pair.ours),
        _ => None,
    });
    let (Some(subject), Ok(concurrency), Ok(requests)) =
        (subject, concurrency.parse(), requests.parse())
    else {
        eprintln!("--count needs the name of a subject, a concurrency and a number of requests");
        return ExitCode::FAILURE;
    };
    (subject.send)(concurrency, requests);
    ExitCode::SUCCESS
}
