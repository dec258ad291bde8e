//! Measures bare client and adapter in alternating rounds.

use crate::machine::cpu_time;
use crate::subjects::{Pair, Subject};

/// The result for one client at one concurrency.
pub(crate) struct Row {
    pub(crate) client: &'static str,
    pub(crate) concurrency: usize,
    /// Microseconds of CPU for a request with the bare client: the median over the rounds.
    pub(crate) bare: f64,
    /// Microseconds of CPU for a request with our adapter: the median over the rounds.
    pub(crate) ours: f64,
    /// Cost of our adapter relative to the bare client: the median over the rounds.
    pub(crate) ratio: f64,
}

/// Measures every pair at every concurrency.
pub(crate) fn rows(pairs: &[Pair]) -> Vec<Row> {
    let cells = pairs.iter().flat_map(|pair| CONCURRENCY.map(|concurrency| (pair, concurrency)));
    cells.map(|(pair, concurrency)| row(pair, concurrency)).collect()
}

fn row(pair: &Pair, concurrency: usize) -> Row {
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
    Row {
        client: pair.client,
        concurrency,
        bare: median(rounds.iter().map(|(bare, _)| *bare)),
        ours: median(rounds.iter().map(|(_, ours)| *ours)),
        ratio: median(rounds.iter().map(|(bare, ours)| ours / bare)),
    }
}

/// Returns the microseconds of CPU for one request.
fn cost(subject: &Subject, concurrency: usize) -> f64 {
    let start = cpu_time();
    (subject.send)(concurrency, REQUESTS);
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
