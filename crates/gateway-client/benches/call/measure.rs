//! Measures a bare client and ours in alternating rounds.

use std::fmt::Write as _;
use std::thread;

use tokio::runtime::{self, Runtime};

use crate::machine::cpu_time;

/// A bare client and ours.
pub(crate) struct Pair {
    pub(crate) client: &'static str,
    pub(crate) bare: Subject,
    pub(crate) ours: Subject,
}

/// Sends requests with a client. The arguments are the concurrency and the total number of requests.
pub(crate) type Subject = Box<dyn Fn(usize, usize)>;

/// Runs one task for each concurrent request, all on one thread, so that no idle thread looks for work. Each call
/// returns `result`.
pub(crate) fn asynchronous<F>(result: usize, call: F) -> Subject
where
    F: AsyncFn() -> usize + Clone + 'static,
{
    let runtime: Runtime =
        runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    Box::new(move |concurrency: usize, requests: usize| {
        let tasks = tokio::task::LocalSet::new();
        for _ in 0..concurrency {
            let call = call.clone();
            tasks.spawn_local(async move {
                for _ in 0..requests / concurrency {
                    assert_eq!(call().await, result);
                }
            });
        }
        runtime.block_on(tasks);
    })
}

/// Runs one thread for each concurrent request. Each call returns `result`.
pub(crate) fn blocking(result: usize, call: impl Fn() -> usize + Sync + 'static) -> Subject {
    Box::new(move |concurrency: usize, requests: usize| {
        let share = || {
            for _ in 0..requests / concurrency {
                assert_eq!(call(), result);
            }
        };
        thread::scope(|scope| {
            for _ in 0..concurrency {
                scope.spawn(share);
            }
        });
    })
}

/// Measures every pair at every concurrency. Returns the table as Markdown.
pub(crate) fn table(pairs: &[Pair]) -> String {
    let mut out =
        "| client | calls at a time | bare | ours | ratio |\n|---|--:|--:|--:|--:|\n".to_owned();
    for (pair, concurrency) in
        pairs.iter().flat_map(|pair| CONCURRENCY.map(|concurrency| (pair, concurrency)))
    {
        let [bare, ours, ratio] = medians(pair, concurrency);
        let client = pair.client;
        writeln!(out, "| {client} | {concurrency} | {bare:.1} µs | {ours:.1} µs | ×{ratio:.3} |")
            .expect("writing to a string cannot fail");
    }
    out
}

/// Returns the medians over the rounds: microseconds of CPU for a request with the bare client and with ours, and their
/// ratio.
fn medians(pair: &Pair, concurrency: usize) -> [f64; 3] {
    // The first requests open the connections.
    for subject in [&pair.bare, &pair.ours] {
        cost(subject, concurrency);
    }
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        // Every second round is reversed, so that neither subject always runs second.
        rounds.push(if round % 2 == 0 {
            let bare = cost(&pair.bare, concurrency);
            (bare, cost(&pair.ours, concurrency))
        } else {
            let ours = cost(&pair.ours, concurrency);
            (cost(&pair.bare, concurrency), ours)
        });
    }
    [
        median(rounds.iter().map(|(bare, _)| *bare)),
        median(rounds.iter().map(|(_, ours)| *ours)),
        median(rounds.iter().map(|(bare, ours)| ours / bare)),
    ]
}

/// Returns the microseconds of CPU for one request.
fn cost(subject: &Subject, concurrency: usize) -> f64 {
    let start = cpu_time();
    subject(concurrency, REQUESTS);
    cpu_time().saturating_sub(start).as_secs_f64() * 1e6 / REQUESTS as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

const CONCURRENCY: [usize; 2] = [1, 64];
const ROUNDS: usize = 41;
const REQUESTS: usize = 64 * 32;
