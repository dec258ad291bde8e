//! A change of a spec: its class, its place, and the crates that it affects.

use std::fmt;

use crate::config::Role;

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
    /// The changed declaration, such as `model.Photo.field.title`.
    pub place: String,
    /// A description of the change.
    pub what: String,
    /// The crates whose users are affected.
    pub crates: &'static [Role],
    /// Whether users must look at it, although their code still compiles.
    pub warns: bool,
}

/// Crates that contain or use the generated types.
pub(super) const EVERYONE: &[Role] = Role::ALL;
/// The crate of the program, which shows tables.
pub(super) const PROGRAM: &[Role] = &[Role::Cli];
/// Crates that contain the descriptions.
pub(super) const READERS: &[Role] = &[Role::Model, Role::Cli];
