//! Parameters whose value is a list.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

/// How a list is written in a query or a form.
///
/// # Examples
///
/// ```
/// use methodical_model::ListStyle;
///
/// let ids = || ["1", "2"].map(str::to_owned).to_vec();
/// assert_eq!(ListStyle::Comma.pairs("id", ids()), [("id".into(), "1,2".into())]);
/// let repeated = [("id".into(), "1".into()), ("id".into(), "2".into())];
/// assert_eq!(ListStyle::Repeat.pairs("id", ids()), repeated);
/// assert_eq!(ListStyle::Index.pairs("id", ids())[1], ("id[1]".into(), "2".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListStyle {
    /// One parameter, whose values are separated by commas: `id=1,2`.
    Comma,
    /// One parameter, whose values are separated by vertical bars: `id=1|2`.
    Pipe,
    /// A parameter for each value: `id=1&id=2`.
    Repeat,
    /// A parameter with brackets for each value: `id[]=1&id[]=2`.
    Bracket,
    /// A parameter with the index of each value: `id[0]=1&id[1]=2`.
    Index,
}

impl ListStyle {
    /// Returns the text between two values of one parameter, which no value can contain.
    #[must_use]
    pub const fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index => None,
        }
    }

    /// Returns the parameters of a list with their values, none of which is encoded.
    #[must_use]
    pub fn pairs(self, name: &str, values: Vec<String>) -> Vec<(String, String)> {
        if let Some(separator) = self.separator() {
            return vec![(name.to_owned(), values.join(separator))];
        }
        let pairs = values.into_iter().enumerate().map(|(index, value)| match self {
            Self::Bracket => (format!("{name}[]"), value),
            Self::Index => (format!("{name}[{index}]"), value),
            _ => (name.to_owned(), value),
        });
        pairs.collect()
    }
}

/// The values of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Items {
    /// Text that is not empty.
    Text,
    /// Text that must be an unsigned integer, which JSON has without quotes.
    Digits,
    /// Numbers or Booleans, which JSON has without quotes.
    Literal,
}
