//! Runs a story with many seeds.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, thread};

use crate::world::World;

/// Runs a story with many seeds, on all processors, and fails with a description of each seed with a violation.
///
/// `GATEWAY_SIMULATION_SEED` runs only this seed, and writes its trace to standard error. `GATEWAY_SIMULATION_SEEDS`
/// sets the number of seeds; the default is `seeds`. `test` is the beginning of the name of the test, for the command
/// that repeats a seed.
#[track_caller]
pub(crate) fn assert_holds<F>(test: &str, seeds: u64, story: impl Fn(World) -> F + Sync)
where
    F: Future<Output = ()>,
{
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let only = number("GATEWAY_SIMULATION_SEED");
    let count = number("GATEWAY_SIMULATION_SEEDS").unwrap_or(seeds);
    let (next, failed) = (AtomicU64::new(only.unwrap_or(0)), Mutex::new(Vec::new()));
    let end = only.map_or(count, |seed| seed + 1);
    let run = || {
        while let seed = next.fetch_add(1, Ordering::Relaxed)
            && seed < end
        {
            let outcome = World::run(seed, &story);
            if only.is_some() {
                let lines = outcome.trace.join("\n");
                writeln!(io::stderr(), "{lines}").unwrap_or_default();
            }
            if let Some(violation) = outcome.violations.first() {
                let command = format!("cargo test -p gateway-tests-simulation {test}");
                let command = format!("GATEWAY_SIMULATION_SEED={seed} {command}");
                failed.lock().unwrap().push(format!("seed {seed}: {violation}\n  {command}"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(run);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}\n{} seeds failed", failed.join("\n"), failed.len());
}

/// Fails unless each seed leads to the same events again.
#[track_caller]
pub(crate) fn assert_repeats<F>(seeds: [u64; 3], story: impl Fn(World) -> F)
where
    F: Future<Output = ()>,
{
    for seed in seeds {
        let [first, second] = [(); 2].map(|()| World::run(seed, &story));
        assert!(first.trace.len() > 100, "seed {seed}");
        assert_eq!(first, second, "seed {seed}");
    }
}
