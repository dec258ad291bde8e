//! Measures a list of a million records in every format, compared with `curl -o /dev/null` of the same URL.
//!
//! `cargo bench -p gateway-cli --bench lists` prints the table; with `-- --write` it also goes to `docs/benchmarks.md`.
//! The server is the real one, on SQLite, in this process. Each program runs in a separate process, on the same cores
//! as the server. `GATEWAY_BENCH_CANDIDATES` sets another number of records.

#![expect(
    clippy::cast_precision_loss,
    clippy::format_push_string,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results, and stops at the first error"
)]

#[path = "../../../gateway-model/benches/support/document.rs"]
mod document;

use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gateway_server::{Clock, Config, DemoData, ImportMode, Server, Store};

fn main() -> ExitCode {
    let candidates = std::env::var("GATEWAY_BENCH_CANDIDATES");
    let candidates = candidates.map_or(1_000_000, |text| text.parse().unwrap());
    let service = Service::with(candidates);
    let rounds: Vec<Vec<Duration>> = (0..ROUNDS)
        .map(|_| SUBJECTS.iter().map(|subject| service.time(subject)).collect())
        .collect();
    let mut text = format!(
        "| {candidates} candidates | time | ratio | peak memory |\n\
         |---|--:|--:|--:|\n"
    );
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let seconds = |index: usize, round: &Vec<Duration>| {
            round.get(index).copied().unwrap_or_default().as_secs_f64()
        };
        let time = median(rounds.iter().map(|round| seconds(index, round)));
        let ratio = median(rounds.iter().map(|round| seconds(index, round) / seconds(0, round)));
        let (name, memory) = (subject.name, service.memory(subject));
        text.push_str(&format!("| {name} | {time:.2} s | ×{ratio:.2} | {memory} |\n"));
    }
    document::publish("lists", &text)
}

/// A program that receives the list.
struct Subject {
    name: &'static str,
    /// The output format of `gateway`; `None` for curl.
    form: Option<&'static str>,
}

const SUBJECTS: [Subject; 6] = [
    Subject { name: "`curl -o /dev/null` (reference)", form: None },
    Subject { name: "`gateway candidates list -o raw`", form: Some("raw") },
    Subject { name: "`gateway candidates list -o ndjson`", form: Some("ndjson") },
    Subject { name: "`gateway candidates list -o json`", form: Some("json") },
    Subject { name: "`gateway candidates list -o csv`", form: Some("csv") },
    Subject { name: "`gateway candidates list -o xlsx`", form: Some("xlsx") },
];

/// The data of the server, and a token for it.
struct Service {
    runtime: tokio::runtime::Runtime,
    store: Arc<Store>,
    token: String,
    _directory: tempfile::TempDir,
}

impl Service {
    fn with(candidates: u32) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("lists.db")).unwrap();
        let now = Clock::system().now();
        let account = store.create_account("lists", now).unwrap();
        let data = DemoData { candidates, seed: 1 };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
        let token = store.create_token(account, "bench", now, None).unwrap().reveal().to_owned();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Self { runtime, store: Arc::new(store), token, _directory: directory }
    }

    /// Calls `work` with the base URL of a server that has not received a request yet.
    fn fresh<T>(&self, work: impl FnOnce(&str) -> T) -> T {
        let mut config = Config::default();
        config.listen = ([127, 0, 0, 1], 0).into();
        config.rate = 0;
        config.access_log = false;
        let start = Server::new(config, Arc::clone(&self.store)).start();
        let server = self.runtime.block_on(start).unwrap();
        let result = work(&server.base_url());
        self.runtime.block_on(server.stop());
        result
    }

    /// Returns the time of a list.
    fn time(&self, subject: &Subject) -> Duration {
        self.fresh(|base_url| {
            let begun = Instant::now();
            let status = self.start(subject, base_url).wait().unwrap();
            assert!(status.success(), "{}", subject.name);
            begun.elapsed()
        })
    }

    /// Returns the peak memory of the program. It is polled without a pause, so times are measured in another run.
    fn memory(&self, subject: &Subject) -> String {
        let peak = self.fresh(|base_url| {
            let mut child = self.start(subject, base_url);
            let mut peak = None;
            while child.try_wait().unwrap().is_none() {
                peak = peak.max(memory_of(child.id()));
                thread::yield_now();
            }
            peak
        });
        peak.map_or_else(String::new, |kibibytes| format!("{:.1} MiB", kibibytes as f64 / 1024.0))
    }

    fn start(&self, subject: &Subject, base_url: &str) -> Child {
        let mut command = match subject.form {
            None => {
                let mut curl = Command::new("curl");
                curl.args(["--silent", "--fail", "--output", "/dev/null", "--header"]);
                curl.arg(format!("Authorization: Bearer {}", self.token));
                curl.arg(format!("{base_url}/c/oauth/v1?method=candidates/list"));
                curl
            }
            Some(form) => {
                let mut gateway = Command::new(env!("CARGO_BIN_EXE_gateway"));
                gateway.args(["candidates", "list", "--output", form]);
                gateway.env("GATEWAY_BASE_URL", base_url).env("GATEWAY_TOKEN", &self.token);
                gateway
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    }
}

/// Returns the peak memory of a running process in KiB; `None` if the system does not provide it.
fn memory_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

const ROUNDS: usize = 9;
