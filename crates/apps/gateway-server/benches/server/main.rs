//! Throughput and memory of the server, compared with a plain axum program that does the same work:
//! `cargo bench -p gateway-server`.
//!
//! Everything runs on one machine over loopback, each server in a separate process. `GATEWAY_BENCH_CANDIDATES` sets the
//! length of the list (default 1,000,000).

#![expect(
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results, and stops at the first error"
)]

mod axum_server;
mod lists;
mod load;
mod process;
mod small;

use std::process::Command;
use std::time::Instant;

use crate::process::command;

fn main() {
    match std::env::var("GATEWAY_BENCH_ROLE").as_deref() {
        Ok("axum") => return axum_server::run(),
        Ok("measure") => {}
        // Ten thousand connections need as many file descriptors, in this process and in the servers, which inherit the
        // limit.
        _ => {
            let program = std::env::current_exe().unwrap();
            let status = Command::new("sh")
                .args(["-c", "ulimit -n $(ulimit -Hn); exec \"$0\" \"$@\""])
                .arg(program)
                .args(std::env::args().skip(1))
                .env("GATEWAY_BENCH_ROLE", "measure")
                .status();
            assert!(status.unwrap().success());
            return;
        }
    }
    let candidates = std::env::var("GATEWAY_BENCH_CANDIDATES").unwrap_or_else(|_| "1000000".into());
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("bench.db").to_str().unwrap().to_owned();
    command(&database, &["account", "create", "bench"]);
    let start = Instant::now();
    command(&database, &["demo-data", "--account", "bench", "--candidates", &candidates]);
    let size = std::fs::metadata(&database).unwrap().len() / 1_000_000;
    println!(
        "{candidates} candidates imported in {:.1} s; the file has {size} MB",
        start.elapsed().as_secs_f64()
    );
    let token = command(&database, &["token", "create", "--account", "bench"]).trim().to_owned();

    // `cargo bench … -- small idle` runs only these two parts.
    let named: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    if wanted("lists") {
        lists::measure(&database, &token);
    }
    if wanted("small") {
        small::measure(&database, &token);
    }
    if wanted("slow") {
        load::beside_lists(&database, &token);
    }
    if wanted("hostile") {
        load::hostile_clients(&database, &token);
    }
    if wanted("idle") {
        load::idle_connections(&database, &token);
    }
}
