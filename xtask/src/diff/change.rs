//! One change of a spec: its class, its place, and the crates whose users notice.

use std::fmt;

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
pub(super) const EVERYONE: &[&str] =
    &["gateway-model", "gateway-client", "gateway-testkit", "gateway-server", "gateway-cli"];
/// Crates that only carry descriptions.
pub(super) const READERS: &[&str] = &["gateway-model", "gateway-cli"];
