//! Where a body's data is, and how the body reports a failure.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated code of the same version uses it"
)]

use crate::ErrorClass;

/// The names of the fields that lead to a value; empty for the document itself.
pub(crate) type Path = &'static [&'static str];

/// The place of the data in a body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Where the list or the object is.
    pub at: Path,
    /// How the body reports a failure, if it can.
    pub verdict: Option<&'static Verdict>,
    /// Whether an empty list may be absent or `null`.
    pub absent_as_empty: bool,
    /// Whether a single record may replace a list of one record.
    pub one_as_list: bool,
    /// How many levels above the list's own object the metadata is: 0 if both are in the same object.
    pub metadata_above: usize,
}

impl Body {
    /// A document that is itself the data.
    pub const ROOT: Self = Self {
        at: &[],
        verdict: None,
        absent_as_empty: false,
        one_as_list: false,
        metadata_above: 0,
    };

    /// Returns the field that decides whether a call succeeded.
    pub(crate) fn decides(&self) -> Option<Decides> {
        self.verdict.map(|verdict| verdict.decides)
    }
}

/// How a body reports success or failure.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The field that decides whether a call succeeded.
    pub decides: Decides,
    /// Where the error code is; empty for a service without codes.
    pub code: Path,
    /// Where the error message is; empty for a service without messages.
    pub message: Path,
    /// The classes of codes or, for a service without codes, of messages. A `*` at the end matches any text.
    pub classes: &'static [(&'static str, ErrorClass)],
    /// The codes or messages of failures that mean an empty list.
    pub empty: &'static [&'static str],
}

impl Verdict {
    /// Creates a verdict that depends only on `decides` and reads no code or message.
    pub const fn new(decides: Decides) -> Self {
        Self { decides, code: &[], message: &[], classes: &[], empty: &[] }
    }

    /// Returns whether some failures mean an empty list.
    pub(crate) fn has_empty(&self) -> bool {
        !self.empty.is_empty()
    }

    /// Returns whether a failure may have a code or a message, possibly after the field that decides.
    pub(crate) fn has_details(&self) -> bool {
        !self.code.is_empty() || !self.message.is_empty()
    }
}

/// The field that decides whether a call succeeded.
#[derive(Clone, Copy, Debug)]
pub enum Decides {
    /// The call succeeded if this field has one of these values: text, or the text of a number or boolean.
    Success {
        /// The place of the field.
        at: Path,
        /// The values, at least one.
        is: &'static [&'static str],
    },
    /// The call failed if this field is present and not `null`.
    Failure {
        /// The place of the field.
        present: Path,
    },
}
