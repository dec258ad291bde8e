//! Responses: the place of the data, failures in the body, and pages.

use serde_json::Value;

use crate::ir::{Model, ModelId};
use crate::text::json_string;
use crate::words::words;

/// The place of the data in a body, and how the body reports a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Whether the data is a list.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The member that decides.
    pub decides: Decides,
    /// The keys that lead to the error code; empty without a code.
    pub code: Vec<String>,
    /// The keys that lead to the error message; empty without a message.
    pub message: Vec<String>,
    /// The classes of codes, or of messages without a code, in the order of the spec. A `*` at the end is any text.
    pub classes: Vec<(String, ErrorClass)>,
    /// The codes of failures that mean an empty list.
    pub empty_codes: Vec<String>,
    /// The messages of failures that mean an empty list.
    pub empty_messages: Vec<String>,
}

/// The member of a body that decides whether the call succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decides {
    /// The call succeeded if the member has one of these values.
    Success {
        /// The keys that lead to the member.
        at: Vec<String>,
        /// The values, at least one, as text.
        is: Vec<String>,
    },
    /// The call failed if the member is present and not null.
    Failure {
        /// The keys that lead to the member.
        present: Vec<String>,
    },
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

impl ErrorClass {
    /// Returns the name of the variant in the runtime.
    pub fn variant(self) -> &'static str {
        match self {
            Self::Auth => "Auth",
            Self::RateLimit => "RateLimit",
            Self::Unavailable => "Unavailable",
            Self::Other => "Other",
        }
    }
}

impl Decides {
    /// Returns the keys that lead to the member.
    pub fn path(&self) -> &[String] {
        match self {
            Self::Success { at, .. } => at,
            Self::Failure { present } => present,
        }
    }
}

impl Verdict {
    /// Creates the verdict of a member, without codes and messages.
    pub fn of(decides: Decides) -> Self {
        Self {
            decides,
            code: Vec::new(),
            message: Vec::new(),
            classes: Vec::new(),
            empty_codes: Vec::new(),
            empty_messages: Vec::new(),
        }
    }

    /// Returns the JSON text of a body that reports a failure, without code and message.
    pub fn failing(&self) -> String {
        let value = match &self.decides {
            Decides::Success { is, .. } => match is.first().map(String::as_str) {
                Some("true") => "false",
                Some("1") => "\"0\"",
                Some("fail") => "\"failed\"",
                _ => "\"fail\"",
            },
            // The code or the message makes it present.
            Decides::Failure { present }
                if self.code.starts_with(present) || self.message.starts_with(present) =>
            {
                return "{}".to_owned();
            }
            Decides::Failure { .. } => "true",
        };
        format!("{{{}}}", nested(self.decides.path(), value))
    }

    /// Returns whether it has neither codes nor messages.
    pub fn is_plain(&self) -> bool {
        self.code.is_empty() && self.message.is_empty()
    }
}

impl Body {
    /// Returns whether it is a list without leniency and without fields beside it.
    pub fn is_plain_list(&self) -> bool {
        self.is_list && self.beside.is_none() && !self.absent_as_empty && !self.one_as_list
    }

    /// Returns the member that decides whether the call succeeded.
    pub(crate) fn decides(&self) -> Option<&Decides> {
        self.verdict.as_ref().map(|verdict| &verdict.decides)
    }

    /// Returns whether it has more than the place of the data in each respect.
    pub(crate) fn is_complete(&self) -> bool {
        let is_lenient = self.absent_as_empty && self.one_as_list;
        !self.at.is_empty() && self.verdict.is_some() && is_lenient && self.beside_above > 0
    }

    /// Returns the keys that lead to the object of the fields beside the list.
    pub fn beside_at(&self) -> &[String] {
        let depth = self.at.len().saturating_sub(1 + self.beside_above);
        self.at.get(..depth).unwrap_or_default()
    }

    /// Returns the JSON text before and after the data of a successful response, without the fields of the model beside it.
    /// The marker is one of these if the model has a field of its name.
    pub fn around(&self, beside: Option<&Model>) -> (String, String) {
        let (mut open, mut close) = (String::new(), String::new());
        let marker = self.success();
        for (depth, key) in self.at.iter().enumerate() {
            open.push('{');
            // The marker has its place in the innermost object that is both around it and around the data.
            if let Some((path, value)) = marker
                && shared(path, &self.at) == depth
                && !(depth == self.beside_at().len() && has_field(beside, path.get(depth)))
            {
                open += &nested(path.get(depth..).unwrap_or_default(), &literal(value));
                open.push(',');
            }
            open.push_str(&json_string(key));
            open.push(':');
            close.push('}');
        }
        (open, close)
    }

    /// Returns the place of the marker of success, and the first of its values.
    fn success(&self) -> Option<(&[String], &str)> {
        match &self.verdict.as_ref()?.decides {
            Decides::Success { at, is } => Some((at, is.first()?)),
            Decides::Failure { .. } => None,
        }
    }

    /// Returns the marker as a member of the object with the fields beside the list, if one of these fields has its name.
    pub(crate) fn marker_beside(&self, beside: &Model) -> Option<String> {
        let (path, value) = self.success()?;
        let depth = self.beside_at().len();
        let is_beside = shared(path, &self.at) == depth && has_field(Some(beside), path.get(depth));
        is_beside.then(|| nested(path.get(depth..).unwrap_or_default(), &literal(value)))
    }

    /// Returns the JSON text before and after the fields of an object that is the body.
    pub(crate) fn marker(&self) -> Option<String> {
        match &self.verdict.as_ref()?.decides {
            Decides::Success { at, is } if self.at.is_empty() => {
                Some(nested(at, &literal(is.first()?)))
            }
            _ => None,
        }
    }
}

/// Returns the boolean or the integer that a marker with this text can be, instead of a string.
pub(crate) fn other_form(text: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(text).ok()?;
    let is_plain = value.is_boolean() || value.is_i64();
    (is_plain && value.to_string().as_str() == text).then_some(value)
}

/// Returns whether a model has a field with this key.
fn has_field(model: Option<&Model>, key: Option<&String>) -> bool {
    let fields = model.map(|model| model.fields.as_slice()).unwrap_or_default();
    fields.iter().any(|field| Some(&field.wire) == key)
}

/// Returns how many keys two paths share at their start.
fn shared(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Returns a member of an object with a value below it.
fn nested(path: &[String], value: &str) -> String {
    match path {
        [] => value.to_owned(),
        [last] => format!("{}:{value}", json_string(last)),
        [first, rest @ ..] => format!("{}:{{{}}}", json_string(first), nested(rest, value)),
    }
}

/// Returns the JSON text of a marker: a boolean, or a string, which services use for numbers as well.
fn literal(text: &str) -> String {
    if matches!(text, "true" | "false") { text.to_owned() } else { json_string(text) }
}

/// How the pages of a list follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// The value that changes from page to page.
    pub by: PagedBy,
    /// The index of the parameter with this value.
    pub param: Option<usize>,
    /// The index of the parameter with the maximum number of records of a page.
    pub size: Option<usize>,
    /// Whether a page with fewer records is the last one.
    pub short_page_ends: bool,
    /// The fields beside the list that say how the list goes on.
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
    /// A text in the page before.
    Cursor,
}

/// A field beside a list that says how the list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The meaning of the field.
    pub says: Says,
    /// The keys that lead to the field.
    pub path: Vec<String>,
}

/// The meaning of a field beside a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The number of the last page.
    Last,
    /// The number of records of all pages.
    Total,
    /// The offset, the cursor or the parameters of the next page.
    Next,
    /// Whether a page follows.
    More,
}

impl Says {
    /// All meanings.
    pub const ALL: [Self; 4] = [Self::Last, Self::Total, Self::Next, Self::More];

    /// Returns the key in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Total => "total",
            Self::Next => "next",
            Self::More => "more",
        }
    }
}

impl Paging {
    /// Returns the field with a meaning.
    pub fn mark(&self, says: Says) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.says == says)
    }

    /// Returns the expression for the runtime's `PagedBy`.
    pub fn code(&self) -> String {
        let is_next = self.mark(Says::Next).is_some();
        match self.by {
            PagedBy::Number { first } => format!("PagedBy::Number {{ first: {first} }}"),
            PagedBy::Offset if is_next => "PagedBy::NextOffset".to_owned(),
            PagedBy::Offset => "PagedBy::Offset".to_owned(),
            PagedBy::Cursor => "PagedBy::Cursor".to_owned(),
        }
    }
}

impl PagedBy {
    /// Returns the key in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Number { .. } => "page",
            Self::Offset => "offset",
            Self::Cursor => "cursor",
        }
    }
}
