//! What changed between two specs, what it means for users, and which version it asks for.

use std::cmp::Reverse;
use std::fmt;

use crate::ir::Service;

mod compare;
mod named;
pub mod version;

/// How much a change asks of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only descriptions, sources and examples changed.
    Documentation,
    /// Something came; nothing that worked stops working.
    Additive,
    /// Code that compiled, or a call that worked, may no longer.
    Breaking,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Documentation => "documentation",
            Self::Additive => "additive",
            Self::Breaking => "breaking",
        })
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it asks of users.
    pub class: Class,
    /// Where it is: `model.Candidate.field.email`.
    pub place: String,
    /// What happened there.
    pub what: String,
    /// The crates whose users notice.
    pub crates: &'static [&'static str],
}

/// Crates that carry the types.
const EVERYONE: &[&str] =
    &["gateway-model", "gateway-client", "gateway-testkit", "gateway-server", "gateway-cli"];
/// Crates that only carry descriptions.
const READERS: &[&str] = &["gateway-model", "gateway-cli"];

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
