//! Layouts: where the data of a body is, and how the body reports a failure.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated code of the same version uses it"
)]

use core::slice;

use crate::ErrorClass;

/// The names of the fields that lead to a value; empty for the document itself.
pub(crate) type Path = &'static [&'static str];

/// Where the records of a list are.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// The document is the list.
    Array,
    /// The document is an object, and the list is one of its fields.
    Envelope(&'static Envelope),
    /// Any other place, or a body that reports its failure in another way.
    Body(&'static Body),
}

/// An object around a list.
#[derive(Debug)]
pub struct Envelope {
    /// The field that reports whether the call succeeded.
    pub marker: &'static str,
    /// The value of that field after a success.
    pub success: &'static str,
    /// The field that holds the list.
    pub items: &'static str,
}

/// The place of the data in a body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The place of the list or the object.
    pub at: Path,
    /// How the body reports a failure, if it does.
    pub verdict: Option<&'static Verdict>,
    /// Whether a list may be absent or `null` if it is empty.
    pub absent_as_empty: bool,
    /// Whether a record may replace a list of one record.
    pub one_as_list: bool,
    /// Number of objects between the fields beside the list and the list: 0 if both are in the same object.
    pub beside_above: usize,
}

impl Body {
    /// A document that is the data.
    pub const ROOT: Self = Self {
        at: &[],
        verdict: None,
        absent_as_empty: false,
        one_as_list: false,
        beside_above: 0,
    };
}

/// How a body reports success or failure.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The field that decides.
    pub decides: Decides,
    /// The place of the error code; empty without a code.
    pub code: Path,
    /// The place of the error message; empty without a message.
    pub message: Path,
    /// The classes of the codes that have one; of the messages without a code. A `*` at the end is any text.
    pub classes: &'static [(&'static str, ErrorClass)],
    /// The codes of failures that mean an empty list.
    pub empty_codes: &'static [&'static str],
    /// The messages of failures that mean an empty list.
    pub empty_messages: &'static [&'static str],
}

impl Verdict {
    /// Creates the verdict of a field, without codes and messages.
    pub const fn new(decides: Decides) -> Self {
        Self {
            decides,
            code: &[],
            message: &[],
            classes: &[],
            empty_codes: &[],
            empty_messages: &[],
        }
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

/// A layout as the engine uses it.
#[expect(clippy::struct_excessive_bools, reason = "the settings are independent")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) at: Path,
    pub(crate) decides: Option<Decides>,
    pub(crate) verdict: Option<&'static Verdict>,
    pub(crate) absent_as_empty: bool,
    pub(crate) one_as_list: bool,
    pub(crate) beside_above: usize,
    /// Whether the marker must be text.
    pub(crate) text_marker: bool,
    /// Whether the data is one value and not a list.
    pub(crate) is_object: bool,
    /// The data, with an article, for error messages.
    pub(crate) what: &'static str,
}

impl Plan {
    pub(crate) fn new(layout: Layout) -> Self {
        let (body, decides) = match layout {
            Layout::Array => (Body::ROOT, None),
            Layout::Envelope(Envelope { marker, success, items }) => {
                let (at, is) = (slice::from_ref(marker), slice::from_ref(success));
                let body = Body { at: slice::from_ref(items), ..Body::ROOT };
                (body, Some(Decides::Success { at, is }))
            }
            Layout::Body(body) => (*body, body.verdict.map(|verdict| verdict.decides)),
        };
        Self {
            at: body.at,
            decides,
            verdict: body.verdict,
            absent_as_empty: body.absent_as_empty,
            one_as_list: body.one_as_list,
            beside_above: body.beside_above,
            text_marker: matches!(layout, Layout::Envelope(_)),
            is_object: false,
            what: "an array",
        }
    }

    /// Returns whether some failures mean an empty list.
    pub(crate) fn has_empty(&self) -> bool {
        self.verdict.is_some_and(|verdict| {
            !verdict.empty_codes.is_empty() || !verdict.empty_messages.is_empty()
        })
    }
}
