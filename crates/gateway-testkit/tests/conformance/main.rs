//! The kit itself: every check of it can fail.
//!
//! Each broken transport breaks one promise, and must fail the checks that name it, and each check must fail for one of
//! them.

#![expect(
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "test helpers: factories have one type"
)]

mod broken;

use std::collections::BTreeSet;
use std::thread;

use gateway_testkit::conformance::{CHECKS, Check, Factory, Verdict, run, run_one};

use crate::broken::{BROKEN, Broken};

#[test]
fn a_broken_transport_fails_the_checks_of_its_promise() {
    // Most of it is waiting for what does not come.
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

/// Runs the checks that this transport must fail, and tells of those that it did not.
fn not_failed_by(broken: &Broken) -> Vec<String> {
    thread::scope(|scope| {
        let mut all = Vec::new();
        for name in broken.fails {
            all.push(scope.spawn(|| run_one(broken.factory, check(name), &[])));
        }
        all.into_iter()
            .filter_map(|one| match one.join() {
                Ok(report) if matches!(report.verdict, Verdict::Failed(_)) => None,
                Ok(report) => Some(format!("{}: {report}", broken.name)),
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
        let reports = run(factory, &[]);
        let bad = reports.iter().filter(|report| matches!(report.verdict, Verdict::Failed(_)));
        failed.extend(bad.map(|report| report.check));
    }
    let never: Vec<_> = CHECKS.iter().filter(|check| !failed.contains(check.name)).collect();
    assert!(never.is_empty(), "no broken transport fails {never:#?}");
}

#[test]
fn every_group_has_a_broken_transport_of_its_own() {
    let groups: BTreeSet<_> = CHECKS.iter().map(Check::group).collect();
    let broken: BTreeSet<_> =
        BROKEN.iter().flat_map(|broken| broken.fails).map(|name| check(name).group()).collect();
    assert_eq!(groups, broken);
}

#[test]
fn a_panic_fails_the_check_and_nothing_else() {
    let report = run_one(broken::panics, check("body.large_body_is_whole"), &[]);
    assert_eq!(report.verdict, Verdict::Failed("panic: broken".to_owned()));
}

#[test]
fn a_skipped_check_says_why() {
    let name = "body.large_body_is_whole";
    let report = run_one(broken::panics, check(name), &[(name, "it only panics")]);
    assert_eq!(report.to_string(), format!("skip {name}: it only panics"));
}

fn check(name: &str) -> &'static Check {
    CHECKS
        .iter()
        .find(|check| check.name == name)
        .unwrap_or_else(|| panic!("the kit has no check {name}"))
}
