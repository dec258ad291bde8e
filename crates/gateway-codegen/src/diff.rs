//! Compares two specs: the changes, the crates that they affect, and the versions that they require.

use std::cmp::Reverse;

use crate::config::Role;
use crate::diff::change::EVERYONE;
use crate::ir::Service;

mod change;
mod compare;
mod named;
mod paging;
pub mod version;

pub use crate::diff::change::{Change, Class};

/// Returns the changes from one spec to another: breaking changes first, then in the order of the spec.
pub fn changes(old: &Service, new: &Service) -> Vec<Change> {
    let mut changes = compare::service(old, new);
    changes.sort_by_key(|change| Reverse(change.class));
    changes
}

/// Returns the most severe class of the changes; `None` without changes.
pub fn largest(changes: &[Change]) -> Option<Class> {
    changes.iter().map(|change| change.class).max()
}

/// Returns the most severe class for each affected crate, in the order of the crates.
pub fn per_crate(changes: &[Change]) -> Vec<(Role, Class)> {
    let class_of = |krate: &Role| {
        changes
            .iter()
            .filter(|change| change.crates.contains(krate))
            .map(|change| change.class)
            .max()
    };
    EVERYONE.iter().filter_map(|krate| Some((*krate, class_of(krate)?))).collect()
}
