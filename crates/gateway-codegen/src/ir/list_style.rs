//! Parameters whose value is a list.

/// How a list is written in a query or a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListStyle {
    /// `id=1,2`.
    Comma,
    /// `id=1|2`.
    Pipe,
    /// `id=1&id=2`.
    Repeat,
    /// `id[]=1&id[]=2`.
    Bracket,
    /// `id[0]=1&id[1]=2`.
    Index,
    /// An array in a JSON body.
    Array,
}

/// The text between two values of a list in the wire text of an example, which has no control character.
pub const ITEM: char = '\u{1f}';

impl ListStyle {
    /// The styles that a spec can name.
    pub const ALL: [Self; 5] = [Self::Comma, Self::Pipe, Self::Repeat, Self::Bracket, Self::Index];

    /// Returns the word in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Pipe => "pipe",
            Self::Repeat => "repeat",
            Self::Bracket => "bracket",
            Self::Index => "index",
            Self::Array => "array",
        }
    }

    /// Returns the variant of the type in the runtime.
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::Comma => "ListStyle::Comma",
            Self::Pipe => "ListStyle::Pipe",
            // In JSON, the style does not matter.
            Self::Repeat | Self::Array => "ListStyle::Repeat",
            Self::Bracket => "ListStyle::Bracket",
            Self::Index => "ListStyle::Index",
        }
    }

    /// Returns the text between two values of one parameter.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index | Self::Array => None,
        }
    }

    /// Returns the name of the parameter with the value at this index.
    pub fn name(self, name: &str, index: usize) -> String {
        match self {
            Self::Comma | Self::Pipe | Self::Repeat | Self::Array => name.to_owned(),
            Self::Bracket => format!("{name}[]"),
            Self::Index => format!("{name}[{index}]"),
        }
    }
}
