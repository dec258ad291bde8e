//! The cost of creating a request, compared with the builder of `reqwest` in the same run.
//!
//! `cargo bench -p gateway-client --bench request` prints the table; with `-- --write` it also goes to
//! `docs/benchmarks.md`. Rounds are interleaved, and a ratio is the median over the rounds of the ratio within
//! one round.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a benchmark prints to the terminal and stops at the first failure"
)]

#[path = "../../../gateway-model/benches/support/document.rs"]
mod document;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gateway_client::AccessToken;
use gateway_client::blocking::Client;
use gateway_client::model::{ListCandidates, Operation as _};
use gateway_client::transport::MemoryTransport;

fn main() -> ExitCode {
    let text = table();
    document::publish("request", &text)
}

/// One way to create the request.
struct Subject<'a> {
    name: &'static str,
    make: Box<dyn Fn() + 'a>,
}

fn table() -> String {
    let ours = Client::builder(BASE_URL)
        .token(AccessToken::new(TOKEN).expect("a token"))
        .transport(MemoryTransport::new([]))
        .build()
        .expect("a client");
    // Without a crypto provider the client cannot be created, although none is used here.
    rustls::crypto::ring::default_provider().install_default().expect("no provider yet");
    let theirs = reqwest::Client::builder().build().expect("a client");
    let address = format!("{BASE_URL}/c/oauth/v1");
    let subjects = [
        subject("reqwest: `get`, `bearer_auth`, `query`, `build` (reference)", || {
            let query = [("method", "candidates/list"), ("vacancy_id", "101"), ("status", STATUS)];
            let request = theirs.get(&address).bearer_auth(TOKEN).query(&query).build();
            black_box(request.expect("valid"));
        }),
        subject("ours: the whole `http::Request`", || {
            let operation = ListCandidates::new().vacancy_status(101, STATUS);
            black_box(ours.request(&operation).expect("valid"));
        }),
        subject("ours: the query alone", || {
            let operation = ListCandidates::new().vacancy_status(101, STATUS);
            black_box(operation.query().expect("valid"));
        }),
    ];
    let times = measure(&subjects);
    let mut out = "| request with two parameters | time | ratio | allocations |\n".to_owned();
    out.push_str("|---|--:|--:|--:|\n");
    for (subject, own) in subjects.iter().zip(&times) {
        let allocations = allocation_counter::measure(&subject.make).count_total;
        let ratios = times.first().into_iter().flatten().zip(own);
        let ratio =
            median(ratios.map(|(reference, own)| own.as_secs_f64() / reference.as_secs_f64()));
        let nanoseconds =
            median(own.iter().map(|time| time.as_secs_f64() * 1e9 / f64::from(TIMES)));
        let row =
            format!("| {} | {nanoseconds:.0} ns | ×{ratio:.2} | {allocations} |\n", subject.name);
        out.push_str(&row);
    }
    out
}

fn subject<'a>(name: &'static str, make: impl Fn() + 'a) -> Subject<'a> {
    Subject { name, make: Box::new(make) }
}

/// Returns the time of each subject in each round.
fn measure(subjects: &[Subject<'_>]) -> Vec<Vec<Duration>> {
    let mut times = vec![Vec::new(); subjects.len()];
    for _ in 0..ROUNDS {
        for (subject, own) in subjects.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..TIMES {
                (subject.make)();
            }
            own.push(start.elapsed());
        }
    }
    times
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

const BASE_URL: &str = "https://gateway.example.com/api";
const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const STATUS: &str = "Shortlist – în așteptare";
const ROUNDS: usize = 31;
const TIMES: u32 = 20_000;
