//! Wires: how a spec says that a scalar is written.

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A JSON string; in a query, its percent-encoded text.
    String,
    /// An integer; the meaning says whether it has a sign.
    Integer,
}

impl Wire {
    /// All wires, in the order in which messages list them.
    pub const ALL: [Self; 2] = [Self::String, Self::Integer];

    /// The words of all wires, each with its description.
    pub const WORDS: [(&str, &str); 2] = [
        (Self::String.word(), "A string."),
        (Self::Integer.word(), "An integer of 64 bits; the meaning decides whether it has a sign."),
    ];

    /// Returns the wire with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.word() == word)
    }

    /// Returns the word in the spec.
    pub const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
        }
    }

    /// Returns the word with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
        }
    }
}
