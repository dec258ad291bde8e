//! Runs a story with many seeds.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use crate::world::{Outcome, World};

/// Runs a story with many seeds, on all processors, and returns a description of each seed with a violation.
///
/// `GATEWAY_SIMULATION_SEED` runs only this seed, and writes its trace to standard error. `GATEWAY_SIMULATION_SEEDS` sets the number of seeds;
/// the default is `seeds`. `test` is the name of the test, for the command that repeats a seed.
pub fn failures<F>(test: &str, seeds: u64, story: impl Fn(World) -> F + Sync) -> Vec<String>
where
    F: Future<Output = ()>,
{
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("GATEWAY_SIMULATION_SEED") {
        let outcome = World::run(seed, &story);
        let lines = outcome.trace.join("\n");
        writeln!(io::stderr(), "{lines}").unwrap_or_default();
        return describe(test, seed, &outcome).into_iter().collect();
    }
    let count = number("GATEWAY_SIMULATION_SEEDS").unwrap_or(seeds);
    let next = AtomicU64::new(0);
    let run = || {
        let mut failed = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= count {
                return failed;
            }
            let outcome = World::run(seed, &story);
            failed.extend(describe(test, seed, &outcome));
        }
    };
    thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let mut threads = Vec::new();
        threads.extend((0..processors).map(|_| scope.spawn(run)));
        let panicked = |_| vec!["a seed panicked".to_owned()];
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    })
}

fn describe(test: &str, seed: u64, outcome: &Outcome) -> Option<String> {
    let violation = outcome.violations.first()?;
    let command = format!("cargo test -p gateway-tests-simulation --test {test}");
    Some(format!("seed {seed}: {violation}\n  GATEWAY_SIMULATION_SEED={seed} {command}"))
}
