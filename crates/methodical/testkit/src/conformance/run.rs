//! Running the checks: one, or all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::conformance::kit::Kit;
use crate::conformance::registry::{CHECKS, ConformanceCheck, Function};
use crate::conformance::subject::Factory;
use crate::outcome::Verdict;

/// A check and its verdict. `Display` prints one line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the check, with its group: `body.shorter_than_its_length`.
    pub check: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// How long the check took.
    pub time: Duration,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Pass => write!(f, "pass {}", self.check),
            Verdict::Fail(text) => write!(f, "FAIL {}: {text}", self.check),
            Verdict::Open(text) => write!(f, "open {}: {text}", self.check),
            Verdict::Skip(reason) => write!(f, "skip {}: {reason}", self.check),
        }
    }
}

/// Runs all checks, a few in parallel, and returns one finding for each, in the order of [`CHECKS`].
///
/// `skips` names the checks that are not run, each with its reason.
pub fn run(factory: Factory, skips: &[(&str, &str)]) -> Vec<Finding> {
    let findings: Vec<_> = CHECKS.iter().map(|check| (check, OnceLock::new())).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some((check, finding)) =
                    findings.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    finding.get_or_init(|| run_one(factory, check, skips));
                }
            });
        }
    });
    findings.into_iter().filter_map(|(_, finding)| finding.into_inner()).collect()
}

/// Runs one check. A check that panics, or that does not end in time, fails.
pub fn run_one(factory: Factory, check: &ConformanceCheck, skips: &[(&str, &str)]) -> Finding {
    let started = Instant::now();
    let verdict = match skips.iter().find(|(name, _)| *name == check.name) {
        Some((_, reason)) => Verdict::Skip((*reason).to_owned()),
        None => guarded(factory, check.function),
    };
    Finding { check: check.name, verdict, time: started.elapsed() }
}

/// Runs the check on its own thread, which is abandoned if it does not end.
fn guarded(factory: Factory, function: Function) -> Verdict {
    let (result, end) = sync_channel(1);
    let spawned = thread::Builder::new().name("check".into()).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| function(&Kit::new(factory)?)));
        // After the time limit the receiver is gone.
        drop(result.send(outcome));
    });
    if let Err(error) = spawned {
        return Verdict::Fail(format!("cannot start a thread for the check: {error}"));
    }
    match end.recv_timeout(TIME_LIMIT) {
        Ok(Ok(outcome)) => outcome.into(),
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Verdict::Fail(format!("panic: {}", text.unwrap_or_default()))
        }
        Err(RecvTimeoutError::Timeout) => {
            Verdict::Fail(format!("the check did not end within {} s", TIME_LIMIT.as_secs()))
        }
        Err(RecvTimeoutError::Disconnected) => {
            Verdict::Fail("the check ended without a result".into())
        }
    }
}

/// Number of checks that run in parallel: most of them wait rather than compute.
const PARALLEL: usize = 4;

/// Time limit of one check: ten times what the slowest takes.
const TIME_LIMIT: Duration = Duration::from_secs(20);
