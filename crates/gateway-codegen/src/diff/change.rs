//! A change of a spec: its class, its place, and the crates that it affects.

use std::fmt;

/// The effect of a change on users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only descriptions, sources and examples changed.
    Documentation,
    /// Something was added, and existing code and calls still work.
    Additive,
    /// Existing code may fail to compile, or an existing call may fail.
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

/// A change of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The effect on users.
    pub class: Class,
    /// The changed declaration, such as `model.Candidate.field.email`.
    pub place: String,
    /// A description of the change.
    pub what: String,
    /// The crates whose users are affected.
    pub crates: &'static [&'static str],
}

/// Crates that contain or use the generated types.
pub(super) const EVERYONE: &[&str] =
    &["gateway-model", "gateway-client", "gateway-testkit", "gateway-server", "gateway-cli"];
/// The crate of the program, which shows tables.
pub(super) const PROGRAM: &[&str] = &["gateway-cli"];
/// Crates that contain the descriptions.
pub(super) const READERS: &[&str] = &["gateway-model", "gateway-cli"];
