//! Tests of the kit itself.
//!
//! Each broken transport must fail the checks of the promise that it breaks, and each check must fail for at least one
//! transport.

#![expect(
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "a test helper may panic, and every factory has the same type"
)]

mod broken;

use std::collections::BTreeSet;
use std::thread;

use gateway_testkit_core::conformance::{CHECKS, ConformanceCheck, Factory, Verdict, run, run_one};

use crate::broken::{BROKEN, Broken};

#[test]
fn a_broken_transport_fails_the_checks_of_its_promise() {
    // Most of the time is spent waiting for timeouts, so everything runs concurrently.
    let wrong: Vec<String> = thread::scope(|scope| {
        let mut all = Vec::new();
        for broken in BROKEN {
            all.push(scope.spawn(|| not_failed_by(broken)));
        }
        all.into_iter()
            .flat_map(|one| one.join().unwrap_or_else(|_| vec!["a panic".to_owned()]))
            .collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs the checks that this transport must fail, and returns those that it did not.
fn not_failed_by(broken: &Broken) -> Vec<String> {
    thread::scope(|scope| {
        let mut all = Vec::new();
        for name in broken.fails {
            all.push(scope.spawn(|| run_one(broken.factory, check(name), &[])));
        }
        all.into_iter()
            .filter_map(|one| match one.join() {
                Ok(finding) if matches!(finding.verdict, Verdict::Fail(_)) => None,
                Ok(finding) => Some(format!("{}: {finding}", broken.name)),
                Err(_) => Some(format!("{}: a panic", broken.name)),
            })
            .collect()
    })
}

#[test]
fn every_check_fails_for_some_transport() {
    let mut failed: BTreeSet<&str> =
        BROKEN.iter().flat_map(|broken| broken.fails).copied().collect();
    let worst: [Factory; 2] = [broken::refuses_everything, broken::refuses_everything_async];
    for factory in worst {
        let findings = run(factory, &[]);
        let bad = findings.iter().filter(|finding| matches!(finding.verdict, Verdict::Fail(_)));
        failed.extend(bad.map(|finding| finding.check));
    }
    let never: Vec<_> = CHECKS.iter().filter(|check| !failed.contains(check.name)).collect();
    assert!(never.is_empty(), "no broken transport fails {never:#?}");
}

#[test]
fn every_group_has_a_broken_transport() {
    let groups: BTreeSet<_> = CHECKS.iter().map(ConformanceCheck::group).collect();
    let broken: BTreeSet<_> =
        BROKEN.iter().flat_map(|broken| broken.fails).map(|name| check(name).group()).collect();
    assert_eq!(groups, broken);
}

#[test]
fn a_panic_fails_only_its_check() {
    let finding = run_one(broken::panics, check("body.large_body_is_whole"), &[]);
    assert_eq!(finding.verdict, Verdict::Fail("panic: broken".to_owned()));
}

#[test]
fn a_skipped_check_gives_its_reason() {
    let name = "body.large_body_is_whole";
    let finding = run_one(broken::panics, check(name), &[(name, "it only panics")]);
    assert_eq!(finding.to_string(), format!("skip {name}: it only panics"));
}

fn check(name: &str) -> &'static ConformanceCheck {
    CHECKS
        .iter()
        .find(|check| check.name == name)
        .unwrap_or_else(|| panic!("unknown check `{name}`"))
}
