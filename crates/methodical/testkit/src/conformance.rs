//! Checks for any transport.
//!
//! The documentation of `gateway_transport` is the contract for transports. This kit checks every part of it: requests,
//! responses, bodies, memory, errors, time, cancellation, runtimes, connections, TLS and secrecy. Each check's
//! [promise](ConformanceCheck::promise) states what the check requires, why, and according to which standard. The peer
//! is a [raw server](crate::raw_server) on 127.0.0.1, so nothing leaves the machine.
//!
//! # Examples
//!
//! To get one test for each check, put this into a file in your `tests/` folder. The factory function creates your
//! transport. To skip a check that your client cannot pass by design, give a reason, which the test prints:
//!
//! ```
//! use methodical_testkit::conformance::{Setup, Subject};
//! use gateway_transport::TransportError;
//! # use gateway_transport::MemoryTransport as MyTransport;
//!
//! fn subject(setup: &Setup) -> Result<Subject, TransportError> {
//!     // Configure your client with `setup.connect_timeout`, `setup.idle_timeout` and `setup.root` here.
//!     Ok(Subject::blocking(MyTransport::default()).without_tls("my client is built without TLS"))
//! }
//!
//! methodical_testkit::conformance_tests!(subject, skips = &[
//!     ("connections.connection_is_reused", "my client opens a connection for each request"),
//! ]);
//! # fn main() {
//! #     let name = "connections.connection_is_reused";
//! #     assert!(methodical_testkit::conformance::CHECKS.iter().any(|check| check.name == name));
//! # }
//! ```
//!
//! To run all checks and print a list:
//!
//! ```no_run
//! # use methodical_testkit::conformance::{Setup, Subject, run};
//! # fn subject(_: &Setup) -> Result<Subject, gateway_transport::TransportError> { unimplemented!() }
//! for finding in run(subject, &[]) {
//!     println!("{finding}");
//! }
//! ```
//!
//! # Stability
//!
//! A minor version may add checks. Pin an exact version of the kit so that a new check cannot break your build.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use std::{fmt, thread};

use self::kit::Kit;
pub use self::kit::{Factory, Setup, Subject};
use self::table::Run;
pub use self::table::{CHECKS, ConformanceCheck};
pub use crate::outcome::Verdict;

mod connections;
mod kit;
mod peer;
mod requests;
mod responses;
mod secrecy;
mod table;
mod time;

/// A check and its verdict. `Display` prints both on one line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the check with its group, such as `body.shorter_than_its_length`.
    pub check: &'static str,
    /// Whether the check passed, and if not, why.
    pub verdict: Verdict,
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

/// Runs all checks, a few in parallel. Returns a finding for each check, in the order of [`CHECKS`].
///
/// `skips` lists the checks to skip, each with a reason.
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

/// Runs one check. A check that panics or times out fails.
pub fn run_one(factory: Factory, check: &ConformanceCheck, skips: &[(&str, &str)]) -> Finding {
    let verdict = match skips.iter().find(|(name, _)| *name == check.name) {
        Some((_, reason)) => Verdict::Skip((*reason).to_owned()),
        None => guarded(factory, check.run),
    };
    Finding { check: check.name, verdict }
}

/// Runs the check on its own thread, which is abandoned after the time limit.
fn guarded(factory: Factory, run: Run) -> Verdict {
    let (result, end) = sync_channel(1);
    let spawned = thread::Builder::new().name("check".into()).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&Kit::new(factory)?)));
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

/// Number of checks that run in parallel. Most of them wait rather than compute.
const PARALLEL: usize = 4;

/// Time limit for one check: ten times as long as the slowest check takes.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Creates a `#[test]` for each check.
///
/// The first argument is a function `fn(&Setup) -> Result<Subject, TransportError>`. `skips` lists the checks to skip,
/// each with a reason; an unknown name is a test failure. Call the macro once per module. See
/// [`conformance`](crate::conformance) for an example.
#[macro_export]
macro_rules! conformance_tests {
    ($factory:path) => {
        $crate::conformance_tests!($factory, skips = &[]);
    };
    ($factory:path, skips = $skips:expr) => {
        const CONFORMANCE_SKIPS: &[(&str, &str)] = $skips;

        #[test]
        fn every_skip_names_a_check_of_the_kit() {
            for (name, _) in CONFORMANCE_SKIPS {
                let is_known = $crate::conformance::CHECKS.iter().any(|check| check.name == *name);
                assert!(is_known, "unknown check `{name}`");
            }
        }

        $crate::__conformance_checks!([$crate::__conformance_tests]($factory));
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    (($factory:path) $($group:ident { $($(#[$promise:meta])+ $check:ident: $run:expr;)+ })+) => {
        $(mod $group {
            use super::*;
            $(
                #[test]
                fn $check() -> Result<(), $crate::conformance::Failed> {
                    let name = concat!(stringify!($group), ".", stringify!($check));
                    $crate::conformance::test($factory, name, CONFORMANCE_SKIPS)
                }
            )+
        })+
    };
}

/// Runs one check for [`conformance_tests!`](crate::conformance_tests). A skipped check passes.
///
/// # Errors
///
/// Fails with what was observed if the check fails, or if `name` is not a check of the kit.
#[expect(clippy::print_stdout, reason = "the output of a test names a check that is not run")]
pub fn test(factory: Factory, name: &str, skips: &[(&str, &str)]) -> Result<(), Failed> {
    let Some(check) = CHECKS.iter().find(|check| check.name == name) else {
        return Err(Failed(format!("unknown check `{name}`")));
    };
    match run_one(factory, check, skips).verdict {
        Verdict::Pass => Ok(()),
        Verdict::Fail(text) => Err(Failed(text)),
        Verdict::Open(reason) | Verdict::Skip(reason) => {
            println!("skipped: {reason}");
            Ok(())
        }
    }
}

/// The reason why a test failed. `Debug` prints it as plain text, because the test harness shows the `Debug` form.
pub struct Failed(String);

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Failed;

    #[test]
    fn a_failed_test_shows_plain_text() {
        assert_eq!(format!("{:?}", Failed("got \"b\"".to_owned())), "got \"b\"");
    }
}
