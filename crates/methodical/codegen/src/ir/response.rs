//! Responses: where the data is, failures in the body, and pages.

use serde_json::Value;

use crate::ir::{ModelId, Type};
use crate::spec::read::words;

/// A successful response: its data, where the data is in the body, and how the body reports a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The type of the data, or of each record if the data is a list; `None` without data.
    pub of: Option<Type>,
    /// Whether the data is a list of records.
    pub is_list: bool,
    /// The keys that lead to the data; empty if the body is the data.
    pub at: Vec<String>,
    /// How the body reports a failure, if it does.
    pub verdict: Option<Verdict>,
    /// The model of the fields beside the list.
    pub beside: Option<ModelId>,
    /// Number of objects between these fields and the list: 0 if both are in the same object.
    pub beside_above: usize,
    /// Whether an empty list may be absent or null.
    pub absent_as_empty: bool,
    /// Whether a record may replace a list of one record.
    pub one_as_list: bool,
}

/// How a body reports success or failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The keys that lead to the member that decides.
    pub at: Vec<String>,
    /// The values of that member, as text, if the call succeeded. Without any, the call failed if the member is present and
    /// not null.
    pub is: Vec<String>,
    /// The keys that lead to the error code; empty for a service without codes.
    pub code: Vec<String>,
    /// The keys that lead to the error message; empty for a service without messages.
    pub message: Vec<String>,
    /// The classes of codes or, without codes, of messages, in the order of the spec. A `*` at the end matches any
    /// text.
    pub classes: Vec<(String, ErrorClass)>,
    /// The codes of failures that mean an empty list.
    pub empty_codes: Vec<String>,
    /// The messages of failures that mean an empty list.
    pub empty_messages: Vec<String>,
}

words! {
    /// The class of a failure, which decides what the caller does.
    pub enum ErrorClass {
        /// The service does not accept the credentials.
        Auth = "auth",
        /// Too many calls.
        RateLimit = "rate-limit",
        /// The service cannot answer now.
        Unavailable = "unavailable",
        /// Any other failure.
        Other = "other",
    }
}

impl Verdict {
    /// Returns whether it has only the member that decides, without codes and messages.
    pub fn is_plain(&self) -> bool {
        let (at, is) = (self.at.clone(), self.is.clone());
        *self == Self { at, is, ..Self::default() }
    }
}

impl Response {
    /// Returns the model of the data, or of the records of the list; `None` if there are no records.
    pub fn model(&self) -> Option<ModelId> {
        self.of.as_ref()?.model()
    }

    /// Returns the type of a value that is neither a record nor a list of records.
    pub fn value(&self) -> Option<&Type> {
        self.of.as_ref().filter(|of| of.model().is_none())
    }

    /// Returns whether a successful response may be an empty body.
    pub fn may_be_empty(&self) -> bool {
        self.of.is_none() && self.verdict.as_ref().is_none_or(|one| one.is.is_empty())
    }

    /// Returns whether the body is the data, and nothing else.
    pub fn is_bare(&self) -> bool {
        self.at.is_empty() && self.verdict.is_none() && self.is_strict()
    }

    /// Returns the key of the marker, its value and the key of the list, if the body is an object with a list and a marker
    /// that is text: `{"status": "success", "result": [..]}`.
    pub fn envelope(&self) -> Option<[&str; 3]> {
        let is_strict = self.is_list && self.is_strict();
        let verdict = self.verdict.as_ref().filter(|one| is_strict && one.is_plain())?;
        match (verdict.at.as_slice(), verdict.is.as_slice(), self.at.as_slice()) {
            ([marker], [success], [items]) if other_form(success).is_none() => {
                Some([marker, success, items])
            }
            _ => None,
        }
    }

    /// Returns whether a list has no fields beside it and no other form.
    fn is_strict(&self) -> bool {
        self.beside.is_none() && !self.absent_as_empty && !self.one_as_list
    }

    /// Returns how a body reports a failure, unless it is an envelope.
    pub fn reported(&self) -> Option<&Verdict> {
        self.verdict.as_ref().filter(|_| self.envelope().is_none())
    }

    /// Returns the keys that lead to the object of the fields beside the list.
    pub fn beside_at(&self) -> &[String] {
        let depth = self.at.len().saturating_sub(1 + self.beside_above);
        self.at.get(..depth).unwrap_or_default()
    }
}

/// Returns the boolean or integer that a marker with this text may be instead of a string.
pub(crate) fn other_form(text: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(text).ok()?;
    let is_plain = value.is_boolean() || value.is_i64();
    (is_plain && value.to_string().as_str() == text).then_some(value)
}

/// How the pages of a list follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// The value that changes from page to page.
    pub by: PagedBy,
    /// The index of the parameter with this value.
    pub param: usize,
    /// The index of the parameter with the maximum number of records of a page.
    pub size: Option<usize>,
    /// The fields beside the list that say how the list continues.
    pub marks: Vec<Mark>,
}

/// The value that changes from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagedBy {
    /// The number of the page.
    Number {
        /// The number of the first page.
        first: i64,
    },
    /// The number of records before the page.
    Offset,
    /// Text from the previous page.
    Cursor,
}

/// A field beside a list that says how the list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The meaning of the field.
    pub says: Says,
    /// The keys that lead to the field.
    pub path: Vec<String>,
}

words! {
    /// The meaning of a field beside a list.
    pub enum Says {
        /// The number of the last page.
        Last = "last",
        /// The number of records of all pages.
        Total = "total",
        /// The offset, the cursor or the parameters of the next page.
        Next = "next",
        /// Whether a page follows.
        More = "more",
    }
}

impl Paging {
    /// Returns the expression for the runtime's `PagedBy`.
    pub fn code(&self) -> String {
        match self.by {
            PagedBy::Number { first } => format!("PagedBy::Number {{ first: {first} }}"),
            PagedBy::Offset if self.marks.iter().any(|mark| mark.says == Says::Next) => {
                "PagedBy::NextOffset".to_owned()
            }
            PagedBy::Offset => "PagedBy::Offset".to_owned(),
            PagedBy::Cursor => "PagedBy::Cursor".to_owned(),
        }
    }
}
