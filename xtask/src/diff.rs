//! What changed between two specs, what it means for users, and which version it asks for.

use std::cmp::Reverse;

use crate::diff::change::EVERYONE;
use crate::ir::Service;

mod change;
mod compare;
mod named;
pub mod version;

pub use crate::diff::change::{Change, Class};

/// The changes from one spec to another: breaking ones first, then in the order of the spec.
pub fn changes(old: &Service, new: &Service) -> Vec<Change> {
    let mut changes = compare::service(old, new);
    changes.sort_by_key(|change| Reverse(change.class));
    changes
}

/// The largest class among some changes.
pub fn largest(changes: &[Change]) -> Option<Class> {
    changes.iter().map(|change| change.class).max()
}

/// For each crate that has a change, the largest class, in order of the crates.
pub fn per_crate(changes: &[Change]) -> Vec<(&'static str, Class)> {
    let class_of = |krate: &str| {
        changes
            .iter()
            .filter(|change| change.crates.contains(&krate))
            .map(|change| change.class)
            .max()
    };
    EVERYONE.iter().filter_map(|krate| Some((*krate, class_of(krate)?))).collect()
}
