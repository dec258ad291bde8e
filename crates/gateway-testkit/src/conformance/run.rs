//! Running checks: one, or all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::conformance::subject::Factory;
use crate::conformance::{CHECKS, Check, Kit, Stop};

/// How one check ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the check, with its group: `body.truncated_length_is_an_error`.
    pub check: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// How long it took.
    pub time: Duration,
}

/// The ways a check can end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The transport does what it should.
    Passed,
    /// It does not.
    Failed(String),
    /// The check was not run, or does not apply, for this reason.
    Skipped(String),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Passed => write!(f, "pass {}", self.check),
            Verdict::Failed(text) => write!(f, "FAIL {}: {text}", self.check),
            Verdict::Skipped(reason) => write!(f, "skip {}: {reason}", self.check),
        }
    }
}

/// Runs all checks, a few at a time, and reports on each, in order.
///
/// `skips` names the checks that are not run, each with its reason.
pub fn run(factory: Factory, skips: &[(&str, &str)]) -> Vec<Report> {
    let next = Mutex::new(CHECKS.iter().enumerate());
    let reports = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((index, check)) = taken else { return };
                    let report = run_one(factory, check, skips);
                    let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                    reports.push((index, report));
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// Runs one check. A panic is a failure of it, and so is an end that does not come.
pub fn run_one(factory: Factory, check: &Check, skips: &[(&str, &str)]) -> Report {
    let started = Instant::now();
    let verdict = match skips.iter().find(|(name, _)| *name == check.name) {
        Some((_, reason)) => Verdict::Skipped((*reason).to_owned()),
        None => guarded(factory, check.function),
    };
    Report { check: check.name, verdict, time: started.elapsed() }
}

/// Runs the check of this name for a `#[test]` of [`conformance_tests!`](crate::conformance_tests).
///
/// # Errors
///
/// What the transport does instead of what it should.
#[expect(
    clippy::print_stdout,
    reason = "a check that is not run must be seen in the test's output"
)]
pub fn test(factory: Factory, name: &str, skips: &[(&str, &str)]) -> Result<(), Failed> {
    let Some(check) = CHECKS.iter().find(|check| check.name == name) else {
        return Err(Failed(format!("the kit has no check {name}")));
    };
    match run_one(factory, check, skips).verdict {
        Verdict::Passed => Ok(()),
        Verdict::Failed(text) => Err(Failed(text)),
        Verdict::Skipped(reason) => {
            println!("skipped: {reason}");
            Ok(())
        }
    }
}

/// Why a test failed. `Debug` prints the plain text, because that is what the test harness shows.
pub struct Failed(String);

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs the check on a thread of its own, which is left behind if it does not end.
fn guarded(factory: Factory, function: super::registry::Function) -> Verdict {
    let (result, end) = sync_channel(1);
    let spawned = thread::Builder::new().name("check".into()).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| function(&Kit::new(factory)?)));
        // Nobody listens any more when the time is up.
        drop(result.send(outcome));
    });
    if let Err(error) = spawned {
        return Verdict::Failed(format!("no thread for the check: {error}"));
    }
    match end.recv_timeout(TIME_LIMIT) {
        Ok(Ok(Ok(()))) => Verdict::Passed,
        Ok(Ok(Err(Stop::NotApplicable(reason)))) => Verdict::Skipped(reason),
        Ok(Ok(Err(Stop::Failed(text)))) => Verdict::Failed(text),
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Verdict::Failed(format!("panic: {}", text.unwrap_or_default()))
        }
        Err(RecvTimeoutError::Timeout) => {
            Verdict::Failed(format!("no end within {} s", TIME_LIMIT.as_secs()))
        }
        Err(RecvTimeoutError::Disconnected) => Verdict::Failed("the check vanished".into()),
    }
}

/// Most checks wait more than they compute.
const AT_ONCE: usize = 4;

/// Ten times what the slowest check takes.
const TIME_LIMIT: Duration = Duration::from_secs(20);
