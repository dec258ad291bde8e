//! The body of a call by POST.

use core::fmt;

/// The format of the body of a call by POST.
///
/// # Examples
///
/// ```
/// use methodical_model::BodyFormat;
///
/// assert_eq!(BodyFormat::Form.media_type(), "application/x-www-form-urlencoded");
/// assert_eq!(BodyFormat::Json.to_string(), "JSON");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyFormat {
    /// Parameters as in a query, percent-encoded.
    Form,
    /// A JSON object whose members are the parameters.
    Json,
}

impl BodyFormat {
    /// Returns the value of the header `Content-Type`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Form => "application/x-www-form-urlencoded",
            Self::Json => "application/json",
        }
    }
}

impl fmt::Display for BodyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Form => "form",
            Self::Json => "JSON",
        })
    }
}

/// The body of a call by POST, within the text of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Post {
    /// Where the body begins, after the query.
    pub(crate) start: usize,
    pub(crate) format: BodyFormat,
    pub(crate) is_idempotent: bool,
}
