//! Version numbers, and the version that a change requires.

use crate::diff::Class;

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

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
