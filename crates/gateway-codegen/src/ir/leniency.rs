//! Leniency: other forms of a field that a reader accepts.

/// Another form of a field that a reader accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leniency {
    /// A single value may replace a list of one.
    OneAsList,
    /// An empty list may replace an empty object.
    EmptyArrayAsMap,
    /// An empty text may replace an absent value.
    BlankAsNone,
    /// An empty list or map may be absent or null.
    AbsentAsEmpty,
}

impl Leniency {
    /// All kinds, in the order in which messages list them.
    pub const ALL: [Self; 4] =
        [Self::OneAsList, Self::EmptyArrayAsMap, Self::BlankAsNone, Self::AbsentAsEmpty];

    /// Returns the kind with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// Returns the word in the spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::OneAsList => "one-as-list",
            Self::EmptyArrayAsMap => "empty-array-as-map",
            Self::BlankAsNone => "blank-as-none",
            Self::AbsentAsEmpty => "absent-as-empty",
        }
    }

    /// Returns what a reader accepts, for documents.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::OneAsList => "or a single value",
            Self::EmptyArrayAsMap => "or `[]` if it is empty",
            Self::BlankAsNone => "or an empty text",
            Self::AbsentAsEmpty => "absent if it is empty",
        }
    }
}
