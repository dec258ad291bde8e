//! The versions of the spec language.

use toml::de::DeTable;

/// A version of the spec language.
///
/// The generator reads all of them. Each key of the grammar belongs to one version or to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Version 1: GET requests, one selector, bearer tokens.
    One,
    /// Version 2.
    Two,
}

impl Language {
    /// All versions, in order.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// Returns the number of the version, which is the value of `spec-language`.
    pub fn number(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Returns the version in which a document is written. Without a valid `spec-language`, its
    /// tables decide.
    pub(crate) fn of(document: &DeTable<'_>) -> Self {
        let given = document.get("spec-language").and_then(|given| given.get_ref().as_integer());
        let given =
            given.and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
        match Self::ALL.into_iter().find(|language| Some(language.number()) == given) {
            Some(language) => language,
            None if ["dispatch", "auth", "envelope"]
                .iter()
                .any(|key| document.contains_key(*key)) =>
            {
                Self::Two
            }
            None => Self::One,
        }
    }
}
