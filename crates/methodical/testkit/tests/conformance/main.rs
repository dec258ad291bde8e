//! Tests of the kit itself.
//!
//! Each broken transport must fail the checks of the promise that it breaks, and each check must fail for at least one
//! transport that breaks its promise and is usable otherwise.

#![expect(
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "a test helper may panic, and every factory has the same type"
)]

mod broken;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use gateway_transport::{TransportError, blocking_transport_fn};
use methodical_testkit::conformance::{
    CHECKS, ConformanceCheck, Factory, Finding, Setup, Subject, Verdict, run_one,
};

use crate::broken::{Broken, all, breaks_no_rule, careless};

#[test]
fn a_broken_transport_fails_the_checks_of_its_promise() {
    let cases: Vec<_> = all().flat_map(with_its_checks).collect();
    let not_failed = concurrently(&cases, |&(broken, name)| {
        let finding = attempt(broken.factory, name, |verdict| matches!(verdict, Verdict::Fail(_)));
        finding.err().map(|finding| format!("{}: {finding}", broken.name))
    });
    assert_eq!(not_failed, [""; 0]);
}

#[test]
fn every_check_fails_for_a_transport_that_breaks_its_promise() {
    let failed: BTreeSet<&str> = all().flat_map(|broken| broken.fails).copied().collect();
    let never = CHECKS.iter().map(|check| check.name).filter(|name| !failed.contains(name));
    assert_eq!(never.collect::<Vec<_>>(), [""; 0]);
}

/// A transport that refuses everything fails most checks, but proves nothing about them.
#[test]
fn a_broken_transport_keeps_other_promises() {
    let cases: Vec<_> = all().collect();
    let useless = concurrently(&cases, |broken| {
        let simple = ["request.empty_query_is_kept", "response.reason_may_be_missing"];
        let mut others = simple.iter().filter(|name| !broken.fails.contains(name));
        let passes = |name: &&str| attempt(broken.factory, name, is_pass).is_ok();
        (!others.any(passes)).then(|| broken.name.to_owned())
    });
    assert_eq!(useless, [""; 0]);
}

/// A careless client fails because of the rule that it breaks.
#[test]
fn the_client_that_breaks_no_rule_passes_the_checks_of_all_rules() {
    let cases: Vec<_> = careless().iter().flat_map(with_its_checks).collect();
    let failed = concurrently(&cases, |&(_, name)| {
        let finding = attempt(breaks_no_rule(), name, is_pass);
        finding.err().map(|finding| finding.to_string())
    });
    assert_eq!(failed, [""; 0]);
}

#[test]
fn a_panic_fails_only_its_check() {
    let finding = run_one(panics, check("body.large_body_is_whole"), &[]);
    assert_eq!(finding.verdict, Verdict::Fail("panic: broken".to_owned()));
}

#[test]
fn a_skipped_check_gives_its_reason() {
    let name = "body.large_body_is_whole";
    let finding = run_one(panics, check(name), &[(name, "it only panics")]);
    assert_eq!(finding.to_string(), format!("skip {name}: it only panics"));
}

fn panics(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| panic!("broken"))))
}

fn with_its_checks(broken: &Broken) -> impl Iterator<Item = (&Broken, &'static str)> {
    broken.fails.iter().map(move |name| (broken, *name))
}

fn is_pass(verdict: &Verdict) -> bool {
    *verdict == Verdict::Pass
}

/// Runs a check up to three times until it has the expected verdict: on a slow machine, a deadline can pass before a
/// transport makes its mistake. Otherwise returns the last finding.
fn attempt(
    factory: Factory,
    name: &str,
    is_expected: impl Fn(&Verdict) -> bool,
) -> Result<(), Finding> {
    for _ in 1..3 {
        if is_expected(&run_one(factory, check(name), &[]).verdict) {
            return Ok(());
        }
    }
    let last = run_one(factory, check(name), &[]);
    if is_expected(&last.verdict) { Ok(()) } else { Err(last) }
}

/// Judges all cases, several concurrently because a check mostly waits, and returns the wrong verdicts.
fn concurrently<T: Sync>(cases: &[T], judge: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..CONCURRENT {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(text) = judge(case) {
                        wrong.lock().unwrap_or_else(PoisonError::into_inner).push(text);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn check(name: &str) -> &'static ConformanceCheck {
    let found = CHECKS.iter().find(|check| check.name == name);
    found.unwrap_or_else(|| panic!("unknown check `{name}`"))
}

/// Number of cases that are judged concurrently.
const CONCURRENT: usize = 24;
