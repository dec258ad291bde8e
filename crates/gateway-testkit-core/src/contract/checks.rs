//! The checks, by group. Most follow from the description of the service.

use std::collections::BTreeSet;

use crate::contract::check::Judged;
use crate::contract::description::Contract;

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
    let general = [
        filters::group(contract),
        query::group(contract),
        method::group(contract),
        authorization::group(contract),
        errors::group(),
        representation::group(contract),
    ];
    let operations = contract.operations.iter();
    let groups = operations.flat_map(|one| [records::group(one), pages::group(one)]).chain(general);
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
