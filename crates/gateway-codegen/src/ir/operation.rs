//! Operations: their parameters and the shapes of their responses.

use crate::ir::{
    Body, Doc, ListStyle, ModelId, OpenRef, Paging, Post, RustName, Source, Type, ValueType,
};

/// One operation of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name: `list_photos` for a method, `ListPhotos` for a type.
    pub rust: RustName,
    /// The value of the selector, sent verbatim: `photos/list`. The first `/` separates the values of two
    /// selectors.
    pub select: String,
    /// The parameters, in the order in which they are sent. A parameter is never listed before
    /// one that it needs.
    pub params: Vec<Param>,
    /// How it is called by POST; `None` if it is called by GET.
    pub post: Option<Post>,
    /// The shape of a successful response.
    pub response: Response,
    /// How the pages of a list follow each other, if it has pages.
    pub paging: Option<Paging>,
    /// The amount that the response reports, if a mirror keeps samples of it.
    pub gauge: Option<Gauge>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}

/// An amount in the object that an operation returns, such as a balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The keys that lead to the field with the number.
    pub value: Vec<String>,
    /// The keys that lead to the field with the unit, such as a currency code.
    pub unit: Option<Vec<String>>,
}

impl Gauge {
    /// The subcommands that a program has for a gauge, beside those of the operations.
    pub const VERBS: [&str; 2] = ["check", "forecast"];
}

/// One parameter, in the query or in the body of a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name of the Rust method.
    pub rust: RustName,
    /// The name on the wire, of unreserved characters and brackets.
    pub wire: String,
    /// The type of the value, or of each value of a list.
    pub ty: ValueType,
    /// How a list is written; `None` if the value is not a list.
    pub list: Option<ListStyle>,
    /// Whether every call must send it. A required parameter needs no other.
    pub required: bool,
    /// Indices of all parameters of the same operation that must be sent with this one, including
    /// those that a needed parameter needs in turn.
    pub needs: Vec<usize>,
    /// Effect of the parameter without one that it needs.
    pub otherwise: Otherwise,
    /// The attribute, absent from the records, that the selected records have with the value of the
    /// parameter.
    pub recovers: Option<String>,
    /// The value that the service uses without the parameter, as wire text.
    pub default: Option<String>,
    /// Maximum length of a text, in characters.
    pub max_chars: Option<u32>,
    /// The smallest integer that the service accepts.
    pub min: Option<i64>,
    /// The largest integer that the service accepts.
    pub max: Option<i64>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}

/// The effect of a parameter without one that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// It has no effect.
    NoEffect,
    /// The call is refused.
    Error,
}

/// The shape of a successful response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// An object with a success marker and the list: `{"status": "success", "result": [..]}`.
    Envelope {
        /// The key of the marker.
        marker: String,
        /// The value of the marker in a successful response.
        success: String,
        /// The key of the list.
        items: String,
        /// The model of an item.
        of: ModelId,
    },
    /// The bare list.
    Array {
        /// The model of an item.
        of: ModelId,
    },
    /// One object.
    Object {
        /// The model of the object.
        of: ModelId,
    },
    /// A list or an object in any place, or in a body that reports failures with code and message.
    Body {
        /// The model of an item or of the object.
        of: ModelId,
        /// The place of the data.
        body: Body,
    },
    /// A value that is neither a record nor a list of records.
    Value {
        /// The type of the value.
        of: Type,
        /// The place of the value.
        body: Body,
    },
    /// No data.
    Nothing {
        /// How the body reports a failure.
        body: Body,
    },
}
