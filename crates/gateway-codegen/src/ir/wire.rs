//! Wires: how a spec says that a scalar is written.

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// A JSON string; in a query, its percent-encoded text.
    String,
    /// An integer; the meaning says whether it has a sign.
    Integer,
    /// An integer, which a record may have as text in digits. It is written as an integer.
    IntegerOrText,
    /// A string, which a record may have as a number. It is written as a string with the same digits.
    TextOrNumber,
    /// JSON values that the spec lists.
    Codes,
}

impl Wire {
    /// All wires, in the order in which messages list them.
    pub const ALL: [Self; 5] =
        [Self::String, Self::Integer, Self::IntegerOrText, Self::TextOrNumber, Self::Codes];

    /// The words of all wires, each with its description.
    pub const WORDS: [(&str, &str); 5] = [
        (Self::String.word(), "A string."),
        (Self::Integer.word(), "An integer of 64 bits; the meaning decides whether it has a sign."),
        (Self::IntegerOrText.word(), "An integer, or text in its digits; written as an integer."),
        (
            Self::TextOrNumber.word(),
            "A string, or a number, whose digits are kept; written as a string.",
        ),
        (
            Self::Codes.word(),
            "The JSON values in `true` and `false`; the first one of each is written.",
        ),
    ];

    /// The words of version 1 of the language, which are also those of the wires in a query.
    pub const PLAIN_WORDS: [(&str, &str); 2] = [Self::WORDS[0], Self::WORDS[1]];

    /// The words of the wires of enums.
    pub const ENUM_WORDS: [(&str, &str); 3] = [Self::WORDS[0], Self::WORDS[1], Self::WORDS[2]];

    /// Returns the wire with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.word() == word)
    }

    /// Returns the word in the spec.
    pub const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::IntegerOrText => "integer-or-text",
            Self::TextOrNumber => "text-or-number",
            Self::Codes => "codes",
        }
    }

    /// Returns the word with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::IntegerOrText => "an integer or text",
            Self::TextOrNumber => "text or a number",
            Self::Codes => "written as codes",
        }
    }

    /// Returns how a value is written, of the ways in which it can be read.
    #[must_use]
    pub fn written(self) -> Self {
        match self {
            Self::String | Self::TextOrNumber => Self::String,
            Self::Integer | Self::IntegerOrText => Self::Integer,
            Self::Codes => Self::Codes,
        }
    }

    /// Returns the suffix of the kind of a scalar or an enum that can be read in two ways: an argument of its macro.
    pub fn either(self) -> Option<&'static str> {
        match self {
            Self::IntegerOrText => Some("or_text"),
            Self::TextOrNumber => Some("or_number"),
            Self::String | Self::Integer | Self::Codes => None,
        }
    }
}
