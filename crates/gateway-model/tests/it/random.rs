//! Every type has random values for `proptest` and `arbitrary`. The tests of `methodical-model` check their variety.

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

fn drawn<T: for<'a> Arbitrary<'a>>(bytes: &[u8]) -> T {
    T::arbitrary(&mut Unstructured::new(bytes)).unwrap()
}

/// The given number of random byte lists, the same on every run.
fn bytes(count: usize) -> Vec<Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u8>(), 0..600);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}
