//! Compares two specs: the changes, the crates that they affect, and the versions that they require.

use std::cmp::Reverse;
use std::fmt;

use crate::config::Role;
use crate::ir::Service;

mod compare;

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
const EVERYONE: &[Role] = Role::ALL;
/// The crate of the program, which shows tables.
const PROGRAM: &[Role] = &[Role::Cli];
/// Crates that contain the descriptions.
const READERS: &[Role] = &[Role::Model, Role::Cli];

/// `MAJOR.MINOR.PATCH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u64; 3]);

impl Version {
    /// Parses a version of three numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let version = [numbers.next()??, numbers.next()??, numbers.next()??];
        numbers.next().is_none().then_some(Self(version))
    }

    /// Returns the lowest version that may contain a change of this class. Before 1.0.0, a breaking
    /// change raises the minor version, as in cargo.
    #[must_use]
    pub fn after(self, class: Class) -> Self {
        let Self([major, minor, patch]) = self;
        Self(match (class, major) {
            (Class::Breaking, 1..) => [major + 1, 0, 0],
            (Class::Breaking, 0) | (Class::Additive, 1..) => [major, minor + 1, 0],
            (Class::Additive, 0) | (Class::Documentation, _) => [major, minor, patch + 1],
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Version};

    #[track_caller]
    fn check(from: &str, class: Class, to: &str) {
        let from = Version::parse(from).expect("a version");
        assert_eq!(from.after(class).to_string(), to);
    }

    #[test]
    fn each_class_raises_its_part_of_the_version() {
        check("1.4.2", Class::Breaking, "2.0.0");
        check("1.4.2", Class::Additive, "1.5.0");
        check("1.4.2", Class::Documentation, "1.4.3");
        check("0.4.2", Class::Breaking, "0.5.0");
        check("0.4.2", Class::Additive, "0.4.3");
        check("0.4.2", Class::Documentation, "0.4.3");
    }

    #[test]
    fn malformed_versions_are_rejected() {
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1.-2.3"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
