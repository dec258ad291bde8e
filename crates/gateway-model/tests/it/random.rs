//! Random values of `proptest` and `arbitrary` cover everything that the service may send.

#![cfg(feature = "arbitrary")]

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use gateway_model::{
    Candidate, CandidateId, CandidateKind, Civil, CivilDateTime, Credits, CurrencyCode,
    DecimalText, Extra, Portal, PortalId, RawQuery, StatusName, Vacancy, VacancyId,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// Checks a record and its JSON text.
type IsThere = fn(&Candidate, &str) -> bool;

/// Everything that a program must be able to handle, by name.
const WANTED: &[(&str, IsThere)] = &[
    ("a known value", |candidate, _| candidate.kind == Some(CandidateKind::Person)),
    ("an unknown value", |candidate, _| {
        candidate.kind.as_ref().is_some_and(|kind| !kind.is_known() && !kind.as_str().is_empty())
    }),
    ("an unlisted field", |candidate, _| !candidate.extra().is_empty()),
    ("a nested unlisted field", |candidate, _| {
        candidate
            .extra()
            .iter()
            .any(|(_, value)| value.starts_with("{\"") || value.starts_with("[["))
    }),
    ("an unlisted field of a nested object", |candidate, _| {
        candidate.portal.as_ref().is_some_and(|portal| !portal.extra().is_empty())
    }),
    ("a number beyond double precision", |candidate, _| {
        candidate.extra().iter().any(|(_, value)| value == "18446744073709551615")
    }),
    ("an absent field", |_, json| !json.contains("\"email\":")),
    ("a null", |_, json| json.contains("\"email\":null")),
    ("an empty string", |candidate, _| candidate.name.as_deref() == Some("")),
    ("a string with an escape", |_, json| json.contains("\\\"") || json.contains("\\n")),
    ("an escaped character", |_, json| json.contains("\\u00") || json.contains("\\ud8")),
    ("a non-ASCII string", |candidate, _| {
        candidate.name.as_ref().is_some_and(|name| !name.is_ascii())
    }),
    ("a character outside the basic plane", |candidate, _| {
        candidate.name.as_ref().is_some_and(|name| name.chars().any(|one| one > '\u{ffff}'))
    }),
    ("a date", |candidate, _| candidate.date.as_ref().is_some_and(|date| date.civil().is_some())),
    ("an invalid date", |candidate, _| {
        candidate.date.as_ref().is_some_and(|date| date.civil().is_none())
    }),
];

#[test]
fn strategies_cover_everything() {
    let mut runner = TestRunner::deterministic();
    let strategy = any::<Candidate>();
    check((0..4_000).map(|_| strategy.new_tree(&mut runner).unwrap().current()));
}

#[test]
fn draws_cover_everything() {
    check(bytes(4_000).iter().map(|bytes| drawn(bytes)));
}

/// Drawing ends when the bytes run out.
#[test]
fn a_draw_needs_no_bytes() {
    let candidate: Candidate = drawn(&[]);
    assert_eq!(candidate.name, None);
    assert!(candidate.extra().is_empty());
}

/// Both traits are implemented for every type, and each type has more than one value.
#[test]
fn every_type_has_both_traits() {
    fn check<T: proptest::arbitrary::Arbitrary + for<'a> Arbitrary<'a> + PartialEq + Debug>() {
        let (mut runner, strategy) = (TestRunner::deterministic(), any::<T>());
        let mut strategies = (0..100).map(|_| strategy.new_tree(&mut runner).unwrap().current());
        let first = strategies.next();
        assert!(strategies.any(|other| Some(other) != first));
        let draws = bytes(100);
        let mut draws = draws.iter().map(|bytes| drawn::<T>(bytes));
        let first = draws.next();
        assert!(draws.any(|other| Some(other) != first));
    }
    check::<Candidate>();
    check::<Credits>();
    check::<Portal>();
    check::<Vacancy>();
    check::<CandidateId>();
    check::<CivilDateTime>();
    check::<CurrencyCode>();
    check::<DecimalText>();
    check::<PortalId>();
    check::<VacancyId>();
    check::<CandidateKind>();
    check::<StatusName>();
    check::<Civil>();
    check::<Extra<'static>>();
    check::<RawQuery>();
}

/// Checks that every case occurs, and that each record survives a round trip.
#[track_caller]
fn check(candidates: impl Iterator<Item = Candidate>) {
    let mut missing = WANTED.to_vec();
    for candidate in candidates {
        let json = serde_json::to_string(&candidate).unwrap();
        assert_eq!(serde_json::from_str::<Candidate>(&json).unwrap(), candidate);
        missing.retain(|(_, is_there)| !is_there(&candidate, &json));
    }
    let missing: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    assert_eq!(missing, [""; 0]);
}

fn drawn<T: for<'a> Arbitrary<'a>>(bytes: &[u8]) -> T {
    T::arbitrary(&mut Unstructured::new(bytes)).unwrap()
}

/// The given number of random byte lists, the same on every run.
fn bytes(count: usize) -> Vec<Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u8>(), 0..600);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}
