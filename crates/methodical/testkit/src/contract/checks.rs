//! The checks, by group. Most follow from the description of the service.

use std::collections::BTreeSet;

use crate::contract::check::{Group, Judged, Source};
use crate::contract::description::{Contract, Operation};
use crate::outcome::skip;

mod authorization;
mod errors;
mod filters;
mod method;
mod pages;
mod query;
mod records;
mod representation;

/// Returns all checks of a service.
pub(super) fn all(contract: &'static Contract) -> Vec<Judged> {
    let general: [fn(&'static Contract) -> Group; 6] = [
        filters::group,
        query::group,
        method::group,
        authorization::group,
        errors::group,
        representation::group,
    ];
    // The general checks call an operation.
    let is_called = contract.operations.is_empty() || contract.probe().is_some();
    let general = general.into_iter().filter(|_| is_called).map(|group| group(contract));
    let of_operation = |one: &'static Operation| {
        if one.is_called() {
            vec![records::group(one), pages::group(one)]
        } else {
            vec![skipped(one)]
        }
    };
    let groups = contract.operations.iter().flat_map(of_operation).chain(general);
    let mut checks: Vec<_> = groups.flat_map(|group| group.checks).collect();
    // A field may have the name of another check.
    let mut names = BTreeSet::new();
    for Judged { check, .. } in &mut checks {
        while !names.insert(check.name.clone()) {
            check.name.to_mut().push('_');
        }
    }
    checks
}

/// Returns the only check of an operation that the checks do not call.
fn skipped(operation: &'static Operation) -> Group {
    let mut group = Group::new(operation.group);
    let title = "the call is answered with 200";
    group.add("response", title, Source::Contract(operation.source), |_| {
        skip("the contract does not say that this POST is idempotent")
    });
    group
}
