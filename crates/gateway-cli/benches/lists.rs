//! A list of a million in every form, beside `curl -o /dev/null` of the same address.
//!
//! `cargo bench -p gateway-cli` prints the table; with `-- --write` it also goes to `docs/benchmarks.md`. The server is
//! the real one, on SQLite, in this process; every program runs as a process of its own, on the cores that the server
//! also uses. `GATEWAY_BENCH_CANDIDATES` sets another size.

#![expect(
    clippy::cast_precision_loss,
    clippy::format_push_string,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark talks to a person, and stops at the first surprise"
)]

#[path = "../../gateway-model/benches/support/document.rs"]
mod document;

use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gateway_server::{
    Clock, Config, DemoData, ImportMode, Server, SqliteStore, Store, StoreAdmin as _,
};

fn main() -> ExitCode {
    let candidates = std::env::var("GATEWAY_BENCH_CANDIDATES");
    let candidates = candidates.map_or(1_000_000, |text| text.parse().unwrap());
    let service = Service::with(candidates);
    let rounds: Vec<Vec<[Duration; 2]>> = (0..ROUNDS)
        .map(|_| SUBJECTS.iter().map(|subject| service.times(subject)).collect())
        .collect();
    let mut text = format!(
        "| {candidates} candidates | made for the answer | ratio | kept by the server | ratio | memory at most |\n\
         |---|--:|--:|--:|--:|--:|\n"
    );
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let mut row = format!("| {}", subject.name);
        for made in 0..2 {
            let seconds = |index: usize, round: &Vec<[Duration; 2]>| {
                round.get(index).and_then(|times| times.get(made)).unwrap().as_secs_f64()
            };
            let time = median(rounds.iter().map(|round| seconds(index, round)));
            let ratio =
                median(rounds.iter().map(|round| seconds(index, round) / seconds(0, round)));
            row.push_str(&format!(" | {time:.2} s | ×{ratio:.2}"));
        }
        text.push_str(&format!("{row} | {} |\n", service.memory(subject)));
    }
    println!("{text}");
    if std::env::args().any(|argument| argument == "--write")
        && let Err(error) = document::write("lists", &text)
    {
        eprintln!("docs/benchmarks.md: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// A program that receives the list.
struct Subject {
    name: &'static str,
    /// The form that `gateway` writes; none means curl.
    form: Option<&'static str>,
}

const SUBJECTS: [Subject; 5] = [
    Subject { name: "`curl -o /dev/null` (reference)", form: None },
    Subject { name: "`gateway candidates list -o raw`", form: Some("raw") },
    Subject { name: "`gateway candidates list -o ndjson`", form: Some("ndjson") },
    Subject { name: "`gateway candidates list -o json`", form: Some("json") },
    Subject { name: "`gateway candidates list -o csv`", form: Some("csv") },
];

/// The real server, and who may ask it.
struct Service {
    runtime: tokio::runtime::Runtime,
    store: Arc<dyn Store>,
    token: String,
    _directory: tempfile::TempDir,
}

impl Service {
    fn with(candidates: u32) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(directory.path().join("lists.db")).unwrap();
        let now = Clock::system().now();
        let account = store.create_account("lists", now).unwrap();
        let data = DemoData { candidates, seed: 1 };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
        let token = store.create_token(account, "bench", now, None).unwrap().reveal().to_owned();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Self { runtime, store: Arc::new(store), token, _directory: directory }
    }

    /// Does something with a server that has not answered anything yet.
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

    /// How long a list takes that is made for the answer, and how long the same list once it is kept.
    fn times(&self, subject: &Subject) -> [Duration; 2] {
        self.fresh(|base_url| {
            let time = || {
                let begun = Instant::now();
                let status = self.start(subject, base_url).wait().unwrap();
                assert!(status.success(), "{}", subject.name);
                begun.elapsed()
            };
            let made = time();
            // A list that is asked for again is worth keeping.
            time();
            [made, time()]
        })
    }

    /// How much memory the program has at most. It is looked at all the time, which is why no clock runs.
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

/// The peak of a running process in KiB, where the system tells it.
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
